// The Huffman codes of a JPEG as lookup tables for the next bits.
import { damaged } from '../../container-parts.ts'

/** Bits of the first lookup: two codes in a hundred of a photo are longer. */
export const lookBits = 10
const maxCodeLength = 16
const dropped = maxCodeLength - lookBits

/**
 * How far the next code moves the reader: the lowest eight bits hold the number of bits of the code and the number
 * after it, the bits above them the meaning of the code. 0 if no code starts with these bits.
 */
export interface Codes {
  /** By the next ten bits; also 0 if the code is longer. */
  readonly short: Int32Array
  /** By the next sixteen bits. */
  readonly long: Int32Array
  /** Only the code, by the next sixteen bits. */
  readonly lengths: Uint8Array
}

/** The stored meaning of a symbol, and the number of bits after its code. */
export type Meaning = (symbol: number) => { readonly value: number; readonly bits: number }

/** Sixteen counts of codes by length, then the symbols. */
export function readCodes(definition: Uint8Array, meaning: Meaning): Codes {
  const long = new Int32Array(1 << maxCodeLength)
  const short = new Int32Array(1 << lookBits)
  const lengths = new Uint8Array(1 << maxCodeLength)
  let code = 0
  let next = maxCodeLength
  for (let length = 1; length <= maxCodeLength; length += 1) {
    const count = definition[length - 1] ?? 0
    // A code of only ones is not allowed: decoders refuse a table that needs it, and so do we.
    if (code + count >= 1 << length && count > 0) throw damaged('A Huffman table of the JPEG is invalid.')
    const width = 1 << (maxCodeLength - length)
    for (let index = 0; index < count; index += 1) {
      const { value, bits } = meaning(definition[next] ?? 0)
      const entry = (value << 8) | (length + bits)
      long.fill(entry, code * width, (code + 1) * width)
      lengths.fill(length, code * width, (code + 1) * width)
      if (length <= lookBits) short.fill(entry, (code * width) >> dropped, ((code + 1) * width) >> dropped)
      code += 1
      next += 1
    }
    code *= 2
  }
  return { short, long, lengths }
}

/** The symbol is the number of bits of the first coefficient's difference. */
export const dcMeaning: Meaning = (symbol) => {
  if (symbol > 15) throw damaged('A Huffman table of the JPEG is invalid.')
  return { value: 1, bits: symbol }
}

/** How many coefficients to advance: all that are left at the end of a block. */
export const sequentialMeaning: Meaning = (symbol) => {
  const bits = symbol & 15
  const zeros = symbol >> 4
  if (bits === 0 && zeros < 15) return { value: 64, bits }
  return { value: zeros + 1, bits }
}

/** For progressive pictures the symbol itself; the reader handles the bits. */
export const progressiveMeaning: Meaning = (symbol) => ({ value: symbol + 1, bits: 0 })

/** Bits that are looked up for several codes at once. */
export const stepBits = 12
const blockEnd = 64

/**
 * By the next twelve bits, how far the codes within them move a reader of sequential coefficients: the lowest eight
 * bits hold the number of bits, above them the coefficients passed, and from bit 16 on those passed before the last
 * code. If a block may end before that code, the codes have to be read one by one. 0 if not even one code fits.
 */
export function combineCodes({ long, lengths }: Codes): Int32Array {
  const steps = new Int32Array(1 << stepBits)
  for (let index = 0; index < steps.length; index += 1) {
    const window = index << (maxCodeLength - stepBits)
    let bits = 0
    let passed = 0
    let before = 0
    while (bits < stepBits && passed < blockEnd) {
      const entry = long[(window << bits) & 0xffff] ?? 0
      if (entry === 0 || (lengths[(window << bits) & 0xffff] ?? 0) > stepBits - bits) break
      before = passed
      bits += entry & 255
      passed += entry >>> 8
    }
    steps[index] = bits === 0 ? 0 : (before << 16) | (passed << 8) | bits
  }
  return steps
}
