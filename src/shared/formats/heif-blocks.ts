// Finds EXIF and XMP in a HEIC or AVIF (ISO 14496-12, 23008-12): items that the meta box names and locates.
import { exifBlock, type MetadataBlock } from './metadata-block.ts'
import { latin1 } from './block-parts.ts'

interface Box {
  readonly type: string
  readonly body: number
  readonly to: number
}

const maxItems = 2_048
/** Of all items together, as on the server. */
const maxExtents = 4_096
/** For items that share bytes. */
const maxSharedBytes = 65_536

function createReader(bytes: Uint8Array) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return {
    /** @param size in bytes; 0 means that the box omits the field. */
    number: (at: number, size: number): number => {
      if (size === 0) return 0
      if (size === 2) return view.getUint16(at)
      return size === 8 ? Number(view.getBigUint64(at)) : view.getUint32(at)
    },
    byte: (at: number): number => view.getUint8(at),
    boxes: function* (from: number, to: number): Generator<Box> {
      for (let at = from; at + 8 <= to;) {
        const sizeField = view.getUint32(at)
        const isLong = sizeField === 1
        const length = isLong ? Number(view.getBigUint64(at + 8)) : sizeField === 0 ? to - at : sizeField
        if (length < 8 || at + length > to) return
        yield { type: latin1(bytes, at + 4, at + 8), body: at + (isLong ? 16 : 8), to: at + length }
        at += length
      }
    },
  }
}

type Reader = ReturnType<typeof createReader>

/** Ids of the items that hold metadata. */
function metadataItems(reader: Reader, bytes: Uint8Array, { body, to }: Box): Map<number, 'exif' | 'xmp'> {
  const items = new Map<number, 'exif' | 'xmp'>()
  const entriesAt = body + 4 + (reader.byte(body) === 0 ? 2 : 4)
  for (const entry of reader.boxes(entriesAt, to)) {
    const version = reader.byte(entry.body)
    if (entry.type !== 'infe' || version < 2) continue
    const idBytes = version === 2 ? 2 : 4
    const typeAt = entry.body + 4 + idBytes + 2
    const type = latin1(bytes, typeAt, typeAt + 4)
    const id = reader.number(entry.body + 4, idBytes)
    if (type === 'Exif') items.set(id, 'exif')
    if (type !== 'mime') continue
    const [, contentType, coding = ''] = latin1(bytes, typeAt + 4, entry.to).split('\0', 3)
    if (contentType === 'application/rdf+xml' && coding === '') items.set(id, 'xmp')
  }
  return items
}

interface Stretch {
  readonly from: number
  readonly to: number
}

/** Where the extents of each item are: in the file itself, or in the box idat. */
function locations(reader: Reader, { body }: Box, file: Stretch, idat: Box | undefined) {
  const found = new Map<number, readonly Stretch[]>()
  const version = reader.byte(body)
  const offsetBytes = reader.byte(body + 4) >> 4
  const lengthBytes = reader.byte(body + 4) & 15
  const baseBytes = reader.byte(body + 5) >> 4
  const indexBytes = version === 0 ? 0 : reader.byte(body + 5) & 15
  const idBytes = version === 2 ? 4 : 2
  const count = Math.min(reader.number(body + 6, idBytes), maxItems)
  let at = body + 6 + idBytes
  let extentsLeft = maxExtents
  for (let index = 0; index < count; index += 1) {
    const id = reader.number(at, idBytes)
    at += idBytes
    const method = version === 0 ? 0 : reader.number(at, 2) & 15
    at += version === 0 ? 2 : 4
    const base = reader.number(at, baseBytes)
    const extents = reader.number(at + baseBytes, 2)
    at += baseBytes + 2
    extentsLeft -= extents
    if (extentsLeft < 0) return found
    const within = method === 0 ? file : method === 1 && idat ? { from: idat.body, to: idat.to } : undefined
    const stretches: Stretch[] = []
    for (let extent = 0; extent < extents; extent += 1) {
      at += indexBytes
      const from = (within?.from ?? 0) + base + reader.number(at, offsetBytes)
      const length = reader.number(at + offsetBytes, lengthBytes)
      at += offsetBytes + lengthBytes
      stretches.push({ from, to: length === 0 ? (within?.to ?? 0) : from + length })
    }
    if (within && !found.has(id)) found.set(id, stretches)
  }
  return found
}

