// A site with generated map and terrain files around the Rim Trail: a valley with a lake and a river, roads of each
// class, paths, a track, steps, a peak and a village.
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Feature, Geometry, Position } from 'geojson'
import type { Page } from 'playwright-core'
import { terrainArchive, vectorArchive, type Box, type Layers } from '../helpers/map-archives.ts'
import type { Waymark } from '../helpers/waymark.ts'
import { evaluate } from './harness.ts'

export const region: Box = [6.94, 45.96, 7.12, 46.05]
const [west, south, east, north] = region

type Tags = Readonly<Record<string, string | number | boolean>>

const feature = (geometry: Geometry, properties: Tags): Feature => ({ type: 'Feature', properties, geometry })
const line = (coordinates: Position[], tags: Tags): Feature =>
  feature({ type: 'LineString', coordinates }, tags)
const point = (lon: number, lat: number, tags: Tags): Feature =>
  feature({ type: 'Point', coordinates: [lon, lat] }, tags)
const area = (corners: Position[], tags: Tags): Feature =>
  feature({ type: 'Polygon', coordinates: [[...corners, corners[0] ?? []]] }, tags)
const box = ([left, low, right, high]: Box, tags: Tags): Feature =>
  area(
    [
      [left, low],
      [right, low],
      [right, high],
      [left, high],
    ],
    tags,
  )

const across = (lat: number, wave: number, tags: Tags): Feature =>
  line(
    Array.from({ length: 90 }, (_, at) => [west + at * 0.002, lat + wave * Math.sin(at / 6)]),
    tags,
  )
const round = (lon: number, lat: number, radius: number): Position[] =>
  Array.from({ length: 40 }, (_, at) => [
    lon + radius * 1.4 * Math.cos((at / 40) * 2 * Math.PI) * (1 + 0.15 * Math.sin(at)),
    lat + radius * Math.sin((at / 40) * 2 * Math.PI),
  ])

export const layers: Layers = {
  earth: [box([west - 1, south - 1, east + 1, north + 1], { kind: 'earth' })],
  landcover: [box([west - 1, south - 1, east + 1, north + 1], { kind: 'grassland' })],
  landuse: [
    area(round(7.005, 46.018, 0.012), { kind: 'forest' }),
    area(round(7.06, 45.99, 0.014), { kind: 'wood' }),
    area(round(7.07, 46.02, 0.012), { kind: 'nature_reserve', name: 'High Moor' }),
    box([7.028, 45.988, 7.042, 45.996], { kind: 'residential' }),
    area(round(7.0, 45.985, 0.006), { kind: 'farmland' }),
  ],
  water: [
    area(round(7.03, 46.022, 0.006), { kind: 'lake' }),
    point(7.03, 46.022, { kind: 'lake', name: 'Still Lake', 'name:de': 'Stiller See' }),
    across(45.999, 0.001, { kind: 'river', name: 'Long River', 'name:de': 'Langer Fluss' }),
    line(
      [
        [7.03, 46.016],
        [7.028, 46.008],
        [7.031, 46.0],
      ],
      { kind: 'stream' },
    ),
  ],
  roads: [
    across(45.975, 0.0006, { kind: 'highway', kind_detail: 'motorway', name: 'Motorway' }),
    across(45.993, 0.0008, { kind: 'major_road', kind_detail: 'primary', name: 'Valley Road' }),
    line(
      [
        [7.035, 45.985],
        [7.036, 46.0],
      ],
      { kind: 'minor_road', kind_detail: 'residential', name: 'Church Lane' },
    ),
    line(
      [
        [7.03, 45.991],
        [7.041, 45.99],
      ],
      { kind: 'minor_road', kind_detail: 'service' },
    ),
    line(
      [
        [7.0, 46.003],
        [7.012, 46.012],
        [7.025, 46.02],
        [7.05, 46.025],
      ],
      { kind: 'path', kind_detail: 'path', name: 'Marmot Path' },
    ),
    line(
      [
        [7.036, 46.0],
        [7.05, 46.012],
        [7.075, 46.015],
      ],
      { kind: 'path', kind_detail: 'track' },
    ),
    line(
      [
        [7.025, 46.0],
        [7.0245, 46.004],
      ],
      { kind: 'path', kind_detail: 'steps' },
    ),
    across(45.98, 0.0003, { kind: 'rail' }),
  ],
  boundaries: [across(46.04, 0.003, { kind: 'country', kind_detail: 2 })],
  buildings: Array.from({ length: 24 }, (_, at) => {
    const [left, low] = [7.03 + (at % 8) * 0.0013, 45.989 + Math.floor(at / 8) * 0.002]
    return box([left, low, left + 0.0005, low + 0.0004], { kind: 'building' })
  }),
  places: [
    point(7.035, 45.992, {
      kind: 'locality',
      kind_detail: 'village',
      name: 'Oberdorf',
      'name:en': 'Upper Village',
      min_zoom: 9,
      population_rank: 6,
    }),
  ],
  pois: [
    point(7.055, 46.03, { kind: 'peak', name: 'Grey Peak', elevation: 2_417 }),
    point(6.99, 46.03, { kind: 'peak', name: 'Nameless Top', elevation: '2198' }),
  ],
}

