// The frame and scan headers of a JPEG: what each scan adds, and whether the scans form one complete picture.
import { byteAt, damaged, readUint16 } from '../../container-parts.ts'
import type { Header } from '../../container-parts.ts'
import type { Segment } from '../../../shared/formats/jpeg-segments.ts'

export interface Component {
  readonly id: number
  readonly across: number
  readonly down: number
  readonly quantisation: number
  /** For each coefficient, how many low bits are still missing; `unseen` before the first scan. */
  readonly missingBits: Uint8Array
  /** Number of blocks in a scan of this component alone. */
  readonly blocks: number
  /** For progressive pictures, a bit mask of two words per block: which coefficients are non-zero so far. */
  nonZero: Uint32Array | undefined
}

export interface Frame extends Header {
  readonly isProgressive: boolean
  readonly components: readonly Component[]
  /** Number of units in a scan of several components. */
  readonly units: number
}

export interface ScanComponent {
  readonly component: Component
  readonly dcTable: number
  readonly acTable: number
}

export interface Scan {
  readonly components: readonly ScanComponent[]
  /** The band of coefficients, the bit given before and the bit given now; everything if sequential. */
  readonly first: number
  readonly last: number
  readonly highBit: number
  readonly lowBit: number
  /** The parameters of its header, with everything that decoders do not read zeroed. */
  readonly header: Uint8Array
}

const unseen = 255
const coefficients = 64
const lastCoefficient = coefficients - 1
/** Limits of all decoders that we serve; they also bound the work per scan. */
const maxComponents = 4
const maxSampling = 4
const maxBlocksOfUnit = 10
const maxLowBit = 13
const slots = 4

/** SOF0 and SOF1 are sequential, SOF2 is progressive. Browsers support no other, even if our decoder does. */
function refuseProcess(marker: number): void {
  if (marker <= 0xc2) return
  const kind =
    marker >= 0xc8 ? 'arithmetic coding' : marker === 0xc3 ? 'lossless coding' : 'hierarchical coding'
  throw damaged(`It is a JPEG with ${kind}, which browsers do not support.`)
}

export function readFrame(bytes: Uint8Array, { marker, body, to }: Segment): Frame {
  const height = readUint16(bytes, body + 1)
  const width = readUint16(bytes, body + 3)
  const channels = byteAt(bytes, body + 5)
  if (width === 0 || height === 0) throw damaged('The JPEG has a width or height of 0.')
  if (channels === 0 || channels > maxComponents)
    throw damaged('The JPEG has an unsupported number of colour components.')
  if (to - body !== 6 + 3 * channels) throw damaged('The frame header of the JPEG has an invalid length.')
  refuseProcess(marker)
  const precision = byteAt(bytes, body)
  if (precision !== 8)
    throw damaged(`It is a JPEG with ${precision} bits per colour component, which browsers do not support.`)
  const fields = Array.from({ length: channels }, (_, index) => {
    const sampling = byteAt(bytes, body + 7 + 3 * index)
    const quantisation = byteAt(bytes, body + 8 + 3 * index)
    return {
      id: byteAt(bytes, body + 6 + 3 * index),
      across: sampling >> 4,
      down: sampling & 15,
      quantisation,
    }
  })
  const isSampling = (value: number): boolean => value >= 1 && value <= maxSampling
  if (
    !fields.every(
      ({ across, down, quantisation }) => isSampling(across) && isSampling(down) && quantisation < slots,
    )
  ) {
    throw damaged('The frame header of the JPEG has invalid values.')
  }
  const unitWidth = 8 * Math.max(...fields.map(({ across }) => across))
  const unitHeight = 8 * Math.max(...fields.map(({ down }) => down))
  const components = fields.map((field): Component => ({
    id: field.id,
    across: field.across,
    down: field.down,
    quantisation: field.quantisation,
    missingBits: new Uint8Array(coefficients).fill(unseen),
    blocks: Math.ceil((width * field.across) / unitWidth) * Math.ceil((height * field.down) / unitHeight),
    nonZero: undefined,
  }))
  const units = Math.ceil(width / unitWidth) * Math.ceil(height / unitHeight)
  return { width, height, channels, bytesPerSample: 1, isProgressive: marker === 0xc2, components, units }
}

