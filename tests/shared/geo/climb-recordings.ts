// Recordings of which the climb is known: made of a ground and of the noise of what measured it.
import { createPoints, type Line } from '../../../src/shared/geo/points.ts'

type Ground = (metres: number) => number
/** Metres of error, for each second of the recording. */
type Noise = (seconds: number, random: Random) => number[]

interface Random {
  readonly uniform: () => number
  readonly normal: () => number
}

function randomOf(seed: number): Random {
  let state = seed
  const uniform = (): number => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return (state + 0.5) / 2 ** 32
  }
  const normal = (): number => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform())
  return { uniform, normal }
}

export const flat: Ground = () => 100
export const lowRises: Ground = (d) => 100 + 2.2 * Math.sin(d / 150) + 2.5 * Math.sin(d / 420 + 1)
export const rolling: Ground = (d) =>
  100 + 3 * Math.sin(d / 95) + 4 * Math.sin(d / 210 + 1) + 6 * Math.sin(d / 700)
export const hills: Ground = (d) =>
  300 + 40 * Math.sin(d / 900) + 8 * Math.sin(d / 250 + 2) + 1.5 * Math.sin(d / 60)
export const mountain: Ground = (d) =>
  1_000 + 600 * Math.sin(d / 5_000) + 10 * Math.sin(d / 260) + 2 * Math.sin(d / 50)

const none: Noise = (seconds) => Array.from({ length: seconds }, () => 0)

/** A deviation that wanders: it forgets itself within so many seconds, and the device smooths it. */
const wandering =
  (deviation: number, memory: number, smoothing: number): Noise =>
  (seconds, { normal }) => {
    const [keep, smooth] = [Math.exp(-1 / memory), smoothing === 0 ? 0 : Math.exp(-1 / smoothing)]
    let [error, shown] = [0, 0]
    const next = (): number => {
      error = error * keep + Math.sqrt(1 - keep * keep) * deviation * normal()
      shown = shown * smooth + (1 - smooth) * error
      return shown
    }
    for (let before = 0; before < 500; before += 1) next()
    return Array.from({ length: seconds }, next)
  }

export const noises = {
  none,
  /** Wanders by 0.4 m within 10 s, and steps of 0.2 m. */
  barometer: ((seconds, random) =>
    wandering(
      0.4,
      10,
      0,
    )(seconds, random).map(
      (error) => Math.round((error + 0.15 * random.normal()) / 0.2) * 0.2,
    )) satisfies Noise,
  receiver: wandering(3, 60, 5),
  independent: ((seconds, { normal }) => Array.from({ length: seconds }, () => 2 * normal())) satisfies Noise,
  uniform: ((seconds, { uniform }) =>
    Array.from({ length: seconds }, () => 10 * uniform() - 5)) satisfies Noise,
}

export interface Recording {
  readonly line: Line
  readonly kilometres: number
}

export interface Making {
  readonly metresPerSecond: number
  readonly seconds: number
  readonly everySeconds: number
  /** Of five minutes, after fifteen on the way. */
  readonly hasStops: boolean
  readonly ground: Ground
  readonly noise: Noise
  readonly seed?: number
}

const metresOfDegree = 111_195

/** Along the equator, with positions that wander by 3 m as well. */
export function made(making: Making): Recording {
  const { metresPerSecond, seconds, everySeconds, hasStops, ground, noise, seed = 11 } = making
  const random = randomOf(seed)
  const errors = noise(seconds, random)
  const [east, north] = [wandering(3, 30, 4)(seconds, random), wandering(3, 30, 4)(seconds, random)]
  const points = createPoints()
  let metres = 0
  for (let second = 0; second < seconds; second += 1) {
    if (second > 0 && (!hasStops || second % 1_200 < 900)) metres += metresPerSecond
    if (second % everySeconds !== 0) continue
    points.add((north[second] ?? 0) / metresOfDegree, (metres + (east[second] ?? 0)) / metresOfDegree)
    points.setEle(ground(metres) + (errors[second] ?? 0))
  }
  return { line: { points, first: 0, end: points.count }, kilometres: metres / 1_000 }
}

/** Every rise of the ground, however small. */
export function truthOf({ kilometres }: Recording, ground: Ground): number {
  let climb = 0
  for (let metres = 1; metres <= kilometres * 1_000; metres += 1)
    climb += Math.max(0, ground(metres) - ground(metres - 1))
  return climb
}
