// Materials and lighting of the ground: rock, grass, sand, snow, trees, and the trail.
import type { Seen } from './air.ts'
import { brighten, newPaint, tint, type Paint, type Rgb } from './colour.ts'
import { newTreeProbe, readTree } from './forest.ts'
import { sunDirection, type Light } from './light.ts'
import { tuftLuck } from './meadow.ts'
import { again, clamp, hash, newProbe, smoothstep, type Noise, type NoiseProbe } from './noise.ts'
import { castShadows, cellMetres, gridSize, mirrored, type Terrain } from './terrain.ts'
import { surfaces, type Land } from './view.ts'

export interface Cover {
  readonly rock: Rgb
  readonly darkRock: Rgb
  readonly soil: Rgb
  readonly grass: Rgb
  readonly dryGrass: Rgb
  readonly sand: Rgb
  /** Colours of flowers in the grass, if any. */
  readonly flowers: readonly Rgb[]
  /** Colours of crowns; each tree has one. */
  readonly leaves: readonly [Rgb, ...Rgb[]]
  /** Elevation of the snow line in metres. */
  readonly snowline: number
  /** Thickness of coloured rock layers in metres; 0 for none. */
  readonly layer: number
  /** Minimum levelness of green ground: 1 is level, 0 vertical. */
  readonly greenFrom: number
}

const pathColour: Rgb = [0.4, 0.32, 0.23]
const snowColour: Rgb = [0.84, 0.88, 0.94]

/** A point of the land as seen in a pixel. */
export interface Spot extends Seen {
  /** One of `surfaces`. */
  kind: number
  /** Elevation of the bare ground in metres. */
  base: number
  /** Metres from the centre of the trail. */
  fromTrail: number
}

/** Slope and sunlight at each grid point: four numbers per point, so that one lookup finds them all. */
function gridOf(terrain: Terrain, sun: readonly [number, number, number]): Float32Array {
  const { heights } = terrain
  const shadows = castShadows(terrain, sun)
  const grid = new Float32Array(gridSize * gridSize * 4)
  const fillRow = (y: number): void => {
    const row = y * gridSize
    const above = Math.max(0, y - 1) * gridSize
    const below = Math.min(gridSize - 1, y + 1) * gridSize
    for (let x = 0; x < gridSize; x += 1) {
      const east = heights[row + Math.min(gridSize - 1, x + 1)] ?? 0
      const west = heights[row + Math.max(0, x - 1)] ?? 0
      const at = (row + x) * 4
      grid[at] = (east - west) / (2 * cellMetres)
      grid[at + 1] = ((heights[below + x] ?? 0) - (heights[above + x] ?? 0)) / (2 * cellMetres)
      grid[at + 2] = shadows[row + x] ?? 1
    }
  }
  for (let y = 0; y < gridSize; y += 1) fillRow(y)
  return grid
}

