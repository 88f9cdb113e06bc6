// The 64 bits by which near-duplicate photos are found: how far two are apart, and the bands by which an index finds near ones.

/** Two photos whose hashes differ in at most this many bits count as the same picture. */
export const nearBits = 7

const bandCount = 4
const bandDigits = 4
const bandBits = 16

export type Bands = readonly [number, number, number, number]

/** Stored if no hash could be computed: no search finds it. */
export const noBands: Bands = [-1, -1, -1, -1]

/** The four bands of 16 bits. @param dhash 16 hex digits. */
export function bandsOf(dhash: string): Bands {
  const band = (index: number): number =>
    Number.parseInt(dhash.slice(index * bandDigits, (index + 1) * bandDigits), 16)
  return [band(0), band(1), band(2), band(3)]
}

/**
 * The values of a band that a near hash may have: the same, or one bit off. Of four bands that differ in seven bits
 * together, one differs in one at most.
 */
export function nearBands(band: number): number[] {
  return [band, ...Array.from({ length: bandBits }, (_none, bit) => band ^ (1 << bit))]
}

function onesIn(word: number): number {
  const pairs = word - ((word >>> 1) & 0x5555)
  const fours = (pairs & 0x3333) + ((pairs >>> 2) & 0x3333)
  const eights = (fours + (fours >>> 4)) & 0x0f0f
  return (eights + (eights >>> 8)) & 0x1f
}

/** In how many of the 64 bits the two differ. */
export function bitsApart(one: Bands, other: Bands): number {
  let bits = 0
  for (let index = 0; index < bandCount; index += 1) bits += onesIn((one[index] ?? 0) ^ (other[index] ?? 0))
  return bits
}
