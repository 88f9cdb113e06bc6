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
      'What others see besides name, description, line and elevations; empty by default. Privacy zones apply to all of it. Visible only to the owner.',
  },
)

const place = (description: string) =>
  orNull(Type.Object({ lat: Type.Number(), lon: Type.Number() }, { ...strict, title: 'Place' }), description)

const warning = Type.Object(
  {
    code: Type.String(),
    detail: Type.String({ description: 'One sentence.' }),
    line: Type.Integer({ description: 'Line of the first occurrence, counted from 1.' }),
    element: Type.String(),
    times: Type.Integer(),
  },
  { ...strict, title: 'RouteWarning' },
)

const shown = {
  routeID: Type.Integer({ description: 'Unique, unguessable ID of the route.' }),
  acctID: Type.Integer({ description: 'Account that owns it.' }),
  displayName: Type.String({ description: 'Display name of that account.' }),
  name: Type.String(),
  description: Type.String(),
  length: Type.Number({
    description:
      'Miles: as entered, or else as measured. For others it is measured if a privacy zone hides a part.',
  }),
  measuredLengthMiles: numberOrNull(
    'Measured along every rte and trkseg on the WGS84 ellipsoid; null without points.',
  ),
  climb: numberOrNull(
    'Total ascent in metres, without the noise of the elevations. Null if no line has two elevations.',
  ),
  descent: numberOrNull('Total descent in metres, measured in the same way.'),
  bbox: boxOrNull,
  pointCount: Type.Integer({ description: 'Number of points in all lines, without waypoints.' }),
  start: place('The first point.'),
  end: place('The last point.'),
  duplicates: Type.Array(Type.Integer(), {
    description: 'Other routes of the account with exactly the same points, if you may see them.',
  }),
  visibility,
  createdAt: timestamp('When it was created (UTC).'),
  urls: Type.Object(
    { gpx: Type.String({ format: 'uri' }), geojson: Type.String({ format: 'uri' }) },
    { ...strict, description: 'URLs of the exports.' },
  ),
  // The rest is for the owner alone.
  updatedAt: Type.Optional(timestamp('For the owner: when it was last changed (UTC).')),
  link: Type.Optional(
    Type.Union([Type.String({ format: 'uri' }), Type.Null()], {
      description:
        'For the owner: the URL that opens a route with visibility link, else null. Also null for links from before they were stored as hashes, or with another secret: these still work; `newLink` replaces them.',
    }),
  ),
  isLengthStated: Type.Optional(
    Type.Boolean({
      description: 'For the owner: whether the length was entered, and is therefore not recomputed.',
    }),
  ),
  shares: Type.Optional(shares),
  warnings: Type.Optional(
    Type.Array(warning, {
      description: 'For the owner: harmless errors in the GPX.',
    }),
  ),
  unreadable: Type.Optional(
    Type.String({
      description: 'For the owner: why the GPX cannot be read, if it was stored with GPX_CHECK=off.',
    }),
  ),
}

export const RouteSummary = Type.Object(shown, { ...strict, title: 'RouteSummary' })
export type RouteSummary = Static<typeof RouteSummary>

export const Route = Type.Object(
  {
    ...shown,
    gpx: Type.String({
      description:
        'For the owner, the document as it was sent, byte for byte; for others, the same as the export: the clipped line with what the owner shares.',
    }),
  },
  { ...strict, title: 'Route' },
)
export type Route = Static<typeof Route>

export const RouteOverview = Type.Object(
  {
    ...shown,
    line: Type.Array(Type.Array(Type.Array(Type.Number(), { minItems: 2, maxItems: 2 })), {
      description:
        'Outline: up to 300 points [longitude, latitude] of its lines. The exports have all points.',
    }),
    profile: Type.Array(
      Type.Object(
        { miles: Type.Number(), elevation: Type.Number() },
        { ...strict, title: 'RouteProfilePoint' },
      ),
      { description: 'Up to 300 points with the elevation in metres; empty without elevations.' },
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
    description: 'Miles. If null, 0 or omitted, it is computed from the GPX.',
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
      description: 'For visibility link: true creates a new link. The old one stops working.',
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
          file: Type.String({ description: 'Name of the uploaded file.' }),
          routeID: Type.Optional(Type.Integer()),
          name: Type.Optional(Type.String({ description: 'Name of the new route.' })),
          duplicates: Type.Optional(
            Type.Array(Type.Integer(), { description: 'Your other routes with exactly the same points.' }),
          ),
          warnings: Type.Optional(Type.Array(warning)),
          problem: Type.Optional(
            Type.Object(
              { type: Type.String(), title: Type.String(), status: Type.Integer(), detail: Type.String() },
              { ...strict, description: 'Why no route was created from this file.' },
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
    description: 'Visible only to you; at most 200 characters.',
    ...openapiOnly({ maxLength: 200 }),
  }),
  lat: Type.Number({ minimum: -90, maximum: 90, description: 'Latitude of the centre (WGS84).' }),
  lon: Type.Number({ minimum: -180, maximum: 180 }),
  radius: Type.Number({ minimum: minZoneRadius, maximum: maxZoneRadius, description: 'Radius in metres.' }),
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
    createdAt: timestamp('When it was created (UTC).'),
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
          maxRadius: Type.Number({
            description: 'Largest radius of a zone that this entry applies to, in metres.',
          }),
          added: Type.Number({
            description: 'Metres added to the radius of the zone for the hidden circle.',
          }),
        },
        strict,
      ),
      {
        description:
          'What a new zone of the account would hide, smallest zones first: the first entry whose maxRadius is not below the radius applies.',
      },
    ),
  },
  { ...strict, title: 'ZoneSet' },
)
export type ZoneSet = Static<typeof ZoneSet>
