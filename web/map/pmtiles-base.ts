// The site's own base map, one file that is read in ranges: Protomaps vector tiles in our own style, or images.
import { addProtocol, type LayerSpecification, type SourceSpecification } from 'maplibre-gl'
import { PMTiles, Protocol, TileType } from 'pmtiles'
import { attributionOf } from './attribution-text.ts'
import type { Base } from './base.ts'
import { areaLayers, buildingLayers } from './style/areas.ts'
import type { MapLook } from './style/look.ts'
import { nameLayers } from './style/names.ts'
import { styleColours } from './style/map-style-colours.ts'
import { borderLayers, wayLayers } from './style/ways.ts'

const protocol = new Protocol()
addProtocol('pmtiles', protocol.tile)

/** Without any of these layers, a vector tile file has another schema, and nothing of it would be drawn. */
const ourLayers: ReadonlySet<unknown> = new Set(['earth', 'roads', 'landuse'])

const images: ReadonlySet<TileType> = new Set([TileType.Png, TileType.Jpeg, TileType.Webp, TileType.Avif])

/** A file that does not list its layers may have ours. */
function hasOurLayers(metadata: unknown): boolean {
  if (typeof metadata !== 'object' || metadata === null || !('vector_layers' in metadata)) return true
  const { vector_layers: layers } = metadata
  if (!Array.isArray(layers) || layers.length === 0) return true
  return layers.some(
    (layer: unknown) =>
      typeof layer === 'object' && layer !== null && 'id' in layer && ourLayers.has(layer.id),
  )
}

function vectorLayers(look: MapLook): readonly LayerSpecification[] {
  const colours = styleColours[look.scheme]
  return [
    ...areaLayers(colours),
    ...buildingLayers(colours),
    ...wayLayers(colours),
    ...borderLayers(colours),
    ...nameLayers(look),
  ]
}

const imageLayers = ({ scheme }: MapLook): readonly LayerSpecification[] => [
  { id: 'background', type: 'background', paint: { 'background-color': styleColours[scheme].land } },
  { id: 'base', type: 'raster', source: 'base' },
]

/**
 * @returns undefined for a file that we cannot draw.
 * @throws if it cannot be read.
 */
export async function readPmtilesBase(address: string): Promise<Base | undefined> {
  const archive = new PMTiles(address)
  protocol.add(archive)
  const [{ tileType, minZoom, maxZoom, minLon, minLat, maxLon, maxLat }, metadata] = await Promise.all([
    archive.getHeader(),
    archive.getMetadata(),
  ])
  const parts = {
    tiles: [`pmtiles://${address}/{z}/{x}/{y}`],
    minzoom: minZoom,
    maxzoom: maxZoom,
    bounds: [minLon, minLat, maxLon, maxLat] as [number, number, number, number],
    attribution: attributionOf(metadata),
  }
  if (images.has(tileType)) {
    const base: SourceSpecification = { type: 'raster', tileSize: 256, ...parts }
    return { sources: { base }, layers: imageLayers, takesRelief: false, isOffline: false }
  }
  if (tileType !== TileType.Mvt || !hasOurLayers(metadata)) return undefined
  return {
    sources: { base: { type: 'vector', ...parts } },
    layers: vectorLayers,
    takesRelief: true,
    isOffline: false,
  }
}
