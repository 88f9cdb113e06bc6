// Forests: positions of trees, and their height at a point.
import { again, hash, newProbe, smoothstep, type Noise } from './noise.ts'
import { cellMetres, gridSize, mirrored, type Terrain } from './terrain.ts'

/** Metres between trees. */
const spacing = 6.5
/** Sizes of boughs and of tufts of twigs, in metres. They keep crowns from looking perfectly round. */
const bough = 1.15
const tuft = 0.4

export interface Woods {
  /** Lowest elevation of trees, and where they thin out, in metres. */
  readonly from: number
  readonly treeline: number
  /** Maximum slope with trees, as rise over run. */
  readonly steepest: number
  /** −1 … 1: how much of the suitable ground is covered. */
  readonly amount: number
  readonly crown: 'spire' | 'dome'
  /** Height of the tallest tree in metres. */
  readonly tallest: number
}

export interface Forest {
  /** Probability of a tree at a grid point. */
  readonly density: Float32Array
  readonly isSpire: boolean
  readonly tallest: number
}

export function growForest({ heights, waterLevel }: Terrain, woods: Woods, noise: Noise): Forest {
  const density = new Float32Array(gridSize * gridSize)
  const probe = newProbe()
  const growRow = (y: number): void => {
    for (let x = 1; x < gridSize - 1; x += 1) {
      const index = y * gridSize + x
      const height = heights[index] ?? 0
      if (height < waterLevel + 2.5 || height < woods.from || height > woods.treeline + 250) continue
      const slopeX = (heights[index + 1] ?? 0) - (heights[index - 1] ?? 0)
      const slopeY = (heights[index + gridSize] ?? 0) - (heights[index - gridSize] ?? 0)
      const slope = Math.sqrt(slopeX * slopeX + slopeY * slopeY) / (2 * cellMetres)
      probe.x = x * 1.17
      probe.y = y * 1.17
      noise.read(probe)
      density[index] =
        smoothstep(woods.treeline + 60, woods.treeline - 140, height + 120 * probe.value) *
        smoothstep(woods.steepest, woods.steepest - 0.3, slope) *
        smoothstep(-0.25, 0.2, probe.value + woods.amount)
    }
  }
  for (let y = 1; y < gridSize - 1; y += 1) growRow(y)
  return { density, isSpire: woods.crown === 'spire', tallest: woods.tallest }
}

/** A point and the tree there: the tree's random properties, and the point's position on its crown. */
export interface TreeProbe {
  x: number
  y: number
  /** Metres of crown above the ground at the point. If 0, there is no tree, and the other fields are meaningless. */
  rise: number
  /** 0 … 1, the same for the whole tree. */
  luck: number
  /** Height of the tree in metres. */
  tall: number
  /** Offset from the trunk, in crown radii. */
  east: number
  south: number
  /** Position of its trunk. */
  trunkX: number
  trunkY: number
}

export const newTreeProbe = (): TreeProbe => ({
  x: 0,
  y: 0,
  rise: 0,
  luck: 0,
  tall: 0,
  east: 0,
  south: 0,
  trunkX: 0,
  trunkY: 0,
})

/** Reads the tree at `x` and `y` into the other fields. */
export function readTree({ density, isSpire, tallest }: Forest, probe: TreeProbe): void {
  const { x, y } = probe
  probe.rise = 0
  const row = mirrored(Math.floor(y / cellMetres))
  const chance = density[row * gridSize + mirrored(Math.floor(x / cellMetres))] ?? 0
  if (chance <= 0) return
  const cellY = Math.floor(y / spacing)
  const shift = hash(cellY, 0, 41) // shifts each row, to avoid visible alleys
  const cellX = Math.floor(x / spacing + shift)
  const luck = hash(cellX, cellY, 77)
  if (luck >= chance) return
  const size = again(luck, 7_919)
  const radius = spacing * (0.36 + 0.2 * size)
  const trunkX = (cellX - shift + 0.35 + 0.3 * size) * spacing
  const trunkY = (cellY + 0.35 + 0.3 * again(luck, 104_729)) * spacing
  const east = (x - trunkX) / radius
  const south = (y - trunkY) / radius
  const ragged =
    0.3 * (hash(Math.floor(x / tuft), Math.floor(y / tuft), 3) - 0.5) +
    (isSpire ? 0.1 : 0.3) * (hash(Math.floor(x / bough), Math.floor(y / bough), 4) - 0.5)
  const outward = Math.sqrt(east * east + south * south) + ragged
  if (outward >= 1) return
  const inward = outward < 0 ? 1 : 1 - outward
  probe.luck = luck
  probe.tall = tallest * (0.45 + 0.55 * size)
  probe.east = east
  probe.south = south
  probe.trunkX = trunkX
  probe.trunkY = trunkY
  probe.rise = probe.tall * (isSpire ? inward : 0.3 + 0.7 * Math.sqrt(inward * (2 - inward)) + 0.3 * ragged)
}
