// The colours of a file without a profile: a transfer curve and primaries, and the conversion to sRGB.

/** From a stored value to light, both 0 to 1; PQ and HLG to light as SDR white has it, so above 1 too. */
export type Transfer =
  | { readonly kind: 'power'; readonly exponent: number }
  | { readonly kind: 'srgb' | 'bt709' | 'pq' | 'hlg' }

/** Chromaticities x and y of white and of the three primaries. */
export interface Primaries {
  readonly white: Point
  readonly red: Point
  readonly green: Point
  readonly blue: Point
}

type Point = readonly [x: number, y: number]
type Triple = readonly [number, number, number]
type Matrix = readonly [Triple, Triple, Triple]

/** Plain data, as it crosses from one process to another. */
export interface ColourSpace {
  /** Of red, green and blue. */
  readonly transfer: readonly [Transfer, Transfer, Transfer]
  readonly primaries: Primaries
}

const d65: Point = [0.3127, 0.329]
export const srgbPrimaries: Primaries = {
  white: d65,
  red: [0.64, 0.33],
  green: [0.3, 0.6],
  blue: [0.15, 0.06],
}

/** Decoders round values near sRGB: gamma within 5 %, chromaticities within 0.01. */
const gammaTolerance = 0.05
const chromaticityTolerance = 0.01
const srgbExponent = 2.2

/** Whether values in this space need no conversion to be shown as sRGB. */
export function isSrgb({ transfer, primaries }: ColourSpace): boolean {
  const isCurve = transfer.every(
    (one) =>
      one.kind === 'srgb' ||
      (one.kind === 'power' && Math.abs(one.exponent / srgbExponent - 1) <= gammaTolerance),
  )
  const isNear = (point: Point, other: Point): boolean =>
    point.every((value, axis) => Math.abs(value - (other[axis] ?? 0)) <= chromaticityTolerance)
  return (
    isCurve &&
    isNear(primaries.white, srgbPrimaries.white) &&
    isNear(primaries.red, srgbPrimaries.red) &&
    isNear(primaries.green, srgbPrimaries.green) &&
    isNear(primaries.blue, srgbPrimaries.blue)
  )
}

/** A space that can be converted from, or undefined if its primaries span no colours. */
export function colourSpace(space: ColourSpace): ColourSpace | undefined {
  const matrix = toSrgbMatrix(space.primaries)
  const isUsable = matrix.every((row) =>
    row.every((value) => Number.isFinite(value) && Math.abs(value) < 100),
  )
  return isUsable && !isSrgb(space) ? space : undefined
}

/** From linear light in these primaries to linear light in those of sRGB, white to white. */
export function toSrgbMatrix(primaries: Primaries): Matrix {
  return multiply(
    invert(toXyz(srgbPrimaries)),
    multiply(adaptation(primaries.white, srgbPrimaries.white), toXyz(primaries)),
  )
}

export function toLight(transfer: Transfer, value: number): number {
  switch (transfer.kind) {
    case 'power':
      return value ** transfer.exponent
    case 'srgb':
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
    case 'bt709':
      return value < 0.081 ? value / 4.5 : ((value + 0.099) / 1.099) ** (1 / 0.45)
    case 'pq': {
      const root = value ** (32 / 2523)
      const nits = 10_000 * (Math.max(0, root - 0.8359375) / (18.8515625 - 18.6875 * root)) ** (16_384 / 2610)
      // ITU-R BT.2408: the reference white of SDR.
      return nits / 203
    }
    case 'hlg': {
      const scene =
        value <= 0.5 ? value ** 2 / 3 : (Math.exp((value - 0.55991073) / 0.17883277) + 0.28466892) / 12
      // A signal of 75 % is the reference white of SDR (BT.2408), on a display of 1000 cd/m² with gamma 1.2.
      return (1000 * scene ** 1.2) / 203
    }
  }
}

/** From linear light, 0 to 1, to the stored value of sRGB, 0 to 1. */
export function toSrgbValue(light: number): number {
  if (!(light > 0)) return 0
  if (light >= 1) return 1
  return light <= 0.003_130_8 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055
}

function toXyz({ white, red, green, blue }: Primaries): Matrix {
  const columns = [red, green, blue].map(([x, y]): Triple => [x / y, 1, (1 - x - y) / y])
  const [r = zero, g = zero, b = zero] = columns
  const unscaled: Matrix = [
    [r[0], g[0], b[0]],
    [r[1], g[1], b[1]],
    [r[2], g[2], b[2]],
  ]
  const [x, y] = white
  const scale = apply(invert(unscaled), [x / y, 1, (1 - x - y) / y])
  const scaled = ([one, two, three]: Triple): Triple => [one * scale[0], two * scale[1], three * scale[2]]
  return [scaled(unscaled[0]), scaled(unscaled[1]), scaled(unscaled[2])]
}

const zero: Triple = [0, 0, 0]

/** Bradford adaptation: white there is white here. */
function adaptation(from: Point, to: Point): Matrix {
  const cones: Matrix = [
    [0.8951, 0.2664, -0.1614],
    [-0.7502, 1.7135, 0.0367],
    [0.0389, -0.0685, 1.0296],
  ]
  const response = ([x, y]: Point): Triple => apply(cones, [x / y, 1, (1 - x - y) / y])
  const [there, here] = [response(from), response(to)]
  const scale: Matrix = [
    [here[0] / there[0], 0, 0],
    [0, here[1] / there[1], 0],
    [0, 0, here[2] / there[2]],
  ]
  return multiply(invert(cones), multiply(scale, cones))
}

export function apply(matrix: Matrix, [x, y, z]: Triple): Triple {
  const row = ([a, b, c]: Triple): number => a * x + b * y + c * z
  return [row(matrix[0]), row(matrix[1]), row(matrix[2])]
}

function multiply(left: Matrix, right: Matrix): Matrix {
  const column = (index: 0 | 1 | 2): Triple =>
    apply(left, [right[0][index], right[1][index], right[2][index]])
  const [a, b, c] = [column(0), column(1), column(2)]
  return [
    [a[0], b[0], c[0]],
    [a[1], b[1], c[1]],
    [a[2], b[2], c[2]],
  ]
}

function invert([[a, b, c], [d, e, f], [g, h, i]]: Matrix): Matrix {
  const determinant = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
  const over = (value: number): number => value / determinant
  return [
    [over(e * i - f * h), over(c * h - b * i), over(b * f - c * e)],
    [over(f * g - d * i), over(a * i - c * g), over(c * d - a * f)],
    [over(d * h - e * g), over(b * g - a * h), over(a * e - b * d)],
  ]
}
