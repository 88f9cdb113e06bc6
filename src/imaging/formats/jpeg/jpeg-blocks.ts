// Follows the coded blocks of a JPEG bit by bit without decoding pixels: where they end, and whether they are
// complete.
import { followBand, followBandBits } from './jpeg-bands.ts'
import { badCode, endsEarly, type CodedData, type Follow } from './jpeg-coded-data.ts'
import type { Frame, Scan, ScanComponent } from './jpeg-frame.ts'
import { combineCodes, lookBits, stepBits, type Codes } from './jpeg-huffman.ts'
import type { ScanTables } from './jpeg-tables.ts'

const lookShift = 32 - lookBits
const stepShift = 32 - stepBits
const none = new Int32Array(0)
const blockEnd = 64

/** The blocks of each unit, as indexes of the scan's components. */
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

/** The code tables for the blocks of a unit, by position. */
interface BlockTables {
  readonly dcShort: readonly Int32Array[]
  readonly dcLong: readonly Int32Array[]
  readonly steps: readonly Int32Array[]
  readonly acLong: readonly Int32Array[]
  /** The coefficient after the first one; `blockEnd` if no others are coded. */
  readonly start: number
}

/**
 * Follows some units from a bit position on. Each block has a code for the size of the number after it, then codes
 * that also say how many coefficients to skip. @returns the bit position after them.
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
 * Units per call. A function that is called once per photo is compiled while it runs, again for each photo; one that
 * is called often is compiled only once.
 */
const unitsOfCall = 512

/** Complete blocks, or only their first coefficients. */
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

/** How to follow the units of a scan; in a progressive scan it continues where the previous interval ended. */
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
