// The first picture of a HEIC or AVIF: its coded parts, checked against their declared sizes, and how they form the
// picture.
import {
  byteAt,
  damaged,
  readUint16,
  readUint32,
  refuseTooLarge,
  type Header,
} from '../../container-parts.ts'
import { truncated } from '../../converted.ts'
import type { ImageLimits } from '../../image-limits.ts'
import { refuse, type Refusal } from '../../../errors.ts'
import { av1Sizes, hevcSizes } from './coded-sizes.ts'
import { dataOf, type Item, type Items, type Property } from './heif-items.ts'

/** An item as it will be written: the coded data, or the parts that it is composed of. */
export interface Part {
  readonly type: string
  readonly data: Uint8Array
  readonly properties: readonly Property[]
  /** For a grid: row by row. */
  readonly tiles: readonly Part[]
}

export interface HeifPicture extends Header {
  readonly coding: 'hvc1' | 'av01'
  readonly picture: Part
  readonly alpha: Part | undefined
}

type Coding = HeifPicture['coding']

const configurations = { hvc1: 'hvcC', av01: 'av1C' } as const
const isCoding = (type: string): type is Coding => Object.hasOwn(configurations, type)

/** Properties that affect how a picture is shown; others are dropped unless they are essential. */
const kept: ReadonlySet<string> = new Set([
  'ispe',
  'hvcC',
  'av1C',
  'pixi',
  'colr',
  'auxC',
  'irot',
  'imir',
  'clap',
])
/** For tiles: the whole is rotated and cropped, not each tile. */
const keptOfTiles: ReadonlySet<string> = new Set(['ispe', 'hvcC', 'av1C', 'pixi', 'colr'])

const alphaTypes: ReadonlySet<string> = new Set([
  'urn:mpeg:mpegB:cicp:systems:auxiliary:alpha',
  'urn:mpeg:hevc:2015:auxid:1',
  'urn:mpeg:avc:2015:auxid:1',
])

/** Codecs use blocks of at most 64, and the part outside the picture is cropped. */
const maxPadding = 64

function unsupported(detail: string): Refusal {
  return refuse('unsupported-image-type', { detail })
}

interface Found {
  readonly bytes: Uint8Array
  readonly items: Items
  readonly limits: ImageLimits
  /** @throws refusal `broken-image` if the parts have more bytes than the upload, because they overlap. */
  readonly spend: (bytes: number) => void
}

/** The property that all parts must share: the configuration of their decoder. */
const maxSharedBytes = 65_536

function createBudget(bytes: Uint8Array): Found['spend'] {
  let left = bytes.length + maxSharedBytes
  return (spent) => {
    left -= spent
    if (left < 0) throw damaged('Parts of the picture overlap.')
  }
}

function propertyOf({ properties }: Item, type: string): Property | undefined {
  return properties.find(({ box }) => box.type === type)
}

function sizeOf(bytes: Uint8Array, item: Item): { width: number; height: number } {
  const box = propertyOf(item, 'ispe')?.box
  if (box === undefined) throw damaged('A part of the picture has no size.')
  const [width, height] = [readUint32(bytes, box.body + 4), readUint32(bytes, box.body + 8)]
  if (width === 0 || height === 0) throw damaged('The picture has a width or height of 0.')
  return { width, height }
}

function keep(item: Item, types: ReadonlySet<string>): Property[] {
  const unknown = item.properties.find(({ box, isEssential }) => isEssential && !kept.has(box.type))
  if (unknown)
    throw unsupported(
      `The picture needs “${unknown.box.type.replaceAll(/[^\w ]/g, '?')}”, which is not supported.`,
    )
  return item.properties.filter(({ box }) => types.has(box.type))
}

/**
 * The largest picture of any AV1 level (Annex A); larger photos come in tiles. A decoder needs 23 bytes per pixel
 * regardless of content: without this limit, a file of 2 kB would take 2.3 GB.
 */
const maxAv1Pixels = 35_651_584

function refuseBeyondAv1({ width, height }: Header): void {
  if (width * height <= maxAv1Pixels) return
  throw refuse('image-dimensions-too-large', {
    detail: `The AVIF has ${width} × ${height} pixels in one piece; larger than 35 megapixels, it must be in tiles.`,
  })
}

interface Coded extends Header {
  readonly coding: Coding
  readonly part: Part
}

/** Bits per sample, from the decoder's configuration. */
function isDeep(configuration: Uint8Array, coding: Coding): boolean {
  return coding === 'hvc1' ? (byteAt(configuration, 17) & 7) > 0 : (byteAt(configuration, 2) & 0x40) !== 0
}

