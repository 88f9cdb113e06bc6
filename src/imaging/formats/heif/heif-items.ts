// The items of a HEIF (ISO 23008-12): the entries of its meta box, the location of each, and their properties.
import { byteAt, damaged, joinPieces, readUint16, type Stretch } from '../../container-parts.ts'
import { truncated } from '../../converted.ts'
import { boxesIn, readBoxes, readNumber, textAt, type Box } from './heif-boxes.ts'

export interface Property {
  readonly box: Box
  readonly isEssential: boolean
}

export interface Item {
  readonly id: number
  readonly type: string
  /** The content type of an item of type `mime`, if it is not compressed. */
  readonly contentType: string
  /** In the order in which they apply. */
  readonly properties: Property[]
  readonly stretches: Stretch[]
}

export interface Reference {
  readonly type: string
  readonly from: number
  readonly to: readonly number[]
}

export interface Items {
  readonly byId: ReadonlyMap<number, Item>
  readonly primary: Item
  readonly references: readonly Reference[]
}

const maxItems = 2_048
const maxExtents = 4_096
/** Total of references and properties over all items. */
const maxLinks = 16_384

interface Infos {
  readonly id: number
  readonly type: string
  readonly contentType: string
}

function readName(bytes: Uint8Array, at: number, to: number): { text: string; next: number } {
  const end = bytes.subarray(at, to).indexOf(0)
  const stop = end < 0 ? to : at + end
  return { text: String.fromCharCode(...bytes.subarray(at, Math.min(stop, at + 128))), next: stop + 1 }
}

function readInfo(bytes: Uint8Array, { body, to }: Box): Infos | undefined {
  const version = byteAt(bytes, body)
  if (version !== 2 && version !== 3) return undefined
  const idBytes = version === 2 ? 2 : 4
  const typeAt = body + 4 + idBytes + 2
  if (typeAt + 4 > to) truncated('its list of items')
  const type = textAt(bytes, typeAt)
  const name = readName(bytes, typeAt + 4, to)
  const content = type === 'mime' ? readName(bytes, name.next, to) : undefined
  const coding = content ? readName(bytes, content.next, to).text : ''
  return {
    id: readNumber(bytes, body + 4, idBytes),
    type,
    contentType: coding === '' ? (content?.text ?? '') : '',
  }
}

function readInfos(bytes: Uint8Array, { body, to }: Box): Infos[] {
  const first = body + 4 + (byteAt(bytes, body) === 0 ? 2 : 4)
  const infos = readBoxes(bytes, first, to).flatMap((box) =>
    box.type === 'infe' ? (readInfo(bytes, box) ?? []) : [],
  )
  if (infos.length > maxItems) throw damaged(`The file has more than ${maxItems} items.`)
  return infos
}

/**
 * Where the data of each item is, in the file or in the idat box. An item with external data has none.
 * @param isWanted items that are not needed may be anywhere.
 */
function readLocations(bytes: Uint8Array, { body, to }: Box, idat: Box | undefined) {
  const version = byteAt(bytes, body)
  const sizes = readUint16(bytes, body + 4)
  const [offsetBytes, lengthBytes, baseBytes] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15]
  const indexBytes = version === 0 ? 0 : sizes & 15
  const idBytes = version === 2 ? 4 : 2
  const count = readNumber(bytes, body + 6, idBytes)
  if (count > maxItems) throw damaged(`The file has more than ${maxItems} items.`)
  const found = new Map<number, Stretch[]>()
  let at = body + 6 + idBytes
  let extentsLeft = maxExtents
  for (let index = 0; index < count; index += 1) {
    const id = readNumber(bytes, at, idBytes)
    at += idBytes
    const method = version === 0 ? 0 : readUint16(bytes, at) & 15
    at += version === 0 ? 2 : 4
    const base = readNumber(bytes, at, baseBytes)
    const extents = readUint16(bytes, at + baseBytes)
    at += baseBytes + 2
    extentsLeft -= extents
    if (extentsLeft < 0) throw damaged('The file is in too many pieces.')
    const stretches: Stretch[] = []
    for (let extent = 0; extent < extents; extent += 1) {
      at += indexBytes
      const offset = base + readNumber(bytes, at, offsetBytes)
      const length = readNumber(bytes, at + offsetBytes, lengthBytes)
      at += offsetBytes + lengthBytes
      const from = offset + (method === 1 ? (idat?.body ?? Infinity) : 0)
      const end = method === 1 ? (idat?.to ?? 0) : bytes.length
      stretches.push({ from, to: length === 0 ? end : from + length })
    }
    if (at > to) truncated('its list of places')
    if (method <= 1 && !found.has(id)) found.set(id, stretches)
  }
  return found
}