/** Metres: the valley rises to the north, with ridges across it. */
export const heightAt = (lon: number, lat: number): number =>
  1_000 + (lat - 46) * 24_000 + 220 * Math.sin((lon - 7) * 130) * Math.cos((lat - 46) * 150)

export interface MapFiles {
  readonly base?: Buffer
  readonly terrain?: Buffer
}

/** All of them, which takes a few seconds to generate. */
export const makeMapFiles = async (): Promise<Required<MapFiles>> => ({
  base: vectorArchive(layers, region, { attribution: 'Protomaps © OpenStreetMap' }),
  terrain: await terrainArchive(heightAt, region, [8, 12]),
})

/** Served from then on. */
export async function putMapFiles({ dataDir }: Waymark, files: MapFiles): Promise<void> {
  await mkdir(path.join(dataDir, 'map'), { recursive: true })
  for (const [name, bytes] of Object.entries(files))
    await writeFile(path.join(dataDir, 'map', `${name}.pmtiles`), bytes as Buffer)
}

/** The page's map, from the state of its component, since pages do not expose it. */
const findMap = `(() => {
  const element = document.querySelector('.maplibregl-map')
  if (!element) return undefined
  const name = Object.keys(element).find((key) => key.startsWith('__reactFiber'))
  for (let fiber = element[name]; fiber; fiber = fiber.return)
    for (let hook = fiber.memoizedState; hook && typeof hook === 'object'; hook = hook.next)
      if (hook.memoizedState?.ready?.map) return hook.memoizedState.ready.map
  return undefined
})()`

/** @param expression on the variable `map`. */
export const askMap = (page: Page, expression: string): Promise<unknown> =>
  evaluate(page, `(async () => { const map = ${findMap}; return ${expression} })()`)

/** Until the map exists, with hill shading if the site has it. */
export async function waitForMap(page: Page, layer = 'lines'): Promise<void> {
  await page.locator('.maplibregl-map[aria-busy=false]').waitFor()
  const end = Date.now() + 60_000
  while ((await askMap(page, `map?.getLayer(${JSON.stringify(layer)}) !== undefined`)) !== true) {
    if (Date.now() > end) throw new Error(`the map has no layer ${layer}`)
    await page.waitForTimeout(50)
  }
}

/** Until every tile is loaded and drawn. */
export const moveMap = (page: Page, lon: number, lat: number, zoom: number): Promise<unknown> =>
  askMap(
    page,
    `new Promise((resolve) => {
      map.once('idle', () => resolve(true))
      map.jumpTo({ center: [${lon}, ${lat}], zoom: ${zoom} })
      map.triggerRepaint()
    })`,
  )

/** Names and numbers drawn by these layers. */
export const namesOn = async (page: Page, ...ids: readonly string[]): Promise<string[]> =>
  (await askMap(
    page,
    `[...new Set(map.queryRenderedFeatures({ layers: ${JSON.stringify(ids)} }).map(({ properties }) =>
      properties.name ?? String(properties.ele)))].sort()`,
  )) as string[]
