// Finds EXIF and XMP in a HEIC or AVIF (ISO 14496-12, 23008-12): items that the meta box names and locates.
import { exifBlock, type MetadataBlock } from './metadata-block.ts'
import { latin1 } from './block-parts.ts'

interface Box {
  readonly type: string
  readonly body: number
  readonly to: number
}

const maxItems = 1_024

function createReader(bytes: Uint8Array) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return {
    /** @param size in bytes; 0 is how a box leaves a field out. */
    number: (at: number, size: number): number => {
      if (size === 0) return 0
      if (size === 2) return view.getUint16(at)
      return size === 8 ? Number(view.getBigUint64(at)) : view.getUint32(at)
    },
    byte: (at: number): number => view.getUint8(at),
    boxes: function* (from: number, to: number): Generator<Box> {
      for (let at = from; at + 8 <= to;) {
        const told = view.getUint32(at)
        const isLong = told === 1
        const length = isLong ? Number(view.getBigUint64(at + 8)) : told === 0 ? to - at : told
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
    if (type === 'mime' && latin1(bytes, typeAt + 4, entry.to).includes('application/rdf+xml'))
      items.set(id, 'xmp')
  }
  return items
}

/** Where each item is, if it lies in one piece in the file itself. */
function locations(reader: Reader, { body }: Box): Map<number, { from: number; to: number }> {
  const found = new Map<number, { from: number; to: number }>()
  const version = reader.byte(body)
  const offsetBytes = reader.byte(body + 4) >> 4
  const lengthBytes = reader.byte(body + 4) & 15
  const baseBytes = reader.byte(body + 5) >> 4
  const indexBytes = version === 0 ? 0 : reader.byte(body + 5) & 15
  const idBytes = version === 2 ? 4 : 2
  const count = Math.min(reader.number(body + 6, idBytes), maxItems)
  let at = body + 6 + idBytes
  for (let index = 0; index < count; index += 1) {
    const id = reader.number(at, idBytes)
    at += idBytes
    const method = version === 0 ? 0 : reader.number(at, 2) & 15
    at += version === 0 ? 2 : 4
    const base = reader.number(at, baseBytes)
    const extents = reader.number(at + baseBytes, 2)
    at += baseBytes + 2
    const from = base + reader.number(at + indexBytes, offsetBytes)
    const to = from + reader.number(at + indexBytes + offsetBytes, lengthBytes)
    if (method === 0 && extents === 1) found.set(id, { from, to })
    at += extents * (indexBytes + offsetBytes + lengthBytes)
  }
  return found
}

/** @throws RangeError where a box lies about its length. */
export function heifBlocks(bytes: Uint8Array): readonly MetadataBlock[] {
  const reader = createReader(bytes)
  const blocks: MetadataBlock[] = []
  for (const meta of reader.boxes(0, bytes.length)) {
    if (meta.type !== 'meta') continue
    const parts = [...reader.boxes(meta.body + 4, meta.to)]
    const names = parts.find(({ type }) => type === 'iinf')
    const places = parts.find(({ type }) => type === 'iloc')
    if (names === undefined || places === undefined) continue
    const placeOf = locations(reader, places)
    for (const [id, kind] of metadataItems(reader, bytes, names)) {
      const place = placeOf.get(id)
      if (place === undefined) continue
      const data = bytes.subarray(place.from, place.to)
      // Before the EXIF of an item stands how many bytes to skip to its TIFF header.
      const skip = kind === 'exif' && data.length > 4 ? 4 + reader.number(place.from, 4) : 0
      const block = kind === 'exif' ? exifBlock(data.subarray(skip)) : { kind, bytes: data }
      if (block) blocks.push(block)
    }
  }
  return blocks
}