/** Reads a scan header and records which coefficients of which components it adds. */
export function readScan(bytes: Uint8Array, { body, to }: Segment, frame: Frame): Scan {
  const count = byteAt(bytes, body)
  if (count === 0 || to - body !== 4 + 2 * count) {
    throw damaged('A scan header of the JPEG has an invalid length.')
  }
  const components: ScanComponent[] = []
  for (let index = 0; index < count; index += 1) {
    const id = byteAt(bytes, body + 1 + 2 * index)
    // Some writers give all components the same id: then they are identified by order, as decoders do.
    const component = frame.components.find(
      (one) => one.id === id && !components.some((other) => other.component === one),
    )
    if (component === undefined) throw damaged('A scan of the JPEG has an unknown colour component.')
    const tables = byteAt(bytes, body + 2 + 2 * index)
    components.push({ component, dcTable: tables >> 4, acTable: tables & 15 })
  }
  const blocks = components.reduce((sum, { component }) => sum + component.across * component.down, 0)
  if (count > 1 && blocks > maxBlocksOfUnit)
    throw damaged('A scan of the JPEG has too many blocks in a unit.')
  const band = frame.isProgressive
    ? readBand(bytes, body + 1 + 2 * count, components)
    : { first: 0, last: lastCoefficient, highBit: 0, lowBit: 0 }
  for (const { component } of components) noteBand(component, band)
  return { components, ...band, header: writeHeader(components, band, frame.isProgressive) }
}

type Band = Pick<Scan, 'first' | 'last' | 'highBit' | 'lowBit'>

function readBand(bytes: Uint8Array, at: number, components: readonly ScanComponent[]): Band {
  const first = byteAt(bytes, at)
  const last = byteAt(bytes, at + 1)
  const bits = byteAt(bytes, at + 2)
  const highBit = bits >> 4
  const lowBit = bits & 15
  const isBand =
    first === 0 ? last === 0 : last >= first && last <= lastCoefficient && components.length === 1
  if (!isBand || lowBit > maxLowBit || (highBit > 0 && lowBit !== highBit - 1)) {
    throw damaged('A scan of the JPEG has invalid parameters.')
  }
  return { first, last, highBit, lowBit }
}

/**
 * If two scans give the same bit, the later one hides it, or only some decoders show it. A picture needs each bit
 * only once.
 */
function noteBand({ missingBits }: Component, { first, last, highBit, lowBit }: Band): void {
  const expected = highBit === 0 ? unseen : highBit
  for (let coefficient = first; coefficient <= last; coefficient += 1) {
    if (missingBits[coefficient] !== expected) {
      throw damaged('A scan of the JPEG does not follow from the previous scans.')
    }
    missingBits[coefficient] = lowBit
  }
}

function writeHeader(components: readonly ScanComponent[], band: Band, isProgressive: boolean): Uint8Array {
  const { first, last, highBit, lowBit } = band
  const readsDc = first === 0 && highBit === 0
  const readsAc = !isProgressive || first > 0
  const fields = components.flatMap(({ component, dcTable, acTable }) => [
    component.id,
    (readsDc ? dcTable << 4 : 0) + (readsAc ? acTable : 0),
  ])
  return Uint8Array.of(components.length, ...fields, first, last, (highBit << 4) + lowBit)
}

/** Whether every coefficient of every component is complete, so that no scan can add anything. */
export function isComplete({ components }: Frame): boolean {
  return components.every(({ missingBits }) => missingBits.every((bits) => bits === 0))
}

/**
 * Every colour needs a scan. A file without an end marker may have been cut between two scans, and decoders accept
 * the blurred picture: in that case every coefficient must be complete.
 */
export function refuseMissingScans(frame: Frame, lacksEnd: boolean): void {
  const lacksColour = frame.components.some(({ missingBits }) => missingBits[0] === unseen)
  if (lacksColour || (lacksEnd && !isComplete(frame)))
    throw damaged('The JPEG is truncated between its scans.')
}
