// Colour spaces by their numbers in ITU-T H.273, as PNG, HEIC and AVIF have them.
import { srgbPrimaries, type ColourSpace, type Primaries, type Transfer } from './colour-space.ts'

/** The codes of ITU-T H.273 that a picture can have. */
const codedPrimaries: ReadonlyMap<number, Primaries> = new Map([
  [1, srgbPrimaries],
  [9, { ...srgbPrimaries, red: [0.708, 0.292], green: [0.17, 0.797], blue: [0.131, 0.046] }],
  [12, { ...srgbPrimaries, red: [0.68, 0.32], green: [0.265, 0.69] }],
])
const codedTransfers: ReadonlyMap<number, Transfer> = new Map<number, Transfer>([
  [1, { kind: 'bt709' }],
  [6, { kind: 'bt709' }],
  [14, { kind: 'bt709' }],
  [15, { kind: 'bt709' }],
  [4, { kind: 'power', exponent: 2.2 }],
  [5, { kind: 'power', exponent: 2.8 }],
  [8, { kind: 'power', exponent: 1 }],
  [13, { kind: 'srgb' }],
  [16, { kind: 'pq' }],
  [18, { kind: 'hlg' }],
])

/** @returns undefined if either number has no meaning for a picture. */
export function codedSpace(primaries: number, transfer: number): ColourSpace | undefined {
  const [points, curve] = [codedPrimaries.get(primaries), codedTransfers.get(transfer)]
  return points && curve && { transfer: [curve, curve, curve], primaries: points }
}