function readReferences(bytes: Uint8Array, { body, to }: Box): Reference[] {
  const idBytes = byteAt(bytes, body) === 0 ? 2 : 4
  let left = maxLinks
  return readBoxes(bytes, body + 4, to).map((box) => {
    const count = readUint16(bytes, box.body + idBytes)
    const first = box.body + idBytes + 2
    left -= count
    if (left < 0) throw damaged('The file has too many references.')
    if (first + count * idBytes > box.to) truncated('its references')
    const ids = Array.from({ length: count }, (_, index) =>
      readNumber(bytes, first + index * idBytes, idBytes),
    )
    return { type: box.type, from: readNumber(bytes, box.body, idBytes), to: ids }
  })
}

function readProperties(bytes: Uint8Array, { body, to }: Box): Map<number, Property[]> {
  const parts = readBoxes(bytes, body, to)
  const container = parts.find(({ type }) => type === 'ipco')
  const boxes = container ? readBoxes(bytes, container.body, container.to) : []
  const found = new Map<number, Property[]>()
  let left = maxLinks
  for (const part of parts.filter(({ type }) => type === 'ipma')) {
    const idBytes = byteAt(bytes, part.body) === 0 ? 2 : 4
    const isWide = (byteAt(bytes, part.body + 3) & 1) === 1
    const count = readNumber(bytes, part.body + 4, 4)
    if (count > maxItems) throw damaged(`The file has more than ${maxItems} items.`)
    let at = part.body + 8
    for (let index = 0; index < count; index += 1) {
      const id = readNumber(bytes, at, idBytes)
      const links = byteAt(bytes, at + idBytes)
      at += idBytes + 1
      left -= links
      if (left < 0) throw damaged('The file has too many properties.')
      const properties = found.get(id) ?? []
      found.set(id, properties)
      for (let link = 0; link < links; link += 1, at += isWide ? 2 : 1) {
        const association = isWide ? readUint16(bytes, at) : byteAt(bytes, at)
        const essential = isWide ? 0x8000 : 0x80
        const box = boxes[(association & (essential - 1)) - 1]
        if (box) properties.push({ box, isEssential: association >= essential })
      }
      if (at > part.to) truncated('its properties')
    }
  }
  return found
}

/** @throws refusal `broken-image`. */
export function readItems(bytes: Uint8Array): Items {
  // No further than that: cameras append data that is not part of this standard.
  const meta = boxesIn(bytes, 0, bytes.length).find(({ type }) => type === 'meta')
  if (meta === undefined) throw damaged('The file holds no picture.')
  const parts = readBoxes(bytes, meta.body + 4, meta.to)
  const part = (type: string): Box | undefined => parts.find((box) => box.type === type)
  const need = (type: string): Box => {
    const box = part(type)
    if (box === undefined) throw damaged('The file holds no picture.')
    return box
  }
  const first = need('pitm')
  const primaryId = readNumber(bytes, first.body + 4, byteAt(bytes, first.body) === 0 ? 2 : 4)
  const places = readLocations(bytes, need('iloc'), part('idat'))
  const properties = readProperties(bytes, need('iprp'))
  const byId = new Map<number, Item>()
  for (const info of readInfos(bytes, need('iinf'))) {
    const { id } = info
    if (byId.has(id)) throw damaged('The file has two items of one number.')
    byId.set(id, { ...info, properties: properties.get(id) ?? [], stretches: places.get(id) ?? [] })
  }
  const primary = byId.get(primaryId)
  if (primary === undefined) throw damaged('The file holds no picture.')
  const links = part('iref')
  return { byId, primary, references: links ? readReferences(bytes, links) : [] }
}

/**
 * The data of an item in one piece.
 * @throws refusal `broken-image` if some of it is missing.
 */
export function dataOf(bytes: Uint8Array, { stretches }: Item): Uint8Array {
  if (stretches.length === 0) throw damaged('A part of the picture is missing.')
  let total = 0
  for (const { from, to } of stretches) {
    if (!(from >= 0) || to > bytes.length || from > to) truncated('its pixel data')
    total += to - from
  }
  // Stretches may overlap, so the joined data must not be longer than the upload.
  if (total > bytes.length) throw damaged('Parts of the picture overlap.')
  const [only] = stretches
  return stretches.length === 1 && only ? bytes.subarray(only.from, only.to) : joinPieces(bytes, stretches)
}