function readCoded({ bytes, limits, spend }: Found, item: Item, types: ReadonlySet<string>): Coded {
  const { type: coding } = item
  if (!isCoding(coding)) {
    const shown = coding.replaceAll(/[^\w ]/g, '?')
    throw unsupported(`The picture is coded as “${shown}”; only HEVC and AV1 are supported.`)
  }
  const box = propertyOf(item, configurations[coding])?.box
  if (box === undefined) throw damaged('A part of the picture cannot be decoded.')
  const configuration = bytes.subarray(box.body, box.to)
  const size = sizeOf(bytes, item)
  const header = { ...size, channels: 3, bytesPerSample: isDeep(configuration, coding) ? 2 : 1 }
  refuseTooLarge(header, limits)
  if (coding === 'av01') refuseBeyondAv1(header)
  const data = dataOf(bytes, item)
  spend(data.length + configuration.length)
  const coded = coding === 'hvc1' ? hevcSizes(configuration, data) : av1Sizes(configuration, data)
  if (coded.length === 0) throw damaged('A part of the picture cannot be decoded.')
  // Decoders allocate by what the coded data says, whatever the container says.
  for (const { width, height } of coded)
    if (width > size.width + maxPadding || height > size.height + maxPadding)
      throw damaged('A part of the picture states two sizes.')
  return { ...header, coding, part: { type: coding, data, properties: keep(item, types), tiles: [] } }
}

interface Grid {
  readonly columns: number
  readonly rows: number
  readonly width: number
  readonly height: number
}

function readGrid(data: Uint8Array): Grid {
  const isWide = (byteAt(data, 1) & 1) === 1
  const size = (index: number): number =>
    isWide ? readUint32(data, 4 + 4 * index) : readUint16(data, 4 + 2 * index)
  return { rows: byteAt(data, 2) + 1, columns: byteAt(data, 3) + 1, width: size(0), height: size(1) }
}

function readTiled(found: Found, item: Item): Coded {
  const { bytes, items, limits } = found
  const size = sizeOf(bytes, item)
  const data = dataOf(bytes, item)
  const { columns, rows, width, height } = readGrid(data)
  if (width !== size.width || height !== size.height) throw damaged('The picture states two sizes.')
  refuseTooLarge({ ...size, channels: 3, bytesPerSample: 1 }, limits)
  const ids = items.references.find(({ type, from }) => type === 'dimg' && from === item.id)?.to ?? []
  if (ids.length !== rows * columns) throw damaged('Tiles of the picture are missing.')
  const tiles = ids.map((id) => {
    const tile = items.byId.get(id)
    if (tile === undefined) throw damaged('Tiles of the picture are missing.')
    return readCoded(found, tile, keptOfTiles)
  })
  const [first] = tiles
  if (first === undefined) truncated('its tiles')
  const isOfOneKind = tiles.every(
    (tile) =>
      tile.coding === first.coding &&
      tile.width === first.width &&
      tile.height === first.height &&
      tile.bytesPerSample === first.bytesPerSample,
  )
  // No tile is completely outside the picture, so the tiles have at most four times the pixels of the picture.
  const isFilled = (columns - 1) * first.width < width && (rows - 1) * first.height < height
  if (!isOfOneKind || !isFilled || first.width * columns < width || first.height * rows < height)
    throw damaged('The tiles of the picture do not fit.')
  const parts = tiles.map(({ part }) => part)
  return {
    ...first,
    ...size,
    part: { type: 'grid', data, properties: keep(item, kept), tiles: parts },
  }
}

function readPart(found: Found, item: Item): Coded {
  return item.type === 'grid' ? readTiled(found, item) : readCoded(found, item, kept)
}

/** The text of an auxC box: the role of the item. */
function auxiliaryType(bytes: Uint8Array, item: Item): string {
  const box = propertyOf(item, 'auxC')?.box
  if (box === undefined) return ''
  return (
    String.fromCharCode(...bytes.subarray(box.body + 4, Math.min(box.to, box.body + 84))).split('\0', 1)[0] ??
    ''
  )
}

function findAlpha({ bytes, items }: Found): Item | undefined {
  const { primary, references, byId } = items
  return references
    .filter(({ type, to }) => type === 'auxl' && to.includes(primary.id))
    .flatMap(({ from }) => byId.get(from) ?? [])
    .find((item) => alphaTypes.has(auxiliaryType(bytes, item)))
}

/** @throws refusals `broken-image`, `unsupported-image-type`, `image-dimensions-too-large`. */
export function readPicture(bytes: Uint8Array, items: Items, limits: ImageLimits): HeifPicture {
  const found: Found = { bytes, items, limits, spend: createBudget(bytes) }
  const { coding, width, height, bytesPerSample, part } = readPart(found, items.primary)
  const aside = findAlpha(found)
  const alpha = aside && readPart(found, aside)
  if (alpha && alpha.coding !== coding)
    throw unsupported('The transparency is coded in another way than the picture.')
  // A decoder would allocate memory for it and scale it, but the limits assume one size and one depth.
  if (alpha && (alpha.width !== width || alpha.height !== height || alpha.bytesPerSample !== bytesPerSample))
    throw unsupported('The transparency has another size or depth than the picture.')
  const header = { width, height, channels: alpha ? 4 : 3, bytesPerSample }
  refuseTooLarge(header, limits)
  return { ...header, coding, picture: part, alpha: alpha?.part }
}
