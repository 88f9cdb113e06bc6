// TileJSON 3: describes the vector tiles for a map.
import type { TileJson } from '../shared/v2/map-schemas.ts'

/** Beyond this zoom a map enlarges the tiles: a dot is then some centimetres wide. */
const enoughZoom = 18
const maxLatitude = 85.0511

const layerOf = (id: string, description: string, fields: Record<string, string>) => ({
  id,
  description,
  minzoom: 0,
  maxzoom: enoughZoom,
  fields,
})

/** @param apiKey from the query: without it in the tile URLs, the map would get no tiles. */
export function describeTiles(publicUrl: string, apiKey: string | undefined): TileJson {
  const query = apiKey === undefined ? '' : `?api_key=${encodeURIComponent(apiKey)}`
  return {
    tilejson: '3.0.0',
    name: 'Waymark',
    scheme: 'xyz',
    tiles: [`${publicUrl}/v2/tiles/{z}/{x}/{y}.mvt${query}`],
    minzoom: 0,
    maxzoom: enoughZoom,
    bounds: [-180, -maxLatitude, 180, maxLatitude],
    vector_layers: [
      layerOf('photos', 'Listed photos.', {
        imageID: 'Number',
        trailID: 'Number',
        trailName: 'String',
        title: 'String',
      }),
      layerOf('routes', 'Public routes, clipped by the privacy zones of their owners.', {
        routeID: 'Number',
        acctID: 'Number',
        displayName: 'String',
        name: 'String',
        lengthMiles: 'Number',
      }),
      layerOf('trails', 'The lines of trails.', { trailID: 'Number', name: 'String' }),
    ],
  }
}