export function createGround({ terrain, forest }: Land, land: Cover, light: Light, noise: Noise) {
  const sun = sunDirection(light)
  const grid = gridOf(terrain, sun)
  const tree = newTreeProbe()
  const broad = newProbe()
  const patch = newProbe()
  const fine = newProbe()
  const streak = newProbe()
  /** Colour of the surface, without lighting. */
  const albedo = newPaint()
  /** Slope to the east and to the south, and the share of sunlight. */
  const lie = { east: 0, south: 0, open: 0 }

  function readGrid({ x, y }: Spot): void {
    const gx = x / cellMetres
    const gy = y / cellMetres
    const floorX = Math.floor(gx)
    const floorY = Math.floor(gy)
    const u = gx - floorX
    const v = gy - floorY
    const row = mirrored(floorY) * gridSize
    const nextRow = mirrored(floorY + 1) * gridSize
    const left = mirrored(floorX)
    const right = mirrored(floorX + 1)
    const a = (row + left) * 4
    const b = (row + right) * 4
    const c = (nextRow + left) * 4
    const d = (nextRow + right) * 4
    const shareA = (1 - u) * (1 - v)
    const shareB = u * (1 - v)
    const shareC = (1 - u) * v
    const shareD = u * v
    // Inlined: a nested function would keep these values on the heap.
    lie.east =
      (grid[a] ?? 0) * shareA + (grid[b] ?? 0) * shareB + (grid[c] ?? 0) * shareC + (grid[d] ?? 0) * shareD
    lie.south =
      (grid[a + 1] ?? 0) * shareA +
      (grid[b + 1] ?? 0) * shareB +
      (grid[c + 1] ?? 0) * shareC +
      (grid[d + 1] ?? 0) * shareD
    lie.open =
      (grid[a + 2] ?? 0) * shareA +
      (grid[b + 2] ?? 0) * shareB +
      (grid[c + 2] ?? 0) * shareC +
      (grid[d + 2] ?? 0) * shareD
  }

  function readNoise(probe: NoiseProbe, { x, y }: Spot, scale: number): void {
    probe.x = x * scale
    probe.y = y * scale
    noise.read(probe)
  }

  /** @returns the share of skylight that reaches the spot. */
  function paintTree({ x, y, z, base }: Spot): number {
    tree.x = x
    tree.y = y
    readTree(forest, tree)
    const { luck } = tree
    const twig = hash(Math.floor(x * 3), Math.floor(y * 3), Math.floor(z * 3))
    const [first] = land.leaves
    tint(albedo, land.leaves[Math.floor(again(luck, 6_007) * land.leaves.length)] ?? first, 1)
    brighten(albedo, 0.55 + 0.35 * again(luck, 31) + 0.5 * twig)
    if (z > land.snowline - 80) tint(albedo, snowColour, 0.75 * twig)
    lie.east = -1.1 * tree.east
    lie.south = -1.1 * tree.south
    const up = clamp((z - base) / Math.max(3, tree.tall))
    if (forest.isSpire) return 0.25 + 0.75 * up
    // Below a round crown there is shade, and the trunk.
    const crown = smoothstep(0.1, 0.42, up)
    tint(albedo, land.darkRock, 0.6 * (1 - crown))
    return 0.12 + 0.43 * crown + 0.45 * up * crown
  }

  function paintRock({ x, y, z }: Spot, flatness: number): void {
    streak.x = (x + y) * 0.31
    streak.y = (x - y) * 0.31 + z * 0.07
    noise.read(streak)
    tint(albedo, land.rock, 1)
    tint(albedo, land.darkRock, clamp(0.4 + 0.5 * broad.value + 0.5 * patch.value + 0.9 * streak.value))
    if (land.layer > 0) {
      const layer = (z + 6 * broad.value) / land.layer
      const level = Math.floor(layer)
      tint(albedo, land.soil, 0.8 * hash(level, 3, 9) * smoothstep(0, 0.12, layer - level))
    }
    if (flatness > 0.48) tint(albedo, land.soil, 0.8 * smoothstep(0.55, 0.75, flatness + 0.08 * patch.value))
  }

  /** A tuft of grass, lighter at its tips. Some are flowers. */
  function paintTuft({ x, y, z, base }: Spot): void {
    const rise = z - base
    const luck = tuftLuck(x, y)
    tint(albedo, land.grass, 0.6 * (1 - luck))
    tint(albedo, land.dryGrass, 0.5 * luck)
    brighten(albedo, Math.min(1.5, 0.55 + rise * 3.2) * (0.75 + 0.5 * luck))
    const { flowers } = land
    if (luck > 0.965 && rise > 0.15 && flowers.length > 0)
      tint(albedo, flowers[Math.floor(luck * 5_000) % flowers.length] ?? land.dryGrass, 0.9)
  }

  function paintGround(spot: Spot, flatness: number): void {
    const { z, distance, fromTrail } = spot
    readNoise(broad, spot, 0.1)
    readNoise(patch, spot, 0.83)
    const near = distance < 500 ? smoothstep(500, 30, distance) : 0
    if (near > 0) readNoise(fine, spot, 9)
    const close = near * fine.value
    const green = clamp((flatness + 0.09 * broad.value + 0.06 * patch.value - land.greenFrom + 0.1) / 0.16)
    let rough = 0.12 + 0.5 * (1 - flatness)
    if (green < 1) {
      paintRock(spot, flatness)
      rough += 0.3 * streak.value * (1 - green)
    }
    if (green > 0) {
      tint(albedo, land.grass, green)
      tint(albedo, land.dryGrass, green * clamp(0.45 + 0.5 * broad.value + 0.25 * patch.value + 1.3 * close))
      brighten(albedo, Math.max(0.45, 1 + 0.6 * close))
    }
    if (z - spot.base > 0.02) paintTuft(spot)
    const ashore = z - terrain.waterLevel
    if (ashore < 1.6) tint(albedo, land.sand, smoothstep(0.8 + 0.6 * patch.value + 0.3 * close, 0.1, ashore))
    if (fromTrail < 2.5)
      tint(albedo, pathColour, 0.92 * smoothstep(1.15, 0.6, fromTrail + 0.35 * close + 0.25 * patch.value))
    if (z > land.snowline - 300) {
      const height = z + 130 * broad.value + 60 * patch.value
      const settled = smoothstep(0.48, 0.7, flatness + 0.1 * patch.value)
      const bare = smoothstep(0.3, 0.2, z - spot.base) // the tips of the grass stick out of the snow
      tint(albedo, snowColour, bare * settled * smoothstep(land.snowline - 60, land.snowline + 90, height))
    }
    lie.east += rough * patch.acrossSlope + 0.9 * near * fine.acrossSlope
    lie.south += rough * patch.downSlope + 0.9 * near * fine.downSlope
  }

  return {
    /** Paints the spot with its lighting. */
    at: (spot: Spot, paint: Paint): void => {
      readGrid(spot)
      const isTree = spot.kind === surfaces.tree
      let skyShare = 1
      if (isTree) skyShare = paintTree(spot)
      else {
        const flatness = 1 / Math.sqrt(1 + lie.east * lie.east + lie.south * lie.south)
        skyShare = 0.7 + 0.3 * flatness
        paintGround(spot, flatness)
      }
      const { east, south, open } = lie
      const facing = (sun[2] - east * sun[0] - south * sun[1]) / Math.sqrt(1 + east * east + south * south)
      const direct = facing > 0 ? facing * open * (isTree ? 0.35 + 0.65 * skyShare : 1) : 0
      const { zenith, horizon } = light
      paint.red = albedo.red * (direct * light.sun[0] + skyShare * (0.5 * zenith[0] + 0.34 * horizon[0]))
      paint.green = albedo.green * (direct * light.sun[1] + skyShare * (0.5 * zenith[1] + 0.34 * horizon[1]))
      paint.blue = albedo.blue * (direct * light.sun[2] + skyShare * (0.5 * zenith[2] + 0.34 * horizon[2]))
    },
  }
}

export type Ground = ReturnType<typeof createGround>
