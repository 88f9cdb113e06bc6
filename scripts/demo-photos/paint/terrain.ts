// The terrain of the demo trails: elevations in metres on a grid, from noise that looks eroded.
import { clamp, hash, mix, smoothstep } from './noise.ts'

export const landNames = ['alps', 'lake', 'canyon', 'fjord'] as const
export type LandName = (typeof landNames)[number]

export const gridSize = 768
/** Metres between grid points. */
export const cellMetres = 13

export interface Terrain {
  readonly heights: Float32Array
  readonly highest: number
  /** Elevation of the water surface in metres; below all land if there is none. */
  readonly waterLevel: number
}

/**
 * Fractal noise whose octaves fade on steep ground, so that ridges stay sharp and valleys smooth. After Inigo Quilez,
 * "Value noise derivatives".
 */
function eroded(x: number, y: number, octaves: number, seed: number): number {
  let sum = 0
  let amplitude = 1
  let slopeX = 0
  let slopeY = 0
  let px = x
  let py = y
  for (let octave = 0; octave < octaves; octave += 1) {
    const cellX = Math.floor(px)
    const cellY = Math.floor(py)
    const fx = px - cellX
    const fy = py - cellY
    const u = fx * fx * (3 - 2 * fx)
    const v = fy * fy * (3 - 2 * fy)
    const a = hash(cellX, cellY, seed)
    const b = hash(cellX + 1, cellY, seed)
    const c = hash(cellX, cellY + 1, seed)
    const twist = a - b - c + hash(cellX + 1, cellY + 1, seed)
    slopeX += 6 * fx * (1 - fx) * (b - a + twist * v)
    slopeY += 6 * fy * (1 - fy) * (c - a + twist * u)
    sum +=
      (amplitude * (a + (b - a) * u + (c - a) * v + twist * u * v)) / (1 + slopeX * slopeX + slopeY * slopeY)
    amplitude *= 0.5
    // Rotated between octaves, to hide the grid.
    const turned = 1.6 * px - 1.2 * py
    py = 1.2 * px + 1.6 * py
    px = turned
  }
  return sum
}

/** Rock layers of different hardness: steps with steep faces. */
function terrace(height: number, step: number, sharpness: number): number {
  const level = Math.floor(height / step)
  const within = height / step - level
  return (level + mix(within, smoothstep(0.5 - sharpness, 0.5 + sharpness, within), 0.85)) * step
}

interface Relief {
  readonly waterLevel: number
  /** Elevation in metres at a point in kilometres. */
  readonly height: (x: number, y: number) => number
}

const reliefs: Readonly<Record<LandName, Relief>> = {
  alps: {
    waterLevel: 210,
    height: (x, y) => {
      const broad = eroded(x * 0.22, y * 0.22, 3, 18)
      return 1900 * eroded(x * 0.62, y * 0.62, 9, 11) * smoothstep(0.15, 1.1, broad) + 160 * broad
    },
  },
  lake: {
    waterLevel: 118,
    height: (x, y) => {
      const broad = eroded(x * 0.3, y * 0.3, 3, 8)
      return 420 * broad * mix(0.55, 1, eroded(x * 0.9, y * 0.9, 6, 5)) + 60 * eroded(x * 1.7, y * 1.7, 5, 6)
    },
  },
  canyon: {
    waterLevel: -1,
    height: (x, y) => {
      const broad = eroded(x * 0.55, y * 0.55, 7, 23)
      const raised = 900 * smoothstep(0.35, 1.15, broad) + 70 * broad
      return terrace(raised, 130, 0.16) + 26 * eroded(x * 4, y * 4, 4, 25)
    },
  },
  fjord: {
    waterLevel: 60,
    height: (x, y) => {
      const broad = eroded(x * 0.25, y * 0.25, 4, 31)
      return 1500 * smoothstep(0.3, 1.2, broad) * mix(0.5, 1, eroded(x * 0.8, y * 0.8, 8, 35)) + 40 * broad
    },
  },
}

