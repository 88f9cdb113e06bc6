// TypeBox schemas of the v2 endpoints for routes and privacy zones (contract, Part D): types, checks and documentation.
import { Type, type Static } from 'typebox'
import { maxDescriptionLength, maxNameLength, maxMiles } from '../classic/route-kinds.ts'
import { routeShares } from './route-shares.ts'
import {
  boxOrNull,
  noCursor,
  numberOrNull,
  openEnum,
  orNull,
  pageOf,
  strict,
  timestamp,
} from './schema-parts.ts'
import { openapiOnly } from './openapi-rules.ts'

const visibility = openEnum(
  ['private', 'link', 'public'],
  'Who can see it: the owner, anyone with the link, or everyone.',
  'RouteVisibility',
)

const shares = Type.Array(
  openEnum(
    routeShares,
    'The times of points and waypoints; waypoints with their names, symbols and notes; heart rate, cadence, temperature and power at each point.',
  ),
  {
    title: 'RouteShares',
    uniqueItems: true,
    description:
      'What others see beyond name, description, line and elevations; nothing by default. Privacy zones apply to all of it. Told to the owner alone.',
  },
)

const place = (description: string) =>
  orNull(Type.Object({ lat: Type.Number(), lon: Type.Number() }, { ...strict, title: 'Place' }), description)

const warning = Type.Object(
  {
    code: Type.String(),
    detail: Type.String({ description: 'One sentence.' }),
    line: Type.Integer({ description: 'Of the first time, from 1.' }),
    element: Type.String(),
    times: Type.Integer(),
  },
  { ...strict, title: 'RouteWarning' },
)

const shown = {
  routeID: Type.Integer({ description: 'Unique id of the route; not guessable.' }),
  acctID: Type.Integer({ description: 'Account that it belongs to.' }),
  displayName: Type.String({ description: 'Name of that account.' }),
  name: Type.String(),
  description: Type.String(),
  length: Type.Number({
    description: 'Miles: as stated, else as measured. To others, measured where a privacy zone hides a part.',
  }),
  measuredLengthMiles: numberOrNull(
    'Along every rte and trkseg on the WGS84 ellipsoid; null without points.',
  ),
  climb: numberOrNull(
    'Metres up, without the noise of the elevations. Null where no line holds two elevations.',
  ),
  descent: numberOrNull('Metres down, likewise.'),
  bbox: boxOrNull,
  pointCount: Type.Integer({ description: 'Of all lines; waypoints are not counted.' }),
  start: place('The first point.'),
  end: place('The last point.'),
  duplicates: Type.Array(Type.Integer(), {
    description: 'Other routes of the account with the very same points, as far as you may see them.',
  }),
  visibility,
  createdAt: timestamp('Moment of creation, UTC.'),
  urls: Type.Object(
    { gpx: Type.String({ format: 'uri' }), geojson: Type.String({ format: 'uri' }) },
    { ...strict, description: 'Addresses of the exports.' },
  ),
  // The rest is for the owner alone.
  updatedAt: Type.Optional(timestamp('For the owner: moment of the last change, UTC.')),
  link: Type.Optional(
    Type.Union([Type.String({ format: 'uri' }), Type.Null()], {
      description:
        'For the owner: the address that opens a route of visibility link; null for any other. Null as well where the link can no longer be shown, since it was made before links were stored as hashes or under another secret: it opens the route all the same, and `newLink` replaces it.',
    }),
  ),
  isLengthStated: Type.Optional(
    Type.Boolean({ description: 'For the owner: whether length was stated, and so stays as it is.' }),
  ),
  shares: Type.Optional(shares),
  warnings: Type.Optional(
    Type.Array(warning, {
      description: 'For the owner: what is odd about the gpx, and no reason to refuse it.',
    }),
  ),
  unreadable: Type.Optional(
    Type.String({ description: 'For the owner: why the gpx cannot be read, where GPX_CHECK let it in.' }),
  ),
}

export const RouteSummary = Type.Object(shown, { ...strict, title: 'RouteSummary' })
export type RouteSummary = Static<typeof RouteSummary>

export const Route = Type.Object(
  {
    ...shown,
    gpx: Type.String({
      description:
        'For the owner the document as it was sent, byte for byte; for others the clipped line with what the owner shares, as the export has it.',
    }),
  },
  { ...strict, title: 'Route' },
)
export type Route = Static<typeof Route>

