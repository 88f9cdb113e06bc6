// Seeded noise: the same seed gives the same picture on every machine.

export const clamp = (value: number, min = 0, max = 1): number =>
  value < min ? min : value > max ? max : value

export const mix = (a: number, b: number, t: number): number => a + (b - a) * t

/** 0 below `from`, 1 above `to`, smooth in between. `from` may be the greater one. */
export function smoothstep(from: number, to: number, value: number): number {
  const t = clamp((value - from) / (to - from))
  return t * t * (3 - 2 * t)
}

/** Hashes two integers and a seed to a number in [0, 1). */
export function hash(x: number, y: number, seed: number): number {
  let mixed = Math.imul(x, 374_761_393) ^ Math.imul(y, 668_265_263) ^ Math.imul(seed, 2_246_822_519)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 1_274_126_177)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 2_246_822_519)
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 4_294_967_296
}

/** Derives another number in [0, 1), for several properties from one hash. */
export const again = (luck: number, factor: number): number => luck * factor - Math.floor(luck * factor)

const tileSize = 512
const tileMask = tileSize - 1

/** One octave of value noise with a period of `period` cells, at a point in cells. */
function valueNoise(x: number, y: number, period: number): number {
  const cellX = Math.floor(x)
  const cellY = Math.floor(y)
  const u = smoothstep(0, 1, x - cellX)
  const v = smoothstep(0, 1, y - cellY)
  const at = (column: number, row: number) => hash((cellX + column) % period, (cellY + row) % period, period)
  return mix(mix(at(0, 0), at(1, 0), u), mix(at(0, 1), at(1, 1), u), v)
}

/** Position and result of a noise lookup. Reused for the reason given in colour.ts. */
export interface NoiseProbe {
  x: number
  y: number
  /** Mostly within −1 … 1. */
  value: number
  /** Derivatives to the right and downwards. */
  acrossSlope: number
  downSlope: number
}

export const newProbe = (): NoiseProbe => ({ x: 0, y: 0, value: 0, acrossSlope: 0, downSlope: 0 })

export interface Noise {
  /** Reads the noise at `x` and `y` into the other fields. Its largest features are about 64 units wide, its finest two. */
  read(probe: NoiseProbe): void
}

/** Periodic fractal noise, precomputed: a lookup costs a tenth of computing it. */
export function createNoise(): Noise {
  const values = new Float32Array(tileSize * tileSize)
  const fillRow = (y: number): void => {
    for (let x = 0; x < tileSize; x += 1) {
      let sum = 0
      let amplitude = 1
      for (let period = 8; period <= 256; period *= 2) {
        const scale = period / tileSize
        sum += amplitude * (2 * valueNoise(x * scale, y * scale, period) - 1)
        amplitude *= 0.55
      }
      values[y * tileSize + x] = sum
    }
  }
  for (let y = 0; y < tileSize; y += 1) fillRow(y)

  return {
    read: (probe) => {
      const floorX = Math.floor(probe.x)
      const floorY = Math.floor(probe.y)
      const u = probe.x - floorX
      const v = probe.y - floorY
      const row = (floorY & tileMask) * tileSize
      const nextRow = ((floorY + 1) & tileMask) * tileSize
      const left = floorX & tileMask
      const right = (floorX + 1) & tileMask
      const a = values[row + left] ?? 0
      const ab = (values[row + right] ?? 0) - a
      const c = values[nextRow + left] ?? 0
      const cd = (values[nextRow + right] ?? 0) - c
      const down = c + cd * u - a - ab * u
      probe.value = a + ab * u + down * v
      probe.acrossSlope = ab + (cd - ab) * v
      probe.downSlope = down
    },
  }
}
