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
      description: 'The trailIDs that a reviewer is limited to; null where there is no limit.',
    }),
    passkeyRequired: Type.Optional(
      Type.Literal(true, { description: 'There where this session may only add a passkey (STAFF_SIGN_IN).' }),
    ),
  },
  strict,
)

export const SiteInfo = Type.Object(
  {
    name: Type.String({ description: 'Of the site, as its operator chose it.' }),
    version: Type.String({ description: 'Of Waymark.' }),
    publicUrl: Type.String({ description: 'Where the service is mounted, without a slash at the end.' }),
    viewer: Type.Union([Viewer, Type.Null()], {
      description: 'The signed-in account; null if nobody is signed in.',
    }),
    signUp: openEnum(['open', 'invite', 'closed'], 'Who may make an account.'),
    canMail: Type.Boolean({
      description: 'Whether the server sends mails, such as links to reset a password.',
    }),
    hasPasskeys: Type.Boolean({ description: 'Whether passkeys can be used at this address.' }),
    maxImageBytes: Type.Integer({ description: 'Of one photo.' }),
    edits: openEnum(['list', 'pend'], 'What becomes of a listed photo whose texts are changed.'),
    licence: PhotoTerms.properties.licence,
    termsVersion: PhotoTerms.properties.version,
    imageHandlerUrl: Type.String({ description: 'Address of the image handler, which takes id and t.' }),
    map: Type.Object(
      {
        pmtiles: textOrNull('Address of the base map of this server.'),
        terrain: textOrNull(
          'Address of the terrain of this server: a PMTiles archive of Terrarium images, for hillshade and contour lines.',
        ),
        styleUrl: textOrNull('Address of the MapLibre style to use in its place.'),
      },
      strict,
    ),
    branding: SiteBranding,
  },
  { ...strict, title: 'SiteInfo' },
)
export type SiteInfo = Static<typeof SiteInfo>
