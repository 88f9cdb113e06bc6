// TypeBox schemas of the base map as admins choose it (GET and PUT /v2/admin/map).
import { Type, type Static } from 'typebox'
import { openEnum, orNull, strict, stringEnum, textOrNull, timestampOrNull } from './schema-parts.ts'
import { openapiOnly } from './openapi-rules.ts'

export const maxStyleUrlLength = 2_000

export const SiteMapChoice = Type.Object(
  {
    kind: stringEnum(
      ['none', 'file', 'style'],
      '`none`: only country outlines. `file`: a map file on this server. `style`: a MapLibre style of another provider.',
    ),
    url: Type.Optional(
      Type.String({
        maxLength: maxStyleUrlLength,
        description: 'URL (https) of the style. Required for `style`, and only allowed there.',
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
    path: Type.String({ description: 'Path on the server.' }),
    bytes: Type.Integer(),
    trouble: textOrNull('Why it cannot be shown, in one sentence; null if it can.'),
    content: orNull(
      Type.Object(
        {
          tiles: openEnum(['vector', 'images'], 'Kind of its tiles.'),
          minZoom: Type.Integer(),
          maxZoom: Type.Integer(),
          bounds: degrees('Area with tiles.'),
          attribution: textOrNull('Attribution in the file; may contain HTML.'),
        },
        strict,
      ),
      'From the header of the file; null if it cannot be read.',
    ),
  },
  { ...strict, title: 'SiteMapFile' },
)
export type SiteMapFile = Static<typeof SiteMapFile>

export const SiteMap = Type.Object(
  {
    choice: SiteMapChoice,
    changedAt: timestampOrNull('When an admin chose it; null if the settings apply.'),
    setting: SiteMapChoice,
    origins: Type.Array(Type.String(), {
      description: 'Other origins from which pages may load maps.',
    }),
    trouble: textOrNull(
      'Why pages may show only country outlines, in one sentence; null if no problem is known.',
    ),
    files: Type.Object(
      {
        base: orNull(SiteMapFile, 'The map; null if there is none.'),
        terrain: orNull(SiteMapFile, 'Elevations for hillshade and contour lines; null if there are none.'),
      },
      strict,
    ),
    trailsBox: orNull(
      degrees('Box around the lines of all trails, with a margin.'),
      'Null if no trail has a line.',
    ),
  },
  { ...strict, title: 'SiteMap' },
)
export type SiteMap = Static<typeof SiteMap>
