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
    'The line of the trail, GeoJSON on WGS84; null where none is known. A position has its height in metres as a third number, where that is known.',
})

const summary = {
  trailID: Type.Integer(),
  name: Type.String(),
  slug: Type.String({ description: 'Its place in addresses; no two trails have the same.' }),
  bbox: boxOrNull,
  lengthMiles: numberOrNull('Of the line, along the WGS84 ellipsoid; gaps between its parts do not count.'),
  ascent: numberOrNull('Metres up along the line, without the noise of its heights; null without heights.'),
  descent: numberOrNull('Metres down along it.'),
  highest: numberOrNull('Metres above sea level; null without heights.'),
  lowest: numberOrNull('Metres above sea level.'),
  images: Type.Integer({ description: 'How many images its list shows.' }),
  cover: Type.Union([Type.Integer(), Type.Null()], {
    description: 'imageID of the newest of them; null where there is none.',
  }),
  createdAt: timestamp('UTC.'),
  updatedAt: timestamp('Moment of the last change of name, slug, description or line, UTC.'),
}

export const TrailSummary = Type.Object(summary, { ...strict, title: 'TrailSummary' })
export type TrailSummary = Static<typeof TrailSummary>

export const Trail = Type.Object(
  {
    ...summary,
    description: Type.String({ description: 'CommonMark; empty where there is none.' }),
    geometry,
  },
  { ...strict, title: 'Trail' },
)

export const TrailProfile = Type.Object(
  {
    points: Type.Array(
      Type.Object(
        {
          miles: Type.Number({ description: 'Along the line, as lengthMiles counts them.' }),
          elevation: Type.Number({ description: 'Metres above sea level.' }),
        },
        { ...strict, title: 'ProfilePoint' },
      ),
      {
        maxItems: 1_000,
        description:
          'In order along the line, as many as 1,000; of more, the extremes are kept, and both ends. Empty without heights.',
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
              id: Type.String({ description: 'The same, as OpenTrails has it.' }),
              name: Type.String(),
              slug: Type.String(),
              description: Type.Optional(
                Type.String({ description: 'CommonMark; left out where there is none.' }),
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
    description: '1 to 256 characters; blanks around it are dropped.',
    ...openapiOnly({ minLength: 1, maxLength: 256, pattern: notBlank }),
  }),
  slug: Type.Optional(
    Type.String({
      description: 'Left out or empty: made of the name.',
      ...openapiOnly({ maxLength: 200, pattern: String.raw`^([\p{L}\p{N}][\p{L}\p{N}._-]*)?$` }),
    }),
  ),
  description: Type.Optional(
    Type.String({
      description: `CommonMark, at most ${maxDescriptionLength.toLocaleString('en')} characters. Left out: as it is; empty: none.`,
      ...openapiOnly({ maxLength: maxDescriptionLength }),
    }),
  ),
  geometry: Type.Optional(
    // Judged by trails/trail-line.ts, whose sentences name the point that is wrong.
    Type.Unsafe<object | null>({
      type: ['object', 'null'],
      ...openapiOnly({ type: undefined, ...sentGeometryRule }),
      description:
        'A GeoJSON LineString or MultiLineString on WGS84, of up to 50,000 points and 1 MiB as stored. Kept to seven decimals, and heights (the third number of a position, metres) to one.',
    }),
  ),
}

export const NewTrail = Type.Object(
  {
    trailID: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Of an existing site; left out: a new one.',
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
      { description: 'With a problem, nothing of the file is imported.' },
    ),
    counts: Type.Object(
      { new: Type.Integer(), changed: Type.Integer(), problems: Type.Integer() },
      { ...strict, description: 'Of all; each list names 1,000 at most.' },
    ),
    isApplied: Type.Boolean(),
  },
  { ...strict, title: 'TrailImport' },
)
export type TrailImport = Static<typeof TrailImport>
