// TypeBox schemas of the v2 endpoints for trails (contract, Part D): types, checks and documentation.
import { Type, type Static } from 'typebox'
import { boxOrNull, numberOrNull, pageOf, strict, stringEnum, timestamp } from './schema-parts.ts'
import { notBlank, openapiOnly, sentGeometryRule } from './openapi-rules.ts'

export const maxDescriptionLength = 20_000

const position = { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 3 }
const line = { type: 'array', items: position, minItems: 2 }

export interface LineGeometry {
  readonly type: 'LineString' | 'MultiLineString'
  readonly coordinates: readonly unknown[]
}

/** What is answered: longitude before latitude, and the height where it is known. */
const geometry = Type.Unsafe<LineGeometry | null>({
  oneOf: [
    {
      type: 'object',
      properties: { type: { const: 'LineString' }, coordinates: line },
      required: ['type', 'coordinates'],
      additionalProperties: false,
    },
    {
      type: 'object',
      properties: { type: { const: 'MultiLineString' }, coordinates: { type: 'array', items: line } },
      required: ['type', 'coordinates'],
      additionalProperties: false,
    },
    { type: 'null' },
  ],
  title: 'TrailGeometry',
  description:
    'The line of the trail as GeoJSON (WGS84); null if there is none. The third number of a position is its elevation in metres, if known.',
})

const summary = {
  trailID: Type.Integer(),
  name: Type.String(),
  slug: Type.String({ description: 'Unique name of the trail in URLs.' }),
  bbox: boxOrNull,
  lengthMiles: numberOrNull('Length of the line along the WGS84 ellipsoid, without gaps between its parts.'),
  ascent: numberOrNull(
    'Total ascent in metres, without the noise of the elevations; null without elevations.',
  ),
  descent: numberOrNull('Total descent in metres.'),
  highest: numberOrNull('Metres above sea level; null without elevations.'),
  lowest: numberOrNull('Metres above sea level.'),
  images: Type.Integer({ description: 'Number of published images.' }),
  cover: Type.Union([Type.Integer(), Type.Null()], {
    description: 'imageID of the newest published image; null if there is none.',
  }),
  createdAt: timestamp('UTC.'),
  updatedAt: timestamp('When name, slug, description or line last changed (UTC).'),
}

export const TrailSummary = Type.Object(summary, { ...strict, title: 'TrailSummary' })
export type TrailSummary = Static<typeof TrailSummary>

export const Trail = Type.Object(
  {
    ...summary,
    description: Type.String({ description: 'CommonMark; empty if there is none.' }),
    geometry,
  },
  { ...strict, title: 'Trail' },
)

export const TrailProfile = Type.Object(
  {
    points: Type.Array(
      Type.Object(
        {
          miles: Type.Number({ description: 'Distance along the line, measured as lengthMiles is.' }),
          elevation: Type.Number({ description: 'Metres above sea level.' }),
        },
        { ...strict, title: 'ProfilePoint' },
      ),
      {
        maxItems: 1_000,
        description:
          'In order along the line, at most 1,000; if there are more, the extremes and both ends are kept. Empty without elevations.',
      },
    ),
    ascent: summary.ascent,
    descent: summary.descent,
  },
  { ...strict, title: 'TrailProfile' },
)
export type TrailProfile = Static<typeof TrailProfile>

export const TrailSet = pageOf(TrailSummary, 'TrailSet')

/** The file of GET /v2/trails.geojson, which an import takes. */
export const TrailCollection = Type.Object(
  {
    type: Type.Literal('FeatureCollection'),
    features: Type.Array(
      Type.Object(
        {
          type: Type.Literal('Feature'),
          properties: Type.Object(
            {
              trailID: Type.Integer(),
              id: Type.String({ description: 'The trailID as a string, as in OpenTrails.' }),
              name: Type.String(),
              slug: Type.String(),
              description: Type.Optional(
                Type.String({ description: 'CommonMark; omitted if there is none.' }),
              ),
            },
            strict,
          ),
          geometry,
        },
        strict,
      ),
    ),
  },
  { ...strict, title: 'TrailCollection' },
)

const fields = {
  name: Type.String({
    description: '1 to 256 characters; surrounding white space is removed.',
    ...openapiOnly({ minLength: 1, maxLength: 256, pattern: notBlank }),
  }),
  slug: Type.Optional(
    Type.String({
      description: 'If omitted or empty, it is generated from the name.',
      ...openapiOnly({ maxLength: 200, pattern: String.raw`^([\p{L}\p{N}][\p{L}\p{N}._-]*)?$` }),
    }),
  ),
  description: Type.Optional(
    Type.String({
      description: `CommonMark, at most ${maxDescriptionLength.toLocaleString('en')} characters. If omitted, it is not changed; if empty, it is removed.`,
      ...openapiOnly({ maxLength: maxDescriptionLength }),
    }),
  ),
  geometry: Type.Optional(
    // Judged by trails/trail-line.ts, whose sentences name the point that is wrong.
    Type.Unsafe<object | null>({
      type: ['object', 'null'],
      ...openapiOnly({ type: undefined, ...sentGeometryRule }),
      description:
        'A GeoJSON LineString or MultiLineString (WGS84) of up to 50,000 points and 1 MiB as stored. Coordinates are stored with seven decimals, and elevations (the third number of a position, in metres) with one.',
    }),
  ),
}

export const NewTrail = Type.Object(
  {
    trailID: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'The ID from an existing site; if omitted, a new one is generated.',
      }),
    ),
    ...fields,
  },
  { ...strict, title: 'NewTrail' },
)

export const WholeTrail = Type.Object(fields, { ...strict, title: 'WholeTrail' })

const fromTo = Type.Object({ from: Type.String(), to: Type.String() }, strict)

const place = Type.String({ description: 'Such as "line 3" or "feature 2".' })

export const TrailImport = Type.Object(
  {
    new: Type.Array(
      Type.Object({ trailID: Type.Integer(), name: Type.String(), slug: Type.String(), place }, strict),
    ),
    changed: Type.Array(
      Type.Object(
        {
          trailID: Type.Integer(),
          place,
          fields: Type.Object(
            {
              name: Type.Optional(fromTo),
              slug: Type.Optional(fromTo),
              description: Type.Optional(stringEnum(['changed'])),
              geometry: Type.Optional(stringEnum(['changed'])),
            },
            strict,
          ),
        },
        strict,
      ),
    ),
    unchanged: Type.Integer(),
    problems: Type.Array(
      Type.Object(
        {
          place,
          detail: Type.String({ description: 'One sentence.' }),
        },
        strict,
      ),
      { description: 'If there are any problems, nothing is imported.' },
    ),
    counts: Type.Object(
      { new: Type.Integer(), changed: Type.Integer(), problems: Type.Integer() },
      { ...strict, description: 'Total counts; each list has at most 1,000 entries.' },
    ),
    isApplied: Type.Boolean(),
  },
  { ...strict, title: 'TrailImport' },
)
export type TrailImport = Static<typeof TrailImport>
