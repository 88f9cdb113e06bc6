// The relief of a map: hillshade, and contour lines in metres or feet, from a terrain archive of this server. In its
// own chunk, loaded if there is such an archive.
import {
  addProtocol,
  type AddProtocolAction,
  type ExpressionSpecification,
  type LayerSpecification,
  type SourceSpecification,
} from 'maplibre-gl'
import type { MapLook } from '../style/look.ts'
import { styleColours } from '../style/map-style-colours.ts'
import { fonts } from '../style/map-text.ts'
import { createAskRelief } from './ask-relief.ts'
import { contourSteps, heightProperty, perMetre } from './contour-steps.ts'

export interface Relief {
  readonly sources: (look: MapLook) => Readonly<Record<string, SourceSpecification>>
  /** Hillshade and lines, below roads. */
  readonly layers: (look: MapLook) => readonly LayerSpecification[]
  /** Elevation labels of index contours, above roads. */
  readonly nameLayers: (look: MapLook) => readonly LayerSpecification[]
  /** IDs of the contour layers, which depend on the units. */
  readonly contourTiles: (look: MapLook) => string[]
}

const minContourZoom = 10
/** At higher zoom, its lines are scaled up. */
const maxContourZoom = 15

const relief = createAskRelief()

function placeIn(url: string) {
  const { pathname, searchParams } = new URL(url)
  const [, z = '', x = '', y = ''] = pathname.split('/')
  return { z: Number(z), x: Number(x), y: Number(y), address: searchParams.get('file') ?? '' }
}

/** Like a 404: nothing is drawn there, and no error is reported. */
const nothingThere = (): Error => Object.assign(new Error('no such tile'), { status: 404 })

const heights: AddProtocolAction = async ({ url }, { signal }) => {
  const bytes = await relief.bytes({ ask: 'heights', ...placeIn(url) }, signal)
  if (bytes === undefined) throw nothingThere()
  return { data: bytes }
}

const contours: AddProtocolAction = async ({ url }, { signal }) => {
  const units = url.startsWith('contours://miles') ? 'miles' : 'kilometres'
  const place = placeIn(url)
  const question = {
    ask: 'contours',
    steps: contourSteps(units, place.z),
    perMetre: perMetre[units],
    heightProperty: heightProperty[units],
  } as const
  return { data: (await relief.bytes({ ...question, ...place }, signal)) ?? new ArrayBuffer() }
}

addProtocol('heights', heights)
addProtocol('contours', contours)

function reliefLayers({ scheme }: MapLook): readonly LayerSpecification[] {
  const { shade, light, contour } = styleColours[scheme]
  const isStrong: ExpressionSpecification = ['==', ['get', 'level'], 1]
  return [
    {
      id: 'shade',
      type: 'hillshade',
      source: 'heights',
      paint: {
        'hillshade-method': 'standard',
        'hillshade-shadow-color': shade,
        'hillshade-accent-color': shade,
        'hillshade-highlight-color': light,
        'hillshade-exaggeration': ['interpolate', ['linear'], ['zoom'], 4, 0.25, 11, 0.4, 16, 0.2],
      },
    },
    {
      id: 'contours',
      type: 'line',
      source: 'contours',
      'source-layer': 'contours',
      layout: { 'line-join': 'round' },
      paint: {
        'line-color': contour,
        'line-width': ['case', isStrong, 1.3, 0.6],
        'line-opacity': ['case', isStrong, 0.8, 0.6],
      },
    },
  ]
}

function heightNames({ scheme, language }: MapLook): readonly LayerSpecification[] {
  const { contourName, halo } = styleColours[scheme]
  const { kilometres: metres, miles: feet } = heightProperty
  const written = (property: string, unit: string): ExpressionSpecification => [
    'concat',
    ['number-format', ['get', property], { locale: language }],
    unit,
  ]
  return [
    {
      id: 'contour-names',
      type: 'symbol',
      source: 'contours',
      'source-layer': 'contours',
      minzoom: 11,
      filter: ['==', ['get', 'level'], 1],
      layout: {
        'symbol-placement': 'line',
        'symbol-spacing': 260,
        'text-max-angle': 40,
        // The same in all units: a layout that changed with the tiles would be applied to the former ones first.
        'text-field': ['case', ['has', feet], written(feet, ' ft'), written(metres, ' m')],
        'text-font': fonts.plain,
        'text-size': 10.5,
        'text-padding': 8,
      },
      paint: { 'text-color': contourName, 'text-halo-color': halo, 'text-halo-width': 1.4 },
    },
  ]
}

/** @throws if the archive cannot be read, or has no elevations. */
export async function openRelief(address: string): Promise<Relief> {
  const { minZoom, maxZoom, tileSize, bounds, attribution } = await relief.facts(address)
  const file = `file=${encodeURIComponent(address)}`
  const box: [number, number, number, number] = [...bounds]
  const contourTiles = ({ units }: MapLook): string[] => [`contours://${units}/{z}/{x}/{y}?${file}`]
  return {
    contourTiles,
    sources: (look) => ({
      heights: {
        type: 'raster-dem',
        encoding: 'terrarium',
        tiles: [`heights://tile/{z}/{x}/{y}?${file}`],
        tileSize,
        minzoom: minZoom,
        maxzoom: maxZoom,
        bounds: box,
        attribution,
      },
      contours: {
        type: 'vector',
        tiles: contourTiles(look),
        minzoom: Math.max(minZoom, minContourZoom),
        maxzoom: Math.max(minZoom, minContourZoom, maxContourZoom),
        bounds: box,
      },
    }),
    layers: reliefLayers,
    nameLayers: heightNames,
  }
}
