// TypeBox schemas of what maps show: GeoJSON (RFC 7946) and TileJSON.
import { Type, type Static, type TSchema } from 'typebox'
import { captureSchemas, ImageUrls } from './schemas.ts'
import { strict, timestamp } from './schema-parts.ts'

const position = Type.Array(Type.Number(), {
  title: 'GeoJsonPosition',
  minItems: 2,
  maxItems: 3,
  description: 'Longitude and latitude in degrees (WGS84), and the elevation in metres if known.',
})

const bbox = Type.Optional(
  Type.Array(Type.Number(), { minItems: 4, maxItems: 4, description: 'West, south, east, north.' }),
)

const point = Type.Object({ type: Type.Literal('Point'), coordinates: position }, strict)
const lineString = Type.Object(
  { type: Type.Literal('LineString'), coordinates: Type.Array(position) },
  strict,
)
const multiLineString = Type.Object(
  { type: Type.Literal('MultiLineString'), coordinates: Type.Array(Type.Array(position)) },
  strict,
)

function collection(properties: TSchema, geometry: TSchema, title: string) {
  const feature = Type.Object({ type: Type.Literal('Feature'), properties, geometry }, strict)
  return Type.Object(
    { type: Type.Literal('FeatureCollection'), bbox, features: Type.Array(feature) },
    { ...strict, title },
  )
}

/** The export of a route: its lines, then its waypoints. */
export const RouteGeoJson = collection(
  Type.Object(
    {},
    {
      description:
        'For the route, coordTimes and coordinateProperties (heart, cadences, atemps, powers), in the shape of the coordinates, if known; for a waypoint, name, cmt, desc, sym, type, time and links.',
    },
  ),
  Type.Union([lineString, multiLineString, point, Type.Null()]),
  'RouteGeoJson',
)

export const ImageProperties = Type.Object(
  {
    imageID: Type.Integer(),
    trailID: Type.Integer(),
    title: Type.String(),
    caption: Type.String(),
    displayName: Type.String({ description: 'Display name of the account that uploaded it.' }),
    postedAt: timestamp('When it was uploaded (UTC).'),
    urls: ImageUrls,
    ...captureSchemas,
  },
  strict,
)
export type ImageProperties = Static<typeof ImageProperties>

/** The listed images of a trail; where the position is not known, the geometry is null. */
export const ImageGeoJson = collection(ImageProperties, Type.Union([point, Type.Null()]), 'ImageGeoJson')

const vectorLayer = Type.Object(
  {
    id: Type.String(),
    description: Type.String(),
    minzoom: Type.Integer(),
    maxzoom: Type.Integer(),
    fields: Type.Record(Type.String(), Type.String(), { description: 'Properties of each feature.' }),
  },
  strict,
)

export const TileJson = Type.Object(
  {
    tilejson: Type.Literal('3.0.0'),
    name: Type.String(),
    scheme: Type.Literal('xyz'),
    tiles: Type.Array(Type.String(), { description: 'URL templates with {z}, {x} and {y}.' }),
    minzoom: Type.Integer(),
    maxzoom: Type.Integer(),
    bounds: Type.Array(Type.Number(), { minItems: 4, maxItems: 4 }),
    vector_layers: Type.Array(vectorLayer),
  },
  { ...strict, title: 'TileJson' },
)
export type TileJson = Static<typeof TileJson>