export function buildTerrain(land: LandName): Terrain {
  const { waterLevel, height } = reliefs[land]
  const heights = new Float32Array(gridSize * gridSize)
  const scale = cellMetres / 1000
  const raiseRow = (y: number): void => {
    for (let x = 0; x < gridSize; x += 1) heights[y * gridSize + x] = height(x * scale, y * scale)
  }
  for (let y = 0; y < gridSize; y += 1) raiseRow(y)
  const highest = heights.reduce((max, metres) => Math.max(max, metres))
  return { heights, highest, waterLevel }
}

/** The land is mirrored beyond its edges, so that no view ends at one. */
export function mirrored(index: number): number {
  if (index >= 0 && index < gridSize) return index
  const period = 2 * gridSize
  const wrapped = ((index % period) + period) % period
  return wrapped < gridSize ? wrapped : period - 1 - wrapped
}

/** A point on the map in metres, and its elevation. Reused for the reason given in colour.ts. */
export interface Place {
  x: number
  y: number
  level: number
}

/** Near the grid's edges and beyond them. */
function readBeyond({ heights }: Terrain, place: Place): void {
  const gx = place.x / cellMetres
  const gy = place.y / cellMetres
  const floorX = Math.floor(gx)
  const floorY = Math.floor(gy)
  const row = mirrored(floorY) * gridSize
  const nextRow = mirrored(floorY + 1) * gridSize
  const left = mirrored(floorX)
  const right = mirrored(floorX + 1)
  const top = mix(heights[row + left] ?? 0, heights[row + right] ?? 0, gx - floorX)
  const bottom = mix(heights[nextRow + left] ?? 0, heights[nextRow + right] ?? 0, gx - floorX)
  place.level = mix(top, bottom, gy - floorY)
}

/** Reads the elevation of the bare ground at `x` and `y` into `level`. */
export function readLevel(terrain: Terrain, place: Place): void {
  const gx = place.x / cellMetres
  const gy = place.y / cellMetres
  if (gx >= 0 && gy >= 0 && gx < gridSize - 1 && gy < gridSize - 1) {
    const { heights } = terrain
    const column = Math.floor(gx)
    const row = Math.floor(gy)
    const at = row * gridSize + column
    const a = heights[at] ?? 0
    const c = heights[at + gridSize] ?? 0
    const top = a + ((heights[at + 1] ?? 0) - a) * (gx - column)
    place.level = top + (c + ((heights[at + gridSize + 1] ?? 0) - c) * (gx - column) - top) * (gy - row)
  } else readBeyond(terrain, place)
}

/** Share of sunlight at each grid point, 0 … 1, in one sweep away from the sun. */
export function castShadows({ heights }: Terrain, sun: readonly [number, number, number]): Float32Array {
  const light = new Float32Array(gridSize * gridSize)
  const [sunX, sunY, sunUp] = sun
  const isAlongX = Math.abs(sunX) > Math.abs(sunY)
  const major = isAlongX ? sunX : sunY
  const drift = (isAlongX ? sunY : sunX) / Math.abs(major)
  const drop = (sunUp * cellMetres) / Math.abs(major)

  /** From the heights of the shadow edge over the previous line, `above`, to those over this one, `next`. */
  function sweep(line: number, above: Float32Array, next: Float32Array): void {
    for (let side = 0; side < gridSize; side += 1) {
      const source = clamp(side + drift, 0, gridSize - 1.001)
      const floor = Math.floor(source)
      const edge = mix(above[floor] ?? 0, above[floor + 1] ?? 0, source - floor) - drop
      const index = isAlongX ? side * gridSize + line : line * gridSize + side
      const ground = heights[index] ?? 0
      light[index] = 1 - smoothstep(-2, 14, edge - ground)
      next[side] = edge > ground ? edge : ground
    }
  }

  let above = new Float32Array(gridSize).fill(-1e6)
  let next = new Float32Array(gridSize)
  for (let line = 0; line < gridSize; line += 1) {
    sweep(major > 0 ? gridSize - 1 - line : line, above, next)
    ;[above, next] = [next, above]
  }
  return light
}
