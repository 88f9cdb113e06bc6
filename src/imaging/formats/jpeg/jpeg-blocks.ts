// Follows the coded blocks of a JPEG bit by bit, without their pixels: where they end, and whether they are all there.
import { damaged } from '../../container-parts.ts'
import type { Frame, Scan, ScanComponent } from './jpeg-frame.ts'
import { combineCodes, lookBits, stepBits, type Codes } from './jpeg-huffman.ts'
import type { ScanTables } from './jpeg-tables.ts'

/** Coded data between two markers with what only keeps markers apart taken out, and bytes of 0 behind it. */
export interface CodedData {
  readonly view: DataView
  readonly bits: number
}

/** Follows so many units from the start of the data. @returns the bits that they take. */
export type Follow = (data: CodedData, units: number) => number

const lookShift = 32 - lookBits
const stepShift = 32 - stepBits
const none = new Int32Array(0)
const blockEnd = 64
const maxRunLength = 15

function endsEarly() {
  return damaged('Its pixel data is truncated.')
}

function badCode() {
  return damaged('Its pixel data is damaged.')
}

/** Blocks of each unit, by the component of the scan that they belong to. */
function blocksOfUnit(components: readonly ScanComponent[]): number[] {
  if (components.length === 1) return [0]
  return components.flatMap(({ component: { across, down } }, index) =>
    Array<number>(across * down).fill(index),
  )
}

const required = (codes: Codes | undefined): Codes => {
  if (codes === undefined) throw badCode()
  return codes
}

/** What the blocks of a unit are coded with, by their place in it. */
interface BlockTables {
  readonly dcShort: readonly Int32Array[]
  readonly dcLong: readonly Int32Array[]
  readonly steps: readonly Int32Array[]
  readonly acLong: readonly Int32Array[]
  /** The coefficient that follows on the first one; `blockEnd` where no others are coded. */
  readonly start: number
}

/**
 * Some units from a bit on: for each of their blocks a code that tells the bits of the number behind it, then codes that
 * tell how many coefficients on the next number stands. @returns the bit behind them.
 */
function followUnits({ view, bits }: CodedData, from: number, units: number, tables: BlockTables): number {
  const { dcShort, dcLong, steps, acLong, start } = tables
  let at = from
  for (let unit = 0; unit < units; unit += 1) {
    for (let block = 0; block < steps.length; block += 1) {
      let word = view.getUint32(at >>> 3) << (at & 7)
      let entry = (dcShort[block] ?? none)[word >>> lookShift] ?? 0
      if (entry === 0) entry = (dcLong[block] ?? none)[word >>> 16] ?? 0
      if (entry === 0) throw at + 16 > bits ? endsEarly() : badCode()
      at += entry & 255
      const step = steps[block] ?? none
      let k = start
      while (k < blockEnd) {
        word = view.getUint32(at >>> 3) << (at & 7)
        entry = step[word >>> stepShift] ?? 0
        if (entry === 0 || k + (entry >>> 16) >= blockEnd) {
          entry = (acLong[block] ?? none)[word >>> 16] ?? 0
          if (entry === 0) throw at + 16 > bits ? endsEarly() : badCode()
        }
        at += entry & 255
        k += (entry >>> 8) & 255
      }
      if (at > bits) throw endsEarly()
    }
  }
  return at
}

/**
 * So many units are followed in one call. A function that is called once for a photo is compiled while it runs, anew for
 * each photo: one that is called often is compiled once, which saves a sixth of the time and as much on other threads.
 */
const unitsOfCall = 512

/** Whole blocks, or their first coefficients alone. */
function followWhole(scan: Scan, tables: ScanTables, hasRest: boolean): Follow {
  const order = blocksOfUnit(scan.components)
  const combined = new Map<Codes, Int32Array>()
  const steps = order.map((index) => {
    if (!hasRest) return none
    const codes = required(tables.ac[index])
    const known = combined.get(codes) ?? combineCodes(codes)
    combined.set(codes, known)
    return known
  })
  const blocks: BlockTables = {
    dcShort: order.map((index) => required(tables.dc[index]).short),
    dcLong: order.map((index) => required(tables.dc[index]).long),
    steps,
    acLong: order.map((index) => (hasRest ? required(tables.ac[index]).long : none)),
    start: hasRest ? 1 : blockEnd,
  }
  return (data, units) => {
    let at = 0
    for (let done = 0; done < units; done += unitsOfCall)
      at = followUnits(data, at, Math.min(unitsOfCall, units - done), blocks)
    return at
  }
}

/** One more bit of each first coefficient. */
function followFirstBits({ components }: Scan): Follow {
  const blocks = blocksOfUnit(components).length
  return ({ bits }, units) => {
    if (units * blocks > bits) throw endsEarly()
    return units * blocks
  }
}

function peek(view: DataView, at: number): number {
  return view.getUint32(at >>> 3) << (at & 7)
}

/** The coefficients of a band, which it also notes as not zero. */
function followBand({ first, last }: Scan, codes: Codes, nonZero: Uint32Array): Follow {
  const { short, long } = codes
  let followed = 0
  return ({ view, bits }, units) => {
    const end = followed + units
    let block = followed
    let at = 0
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
    if (block > end) throw badCode() // what a run claims beyond its interval no decoder looks at
    followed = end
    return at
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
 * Where the next coefficient stands that is zero so far, with so many more of them passed (from bit 8 on) and the next
 * eight coefficients as ones where they are not zero; `notWithin` where it is not among the eight.
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

/** Ones below a coefficient, in the word of the lower or the upper half. */
function onesBelow(coefficient: number): number {
  if (coefficient >= 32) return -1
  return coefficient <= 0 ? 0 : (1 << coefficient) - 1
}

/** One more bit of each coefficient of a band that is not zero, between codes for those that are no longer. */
function followBandBits({ first, last, lowBit }: Scan, codes: Codes, nonZero: Uint32Array): Follow {
  const { short, long } = codes
  const lowBand = onesBelow(last + 1) & ~onesBelow(first)
  const highBand = onesBelow(last + 1 - 32) & ~onesBelow(first - 32)
  // No scan asks any more of a band that is whole, but for what a code makes not zero behind it.
  const firstNoted = lowBit > 0 ? 0 : last + 1
  let followed = 0
  return ({ view, bits }, units) => {
    const end = followed + units
    let at = 0
    let run = 0
    for (let block = followed; block < end; block += 1) {
      // What was not zero before this scan and is still to come, from the coefficient on that is next.
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
    if (run > 0) throw badCode()
    followed = end
    return at
  }
}

/** How the units of a scan are followed; of a progressive one it goes on where the interval before it ended. */
export function followerOf(scan: Scan, tables: ScanTables, frame: Frame): Follow {
  if (!frame.isProgressive) return followWhole(scan, tables, true)
  if (scan.first === 0) return scan.highBit === 0 ? followWhole(scan, tables, false) : followFirstBits(scan)
  const codes = required(tables.ac[0])
  const component = scan.components[0]?.component
  if (component === undefined) throw badCode()
  component.nonZero ??= new Uint32Array(2 * component.blocks)
  return scan.highBit === 0
    ? followBand(scan, codes, component.nonZero)
    : followBandBits(scan, codes, component.nonZero)
}