export const RouteOverview = Type.Object(
  {
    ...shown,
    line: Type.Array(Type.Array(Type.Array(Type.Number(), { minItems: 2, maxItems: 2 })), {
      description: 'A sketch: up to 300 points [longitude, latitude] of its lines. The exports have all.',
    }),
    profile: Type.Array(
      Type.Object(
        { miles: Type.Number(), elevation: Type.Number() },
        { ...strict, title: 'RouteProfilePoint' },
      ),
      { description: 'Up to 300 points, elevations in metres; empty without elevations.' },
    ),
  },
  { ...strict, title: 'RouteOverview' },
)
export type RouteOverview = Static<typeof RouteOverview>

export const RouteSet = pageOf(RouteSummary, 'RouteSet')

const fields = {
  name: Type.String({
    description: `At most ${maxNameLength} characters.`,
    ...openapiOnly({ maxLength: maxNameLength }),
  }),
  description: Type.String({
    description: `At most ${maxDescriptionLength} characters.`,
    ...openapiOnly({ maxLength: maxDescriptionLength }),
  }),
  length: Type.Union([Type.Number({ minimum: 0, maximum: maxMiles }), Type.Null()], {
    description: 'Miles. Null, 0 or left out: computed from the gpx.',
  }),
  gpx: Type.String({
    description: 'A GPX document of up to 8 MiB, or "".',
    ...openapiOnly({ contentMediaType: 'application/gpx+xml' }),
  }),
  visibility,
  shares,
}

export const NewRoute = Type.Partial(Type.Object(fields), { ...strict, title: 'NewRoute' })
export type NewRoute = Static<typeof NewRoute>

export const RoutePatch = Type.Partial(
  Type.Object({
    ...fields,
    newLink: Type.Boolean({
      description: 'Of visibility link: whether it gets a new link. The old one opens nothing any more.',
    }),
  }),
  { ...strict, title: 'RoutePatch' },
)
export type RoutePatch = Static<typeof RoutePatch>

export const ImportResults = Type.Object(
  {
    results: Type.Array(
      Type.Object(
        {
          file: Type.String({ description: 'Name of the file, as it was sent.' }),
          routeID: Type.Optional(Type.Integer()),
          name: Type.Optional(Type.String({ description: 'Of the route that was made.' })),
          duplicates: Type.Optional(
            Type.Array(Type.Integer(), { description: 'Own routes with the very same points.' }),
          ),
          warnings: Type.Optional(Type.Array(warning)),
          problem: Type.Optional(
            Type.Object(
              { type: Type.String(), title: Type.String(), status: Type.Integer(), detail: Type.String() },
              { ...strict, description: 'Why no route was made of this file.' },
            ),
          ),
        },
        strict,
      ),
    ),
  },
  { ...strict, title: 'ImportResults' },
)
export type ImportResult = Static<typeof ImportResults>['results'][number]

/** Metres: less would betray the door. What is hidden is larger: see account-routes/zones/zone-circle.ts. */
const minZoneRadius = 50
export const maxZoneRadius = 1_000

const zone = {
  name: Type.String({
    description: 'For yourself; at most 200 characters.',
    ...openapiOnly({ maxLength: 200 }),
  }),
  lat: Type.Number({ minimum: -90, maximum: 90, description: 'Of the centre, WGS84.' }),
  lon: Type.Number({ minimum: -180, maximum: 180 }),
  radius: Type.Number({ minimum: minZoneRadius, maximum: maxZoneRadius, description: 'Metres.' }),
}

export const NewZone = Type.Object(
  { ...zone, name: Type.Optional(zone.name) },
  { ...strict, title: 'NewZone' },
)

export const Zone = Type.Object(
  {
    zoneID: Type.Integer(),
    ...zone,
    hiddenRadius: Type.Number({
      description:
        'Radius of the hidden circle in metres. The circle covers the zone; its centre differs from that of the zone and is not disclosed.',
    }),
    createdAt: timestamp('Moment of creation, UTC.'),
  },
  { ...strict, title: 'Zone' },
)
export type Zone = Static<typeof Zone>

export const ZoneSet = Type.Object(
  {
    items: Type.Array(Zone),
    next: noCursor,
    hiddenSizes: Type.Array(
      Type.Object(
        {
          maxRadius: Type.Number({ description: 'Metres. For zones up to this radius.' }),
          added: Type.Number({
            description: 'Metres that the hidden circle has beyond the radius of the zone.',
          }),
        },
        strict,
      ),
      {
        description:
          'What a new zone of the account would hide, smallest zones first: the first entry that its radius does not exceed holds.',
      },
    ),
  },
  { ...strict, title: 'ZoneSet' },
)
export type ZoneSet = Static<typeof ZoneSet>
