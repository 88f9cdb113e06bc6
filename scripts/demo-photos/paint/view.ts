// Position of a camera, and what each pixel shows: sky, ground, a tree or water, and its distance.
import { newTreeProbe, readTree, type Forest } from './forest.ts'
import { tuftRise, type Meadow } from './meadow.ts'
import { measurePath, type Path } from './path.ts'
import { readLevel, type Place, type Terrain } from './terrain.ts'

export interface Camera {
  /** Metres on the map, east and south of its corner. */
  readonly x: number
  readonly y: number
  /** Metres above the ground, or above the water. */
  readonly lift: number
  /** Degrees clockwise from north. */
  readonly heading: number
  /** Horizontal field of view in degrees. */
  readonly fieldOfView: number
  /** Position of the horizon: 0 at the top, 1 at the bottom. */
  readonly horizon: number
  readonly path?: Path
}

export const surfaces = { sky: 0, ground: 1, tree: 2, water: 3 } as const

export interface Land {
  readonly terrain: Terrain
  readonly forest: Forest
  readonly meadow: Meadow
}

export interface View {
  readonly width: number
  readonly height: number
  /** Metres straight ahead of the camera; 0 for sky. */
  readonly depth: Float32Array
  /** One of `surfaces`. */
  readonly surface: Uint8Array
  /** Elevation of the camera in metres. */
  readonly eye: number
  /** Row of the horizon. */
  readonly horizonRow: number
  /** Pixels per metre at a distance of one metre. */
  readonly focal: number
  /** The directions ahead and to the right, as unit vectors on the map. */
  readonly ahead: readonly [east: number, south: number]
  readonly right: readonly [east: number, south: number]
}

export interface Frame {
  readonly width: number
  readonly height: number
}

const nearestMetres = 1.4
const farthestMetres = 18_000
export const farthestTuft = 70
/** Closer up, the simple shape of trees would show. Farther away, trees are only the colour of the ground. */
const nearestSpire = 40
const nearestDome = 85
const farthestTree = 6_000

/** A step of the walk away from the camera: its position, and what is there. */
interface Step extends Place {
  distance: number
  /** Metres to the right of the view axis. */
  side: number
  /** Everything below this height is hidden. */
  hidden: number
  kind: number
}

/** Finds what is at a step, and stores it in the step itself; see colour.ts. */
function createSurvey({ terrain, forest, meadow }: Land, camera: Camera): (step: Step) => void {
  const { waterLevel } = terrain
  const { x, y, path } = camera
  const fromPath = measurePath(path)
  const nearestTree = forest.isSpire ? nearestSpire : nearestDome
  const tree = newTreeProbe()

  function addTuft(step: Step): void {
    const { distance } = step
    const clear = fromPath(distance, step.side) - 0.5
    if (clear <= 0 || step.level < waterLevel + 1.2) return
    step.level += tuftRise(meadow, step.x, step.y) * Math.min(1, clear * 2, (farthestTuft - distance) / 20)
  }

  function addTree(step: Step): void {
    tree.x = step.x
    tree.y = step.y
    readTree(forest, tree)
    if (tree.rise <= 0.3) return
    // Decided at the trunk, so that no tree is cut in half.
    const east = tree.trunkX - x
    const south = tree.trunkY - y
    if (east * east + south * south < nearestTree * nearestTree) return
    step.level += tree.rise
    step.kind = surfaces.tree
  }

  return (step) => {
    const { distance } = step
    readLevel(terrain, step)
    step.kind = surfaces.ground
    if (step.level < waterLevel) {
      step.level = waterLevel
      step.kind = surfaces.water
      return
    }
    if (distance < farthestTuft && step.level + meadow.tallest > step.hidden) addTuft(step)
    const mayBeTree = distance > nearestTree - 10 && distance < farthestTree
    if (mayBeTree && step.level + forest.tallest > step.hidden) addTree(step)
  }
}

/** Walks outwards along each column, and fills what rises above everything closer. */
export function look(land: Land, camera: Camera, { width, height }: Frame): View {
  const { terrain, forest } = land
  const { x, y } = camera
  const turn = (camera.heading * Math.PI) / 180
  const ahead = [Math.sin(turn), -Math.cos(turn)] as const
  const right = [Math.cos(turn), Math.sin(turn)] as const
  const focal = width / 2 / Math.tan((camera.fieldOfView * Math.PI) / 360)
  const step: Step = { x, y, distance: 0, side: 0, hidden: 0, level: 0, kind: 0 }
  readLevel(terrain, step)
  const eye = Math.max(step.level, terrain.waterLevel) + camera.lift
  const horizonRow = camera.horizon * height
  const depth = new Float32Array(width * height)
  const surface = new Uint8Array(width * height)
  const survey = createSurvey(land, camera)
  const highest = terrain.highest + forest.tallest - eye

  function walk(column: number): void {
    const side = (column + 0.5 - width / 2) / focal
    const stepX = ahead[0] + right[0] * side
    const stepY = ahead[1] + right[1] * side
    let top = height
    let lastRow = height + 1
    let lastDistance = nearestMetres
    let distance = nearestMetres
    while (distance < farthestMetres && top > 0 && horizonRow - (highest / distance) * focal < top) {
      step.x = x + stepX * distance
      step.y = y + stepY * distance
      step.distance = distance
      step.side = side * distance
      step.hidden = eye + ((horizonRow - top) / focal) * distance
      survey(step)
      const row = horizonRow - ((step.level - eye) / distance) * focal
      if (row < top) {
        const bottom = top
        top = row > 0 ? Math.ceil(row) : 0
        const span = lastRow - row
        for (let at = top; at < bottom; at += 1) {
          const t = (lastRow - at) / span
          const index = at * width + column
          depth[index] = lastDistance + (distance - lastDistance) * (t > 1 ? 1 : t < 0 ? 0 : t)
          surface[index] = step.kind
        }
      }
      lastRow = row
      lastDistance = distance
      distance += distance < 20 ? 0.12 : distance * (distance < 600 ? 0.006 : 0.009)
    }
  }

  // A function per column, as for rows elsewhere: V8 optimises frequently called functions better than long loops.
  for (let column = 0; column < width; column += 1) walk(column)
  return { width, height, depth, surface, eye, horizonRow, focal, ahead, right }
}
