// Follows the blocks of a progressive JPEG in scans that add a band of coefficients, or one more bit of them.
import { badCode, endsEarly, type CodedData, type Follow } from './jpeg-coded-data.ts'
import type { Scan } from './jpeg-frame.ts'
import { lookBits, type Codes } from './jpeg-huffman.ts'

const lookShift = 32 - lookBits
const blockEnd = 64
const maxRunLength = 15
/** Blocks per call, for the reason given in jpeg-blocks.ts. */
const blocksOfCall = 2_048

function peek(view: DataView, at: number): number {
  return view.getUint32(at >>> 3) << (at & 7)
}

/** The state within a scan of some coefficients of one component. */
interface Progress {
  /** Position in the bits of the interval. */
  at: number
  /** Counts blocks over all intervals. */
  block: number
  /** Remaining blocks of a run, which have no code. */
  run: number
}

/** Follows the coefficients of a band and records which are non-zero, up to a block or one after it. */
function followBandBlocks(
  { view, bits }: CodedData,
  progress: Progress,
  end: number,
  { first, last }: Scan,
  { short, long }: Codes,
  nonZero: Uint32Array,
): void {
  let { at, block } = progress
  while (block < end) {
    let skipped = 1
    let low = 0
    let high = 0
    for (let k = first; k <= last; k += 1) {
      const word = view.getUint32(at >>> 3) << (at & 7)
      let entry = short[word >>> lookShift] ?? 0
      if (entry === 0) entry = long[word >>> 16] ?? 0
      if (entry === 0) throw at + 16 > bits ? endsEarly() : badCode()
      at += entry & 255
      const symbol = (entry >>> 8) - 1
      const run = symbol >> 4
      const size = symbol & 15
      if (size > 0) {
        k += run
        at += size
        if (k < 32) low |= 1 << k
        else high |= 1 << Math.min(k - 32, 31)
      } else if (run === maxRunLength) {
        k += maxRunLength
      } else {
        skipped = (1 << run) + (run === 0 ? 0 : peek(view, at) >>> (32 - run))
        at += run
        break
      }
    }
    if (at > bits) throw endsEarly()
    if (low !== 0) nonZero[2 * block] = (nonZero[2 * block] ?? 0) | low
    if (high !== 0) nonZero[2 * block + 1] = (nonZero[2 * block + 1] ?? 0) | high
    block += skipped
  }
  progress.at = at
  progress.block = block
}

export function followBand(scan: Scan, codes: Codes, nonZero: Uint32Array): Follow {
  const progress: Progress = { at: 0, block: 0, run: 0 }
  return (data, units) => {
    const end = progress.block + units
    progress.at = 0
    while (progress.block < end) {
      const callEnd = Math.min(progress.block + blocksOfCall, end)
      followBandBlocks(data, progress, callEnd, scan, codes, nonZero)
    }
    if (progress.block > end) throw badCode() // decoders ignore the part of a run beyond its interval
    return progress.at
  }
}

function ones(word: number): number {
  let count = word - ((word >>> 1) & 0x5555_5555)
  count = (count & 0x3333_3333) + ((count >>> 2) & 0x3333_3333)
  return Math.imul((count + (count >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24
}

const skipBits = 8
const maxSkipped = 16
const notWithin = 255

/**
 * The index of the next zero coefficient after skipping a number of zeros (from bit 8 on), given whether each of the
 * next eight coefficients is non-zero; `notWithin` if it is not among the eight.
 */
const skips = Uint8Array.from({ length: maxSkipped << skipBits }, (_, index) => {
  let zeros = index >> skipBits
  for (let place = 0; place < skipBits; place += 1) {
    if (((index >> place) & 1) === 1) continue
    if (zeros === 0) return place
    zeros -= 1
  }
  return notWithin
})

/** Bit mask of the coefficients below this one, for the lower or the upper word. */
function onesBelow(coefficient: number): number {
  if (coefficient >= 32) return -1
  return coefficient <= 0 ? 0 : (1 << coefficient) - 1
}

/** Adds one bit to each non-zero coefficient of a band, between codes for those that become non-zero. */
function followBandBitsOfBlocks(
  { view, bits }: CodedData,
  progress: Progress,
  end: number,
  { first, last, lowBit }: Scan,
  { short, long }: Codes,
  nonZero: Uint32Array,
): void {
  const lowBand = onesBelow(last + 1) & ~onesBelow(first)
  const highBand = onesBelow(last + 1 - 32) & ~onesBelow(first - 32)
  // After the last bit, no later scan refines the band, so only new non-zero coefficients after it matter.
  const firstNoted = lowBit > 0 ? 0 : last + 1
  let { at, block, run } = progress
  for (; block < end; block += 1) {
    // Coefficients that were non-zero before this scan and are still to come, starting with the next one.
    let low = (nonZero[2 * block] ?? 0) & lowBand
    let high = (nonZero[2 * block + 1] ?? 0) & highBand
    let k = last + 1
    if (run === 0) {
      k = first
      if (k >= 32) {
        low = high >>> (k - 32)
        high = 0
      } else {
        low = (low >>> k) | (high << (32 - k))
        high >>>= k
      }
    }
    while (k <= last) {
      const word = view.getUint32(at >>> 3) << (at & 7)
      let entry = short[word >>> lookShift] ?? 0
      if (entry === 0) entry = long[word >>> 16] ?? 0
      if (entry === 0) throw at + 16 > bits ? endsEarly() : badCode()
      at += entry & 255
      const symbol = (entry >>> 8) - 1
      let zeros = symbol >> 4
      const isNew = (symbol & 15) !== 0
      if (!isNew && zeros < maxRunLength) {
        run = (1 << zeros) + (zeros === 0 ? 0 : peek(view, at) >>> (32 - zeros))
        at += zeros
        break
      }
      if (isNew) at += 1
      let place = skips[(zeros << skipBits) | (low & 255)] ?? 0
      while (place === notWithin) {
        const passed = ones(low & 255)
        at += passed
        zeros -= skipBits - passed
        k += skipBits
        low = (low >>> skipBits) | (high << (32 - skipBits))
        high >>>= skipBits
        place = skips[(zeros << skipBits) | (low & 255)] ?? 0
      }
      at += place - zeros
      k += place
      if (isNew && k >= firstNoted) {
        const noted = Math.min(k, last + 1)
        const index = 2 * block + (noted >> 5)
        if (noted < blockEnd) nonZero[index] = (nonZero[index] ?? 0) | (1 << (noted & 31))
      }
      k += 1
      low = (low >>> (place + 1)) | (high << (31 - place))
      high >>>= place + 1
    }
    if (run > 0) {
      if ((low | high) !== 0) at += ones(low) + ones(high)
      run -= 1
    }
    if (at > bits) throw endsEarly()
  }
  progress.at = at
  progress.block = block
  progress.run = run
}

export function followBandBits(scan: Scan, codes: Codes, nonZero: Uint32Array): Follow {
  const progress: Progress = { at: 0, block: 0, run: 0 }
  return (data, units) => {
    const end = progress.block + units
    progress.at = 0
    while (progress.block < end) {
      const callEnd = Math.min(progress.block + blocksOfCall, end)
      followBandBitsOfBlocks(data, progress, callEnd, scan, codes, nonZero)
    }
    if (progress.run > 0) throw badCode()
    return progress.at
  }
}
