// TypeBox schemas of the base map as admins choose it (GET and PUT /v2/admin/map).
import { Type, type Static } from 'typebox'
import { openEnum, orNull, strict, stringEnum, textOrNull, timestampOrNull } from './schema-parts.ts'
import { openapiOnly } from './openapi-rules.ts'

export const maxStyleUrlLength = 2_000

export const SiteMapChoice = Type.Object(
  {
    kind: stringEnum(
      ['none', 'file', 'style'],
      '`none`: only the shapes of the land. `file`: a map file of this server. `style`: a MapLibre style of somebody else.',
    ),
    url: Type.Optional(
      Type.String({
        maxLength: maxStyleUrlLength,
        description: 'Address (https) of the style. Only for `style`, which needs it.',
      }),
    ),
  },
  {
    ...strict,
    title: 'SiteMapChoice',
    ...openapiOnly({
      oneOf: [
        {
          properties: { kind: { const: 'style' }, url: { type: 'string', format: 'uri' } },
          required: ['kind', 'url'],
        },
        { properties: { kind: { enum: ['none', 'file'] }, url: false }, required: ['kind'] },
      ],
    }),
  },
)
export type SiteMapChoice = Static<typeof SiteMapChoice>

const degrees = (description: string) =>
  Type.Array(Type.Number(), {
    minItems: 4,
    maxItems: 4,
    description: `${description} West, south, east, north.`,
  })

export const SiteMapFile = Type.Object(
  {
    path: Type.String({ description: 'On the server.' }),
    bytes: Type.Integer(),
    trouble: textOrNull('Why it cannot be shown, in one sentence; null where it can.'),
    content: orNull(
      Type.Object(
        {
          tiles: openEnum(['vector', 'images'], 'What its tiles are.'),
          minZoom: Type.Integer(),
          maxZoom: Type.Integer(),
          bounds: degrees('Where it has tiles.'),
          attribution: textOrNull('Whose data it is, as the file says; may hold HTML.'),
        },
        strict,
      ),
      'What its header says; null where that cannot be read.',
    ),
  },
  { ...strict, title: 'SiteMapFile' },
)
export type SiteMapFile = Static<typeof SiteMapFile>

export const SiteMap = Type.Object(
  {
    choice: SiteMapChoice,
    changedAt: timestampOrNull('When an admin chose it; null where it is what the settings say.'),
    setting: SiteMapChoice,
    origins: Type.Array(Type.String(), {
      description: 'Which other origins pages may load maps from.',
    }),
    trouble: textOrNull(
      'Why pages may show only the shapes of the land, in one sentence; null where nothing is known against it.',
    ),
    files: Type.Object(
      {
        base: orNull(SiteMapFile, 'The map; null where there is none.'),
        terrain: orNull(
          SiteMapFile,
          'Elevations, for hillshade and contour lines; null where there are none.',
        ),
      },
      strict,
    ),
    trailsBox: orNull(
      degrees('Around the lines of all trails, with a margin.'),
      'Null where no trail has a line.',
    ),
  },
  { ...strict, title: 'SiteMap' },
)
export type SiteMap = Static<typeof SiteMap>