/** Ids of the items that describe another picture than the first. */
function ofOthers(reader: Reader, parts: readonly Box[]): ReadonlySet<number> {
  const first = parts.find(({ type }) => type === 'pitm')
  const links = parts.find(({ type }) => type === 'iref')
  if (first === undefined || links === undefined) return new Set()
  const primary = reader.number(first.body + 4, reader.byte(first.body) === 0 ? 2 : 4)
  const idBytes = reader.byte(links.body) === 0 ? 2 : 4
  const own = new Set<number>()
  const others = new Set<number>()
  for (const { type, body } of reader.boxes(links.body + 4, links.to)) {
    if (type !== 'cdsc') continue
    const from = reader.number(body, idBytes)
    const count = reader.number(body + idBytes, 2)
    const to = Array.from({ length: count }, (_, index) =>
      reader.number(body + 2 + (index + 1) * idBytes, idBytes),
    )
    ;(to.includes(primary) ? own : others).add(from)
  }
  return new Set([...others].filter((id) => !own.has(id)))
}

/** Joined; undefined if some of it is missing. */
function joined(bytes: Uint8Array, stretches: readonly Stretch[]): Uint8Array | undefined {
  if (stretches.some(({ from, to }) => from > to || to > bytes.length)) return undefined
  const [only] = stretches
  if (stretches.length === 1 && only) return bytes.subarray(only.from, only.to)
  const whole = new Uint8Array(lengthOf(stretches))
  let at = 0
  for (const { from, to } of stretches) {
    whole.set(bytes.subarray(from, to), at)
    at += to - from
  }
  return whole
}

const lengthOf = (stretches: readonly Stretch[]): number =>
  stretches.reduce((sum, { from, to }) => sum + to - from, 0)

/** @throws RangeError if a box has a wrong length. */
export function heifBlocks(bytes: Uint8Array): readonly MetadataBlock[] {
  const reader = createReader(bytes)
  const blocks: MetadataBlock[] = []
  for (const meta of reader.boxes(0, bytes.length)) {
    if (meta.type !== 'meta') continue
    const parts = [...reader.boxes(meta.body + 4, meta.to)]
    const names = parts.find(({ type }) => type === 'iinf')
    const places = parts.find(({ type }) => type === 'iloc')
    if (names === undefined || places === undefined) continue
    const idat = parts.find(({ type }) => type === 'idat')
    const placeOf = locations(reader, places, { from: 0, to: bytes.length }, idat)
    const others = ofOthers(reader, parts)
    // Items may overlap: together they have no more bytes than the file, as on the server.
    let left = bytes.length + maxSharedBytes
    for (const [id, kind] of metadataItems(reader, bytes, names)) {
      const stretches = placeOf.get(id)
      if (stretches === undefined || others.has(id) || lengthOf(stretches) > left) continue
      const data = joined(bytes, stretches)
      if (data === undefined) continue
      left -= data.length
      const block = kind === 'exif' ? exifOf(data) : { kind, bytes: data }
      if (block) blocks.push(block)
    }
    // The first one counts, as on the server.
    return blocks
  }
  return blocks
}

/** The EXIF of an item begins with the number of bytes to skip to its TIFF header. */
function exifOf(data: Uint8Array): MetadataBlock | undefined {
  if (data.length < 4) return undefined
  return exifBlock(data.subarray(4 + createReader(data).number(0, 4)))
}
