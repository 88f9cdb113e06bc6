// Writes a HEIC or AVIF with a single picture and nothing else: the input for the decoders.
import { latin1 } from '../../../shared/formats/bytes.ts'
import { join, writeBox, writeFullBox, writeNumber } from './heif-boxes.ts'
import type { HeifPicture, Part } from './heif-picture.ts'

interface NumberedPart extends Part {
  readonly id: number
}

interface Link {
  readonly type: 'dimg' | 'auxl'
  readonly from: number
  readonly to: readonly number[]
}

/** @param profile replaces those in the file. */
interface Given {
  readonly bytes: Uint8Array
  readonly brand: 'heic' | 'avif'
  readonly profile: Uint8Array | undefined
}

function numbered({ picture, alpha }: HeifPicture): { parts: NumberedPart[]; links: Link[] } {
  const parts: NumberedPart[] = []
  const links: Link[] = []
  const add = (part: Part): number => {
    const id = parts.length + 1
    parts.push({ ...part, id })
    const tiles = part.tiles.map(add)
    if (tiles.length > 0) links.push({ type: 'dimg', from: id, to: tiles })
    return id
  }
  const first = add(picture)
  if (alpha) links.push({ type: 'auxl', from: add(alpha), to: [first] })
  return { parts, links }
}

/** Each property once, since tiles share theirs. */
function createProperties(bytes: Uint8Array) {
  const written: Uint8Array[] = []
  const numbers = new Map<number, number>()
  const add = (box: Uint8Array): number => written.push(box)
  return {
    written,
    add,
    numberOf: ({ from, to }: { readonly from: number; readonly to: number }): number => {
      const number = numbers.get(from) ?? add(bytes.subarray(from, to))
      numbers.set(from, number)
      return number
    },
  }
}

function writeProperties(parts: readonly NumberedPart[], { bytes, profile }: Given): Uint8Array {
  const { written, add, numberOf } = createProperties(bytes)
  const isCoded = (body: number): boolean =>
    bytes.subarray(body, body + 4).every((value, at) => value === nclx[at])
  const entries = parts.map(({ id, properties }) => {
    const links = properties
      .filter(({ box }) => box.type !== 'colr' || isCoded(box.body))
      .map(({ box, isEssential }) => writeNumber(numberOf(box) + (isEssential ? 0x8000 : 0), 2))
    if (id === 1 && profile) links.push(writeNumber(add(writeBox('colr', latin1('prof'), profile)), 2))
    return join(writeNumber(id, 2), writeNumber(links.length, 1), ...links)
  })
  return writeBox(
    'iprp',
    writeBox('ipco', ...written),
    writeFullBox('ipma', 0, 1, writeNumber(entries.length, 4), ...entries),
  )
}

const nclx = latin1('nclx')

function writeMeta(parts: readonly NumberedPart[], links: readonly Link[], given: Given, dataAt: number) {
  const infos = parts.map(({ id, type }) =>
    // Tiles are shown only as parts of the whole; flag 1 hides them.
    writeFullBox('infe', 2, id === 1 ? 0 : 1, writeNumber(id, 2), writeNumber(0, 2), latin1(`${type}\0`)),
  )
  let at = dataAt
  const places = parts.map(({ id, data }) => {
    const place = join(
      ...[id, 0, 1].map((number) => writeNumber(number, 2)),
      writeNumber(at, 4),
      writeNumber(data.length, 4),
    )
    at += data.length
    return place
  })
  const references = links.map(({ type, from, to }) =>
    writeBox(type, ...[from, to.length, ...to].map((number) => writeNumber(number, 2))),
  )
  return writeFullBox(
    'meta',
    0,
    0,
    writeFullBox('hdlr', 0, 0, latin1('\0\0\0\0pict\0\0\0\0\0\0\0\0\0\0\0\0\0')),
    writeFullBox('pitm', 0, 0, writeNumber(1, 2)),
    writeFullBox('iinf', 0, 0, writeNumber(infos.length, 2), ...infos),
    ...(references.length > 0 ? [writeFullBox('iref', 0, 0, ...references)] : []),
    writeProperties(parts, given),
    // Offsets and lengths of four bytes, no base.
    writeFullBox('iloc', 0, 0, writeNumber(0x4400, 2), writeNumber(places.length, 2), ...places),
  )
}

export function writeHeif(picture: HeifPicture, given: Given): Uint8Array {
  const { parts, links } = numbered(picture)
  const type = writeBox('ftyp', latin1(`${given.brand}\0\0\0\0mif1miaf${given.brand}`))
  const before = type.length + writeMeta(parts, links, given, 0).length
  const data = parts.map((part) => part.data)
  return join(type, writeMeta(parts, links, given, before + 8), writeBox('mdat', ...data))
}
