// Cuts the data of one tag of a colour profile to what its type defines, with reserved bytes zeroed and no gaps.
import { latin1 } from '../../../shared/formats/bytes.ts'

const typeBytes = 8
const xyzBytes = 20
const matrixBytes = 36
const codePointBytes = 12
/** Number of parameters of a parametric curve, by its kind. */
const curveNumbers: readonly number[] = [1, 3, 4, 5, 7]
/** Length of the header of tables that have offsets to their parts. */
const partsHeaderBytes = 32
const gridBytes = 16

const roundUp = (length: number): number => Math.ceil(length / 4) * 4

/**
 * @param data begins with its type.
 * @param inputs number of input channels of a table; used only for tables, like `outputs`.
 * @returns undefined if it is incomplete.
 */
export function cleanTable(
  type: string,
  data: Uint8Array,
  inputs: number,
  outputs: number,
): Uint8Array | undefined {
  switch (type) {
    case 'XYZ ':
      return copy(type, data, xyzBytes)
    case 'sf32':
      return copy(type, data, typeBytes + matrixBytes)
    case 'cicp':
      return copy(type, data, codePointBytes)
    case 'curv':
    case 'para':
      return cleanCurve(data)
    case 'mft1':
    case 'mft2':
      return cleanLut(type, data, inputs, outputs)
    case 'mAB ':
      return cleanParts(type, data, { inputs, outputs, outer: inputs, inner: outputs })
    case 'mBA ':
      return cleanParts(type, data, { inputs, outputs, outer: outputs, inner: inputs })
    default:
      return undefined
  }
}

const viewOf = (data: Uint8Array): DataView => new DataView(data.buffer, data.byteOffset, data.byteLength)

/** The first bytes, with the four after the type zeroed. */
function copy(type: string, data: Uint8Array, length: number): Uint8Array | undefined {
  if (length > data.length) return undefined
  const copied = Uint8Array.from(data.subarray(0, length)) // Buffer.slice() would not be a copy
  copied.set([...latin1(type), 0, 0, 0, 0])
  return copied
}

/** One curve, which may be followed by others; undefined if it is neither of the two types. */
function cleanCurve(data: Uint8Array): Uint8Array | undefined {
  if (data.length < 12) return undefined
  const type = String.fromCharCode(...data.subarray(0, 4))
  if (type === 'curv') return copy(type, data, 12 + 2 * viewOf(data).getUint32(8))
  const numbers = curveNumbers[viewOf(data).getUint16(8)]
  if (type !== 'para' || numbers === undefined) return undefined
  const curve = copy(type, data, 12 + 4 * numbers)
  curve?.set([0, 0], 10)
  return curve
}

/** A contiguous table: matrix, input curves, grid, output curves. */
function cleanLut(
  type: 'mft1' | 'mft2',
  data: Uint8Array,
  inputs: number,
  outputs: number,
): Uint8Array | undefined {
  const isWide = type === 'mft2'
  const header = isWide ? 52 : 48
  if (data.length < header || data[8] !== inputs || data[9] !== outputs) return undefined
  const view = viewOf(data)
  const entriesIn = isWide ? view.getUint16(48) : 256
  const entriesOut = isWide ? view.getUint16(50) : 256
  const grid = (data[10] ?? 0) ** inputs * outputs
  const values = entriesIn * inputs + grid + entriesOut * outputs
  const table = copy(type, data, header + values * (isWide ? 2 : 1))
  table?.fill(0, 11, 12)
  return table
}

interface Channels {
  readonly inputs: number
  readonly outputs: number
  /** Number of curves on the picture's side. */
  readonly outer: number
  /** Number of curves on the side of the connection space, and after the matrix. */
  readonly inner: number
}

/** A table whose parts may be anywhere within it: B curves, matrix, M curves, grid, A curves. */
function cleanParts(
  type: 'mAB ' | 'mBA ',
  data: Uint8Array,
  { inputs, outputs, outer, inner }: Channels,
): Uint8Array | undefined {
  if (data.length < partsHeaderBytes || data[8] !== inputs || data[9] !== outputs) return undefined
  const view = viewOf(data)
  const readers: readonly ((part: Uint8Array) => Uint8Array | undefined)[] = [
    (part) => cleanCurves(part, inner),
    (part) => (part.length < 48 ? undefined : part.subarray(0, 48)),
    (part) => cleanCurves(part, inner),
    (part) => cleanGrid(part, inputs, outputs),
    (part) => cleanCurves(part, outer),
  ]
  const header = new Uint8Array(partsHeaderBytes)
  header.set(latin1(type))
  header.set([inputs, outputs], 8)
  const parts: Uint8Array[] = [header]
  let end = partsHeaderBytes
  for (const [index, read] of readers.entries()) {
    const offset = view.getUint32(12 + 4 * index)
    if (offset === 0) continue
    if (offset >= data.length) return undefined
    const part = read(data.subarray(offset))
    if (part === undefined) return undefined
    viewOf(header).setUint32(12 + 4 * index, end)
    parts.push(part)
    end += part.length
  }
  return Buffer.concat(parts)
}

/** Consecutive curves, each padded to a multiple of four. */
function cleanCurves(part: Uint8Array, count: number): Uint8Array | undefined {
  const curves: Uint8Array[] = []
  let at = 0
  for (let index = 0; index < count; index += 1) {
    const curve = cleanCurve(part.subarray(at))
    if (curve === undefined) return undefined
    at += roundUp(curve.length)
    curves.push(curve, new Uint8Array(roundUp(curve.length) - curve.length))
  }
  return Buffer.concat(curves)
}

function cleanGrid(part: Uint8Array, inputs: number, outputs: number): Uint8Array | undefined {
  const width = part[gridBytes] ?? 0
  if (width !== 1 && width !== 2) return undefined
  const points = part.subarray(0, inputs).reduce((product, side) => product * side, 1)
  const length = gridBytes + 4 + points * outputs * width
  if (length > part.length) return undefined
  const grid = new Uint8Array(roundUp(length))
  grid.set(part.subarray(0, length))
  grid.fill(0, inputs, gridBytes)
  grid.fill(0, gridBytes + 1, gridBytes + 4)
  return grid
}
