// TypeBox schema of GET /v2/site: what the web app has to know of its server and of who is looking (contract, Part D).
import { Type, type Static } from 'typebox'
import { roleName } from './account-schemas.ts'
import { SiteBranding } from './branding-schemas.ts'
import { PhotoTerms } from './image-schemas.ts'
import { openEnum, strict, textOrNull } from './schema-parts.ts'

const Viewer = Type.Object(
  {
    acctID: Type.Integer(),
    displayName: Type.String(),
    role: roleName,
    trails: Type.Union([Type.Array(Type.Integer()), Type.Null()], {
      description: 'IDs of the trails that a reviewer is limited to; null for no limit.',
    }),
    passkeyRequired: Type.Optional(
      Type.Literal(true, { description: 'Present if this session may only add a passkey (STAFF_SIGN_IN).' }),
    ),
  },
  strict,
)

export const SiteInfo = Type.Object(
  {
    name: Type.String({ description: 'Name of the site.' }),
    version: Type.String({ description: 'Version of Waymark.' }),
    publicUrl: Type.String({ description: 'Public URL of the service, without a trailing slash.' }),
    viewer: Type.Union([Viewer, Type.Null()], {
      description: 'The signed-in account; null if the request is not signed in.',
    }),
    signUp: openEnum(['open', 'invite', 'closed'], 'Who may create an account.'),
    canMail: Type.Boolean({
      description: 'Whether the server can send email, such as password reset links.',
    }),
    hasPasskeys: Type.Boolean({ description: 'Whether passkeys are available at this address.' }),
    maxImageBytes: Type.Integer({ description: 'Maximum size of a photo, in bytes.' }),
    edits: openEnum(
      ['list', 'pend'],
      'What happens to a published photo when its title or caption is changed: list keeps it published, pend makes it pending.',
    ),
    licence: PhotoTerms.properties.licence,
    termsVersion: PhotoTerms.properties.version,
    imageHandlerUrl: Type.String({ description: 'URL of the image handler; its parameters are id and t.' }),
    map: Type.Object(
      {
        pmtiles: textOrNull('URL of the base map on this server.'),
        terrain: textOrNull(
          'URL of the terrain on this server: a PMTiles archive of Terrarium images, for hillshade and contour lines.',
        ),
        styleUrl: textOrNull('URL of the MapLibre style to use instead.'),
      },
      strict,
    ),
    branding: SiteBranding,
  },
  { ...strict, title: 'SiteInfo' },
)
export type SiteInfo = Static<typeof SiteInfo>
