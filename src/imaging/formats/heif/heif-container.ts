// Walks a HEIC or AVIF to the end of its first picture, and writes a file with only that picture.
import { codedSpace } from '../../coded-colours.ts'
import { colourSpace, type ColourSpace } from '../../colour-space.ts'
import { createMetadataCollector, readUint16, readUint32 } from '../../container-parts.ts'
import type { WalkedPicture } from '../../converted.ts'
import type { ImageLimits } from '../../image-limits.ts'
import { exifBlock, type MetadataBlock } from '../../../shared/formats/metadata-block.ts'
import { rgbProfile } from '../icc/icc-profile.ts'
import { textAt } from './heif-boxes.ts'
import { dataOf, readItems, type Item, type Items } from './heif-items.ts'
import { readPicture } from './heif-picture.ts'
import { writeHeif } from './heif-writer.ts'

const maxMetadataItems = 64
/** Limits for items that share data: stretches may overlap, and an item in many stretches is copied. */
const maxSharedBytes = 65_536
const xmpType = 'application/rdf+xml'

/** Whether a metadata item describes the picture or the file, not another of its pictures. */
function isOfPicture({ references, primary }: Items, { id }: Item): boolean {
  const described = references.filter(({ type, from }) => type === 'cdsc' && from === id)
  return described.length === 0 || described.some(({ to }) => to.includes(primary.id))
}

function blockOf(bytes: Uint8Array, item: Item): MetadataBlock | undefined {
  const data = dataOf(bytes, item)
  if (item.type !== 'Exif') return { kind: 'xmp', bytes: data }
  // The EXIF data of an item starts with the number of bytes before its TIFF header.
  return data.length < 4 ? undefined : exifBlock(data.subarray(4 + readUint32(data, 0)))
}

const lengthOf = ({ stretches }: Item): number => stretches.reduce((sum, { from, to }) => sum + to - from, 0)

function readMetadata(bytes: Uint8Array, items: Items, limits: ImageLimits): readonly MetadataBlock[] {
  const collector = createMetadataCollector(limits)
  const found = [...items.byId.values()].filter(
    (item) => item.type === 'Exif' || (item.type === 'mime' && item.contentType === xmpType),
  )
  let left = bytes.length + maxSharedBytes
  for (const item of found.slice(0, maxMetadataItems)) {
    if (!isOfPicture(items, item)) continue
    try {
      const length = lengthOf(item)
      if (length > left) continue
      const block = blockOf(bytes, item)
      left -= length
      // A copy: a view would retain the whole source, and Buffer.slice() returns a view.
      if (block)
        collector.add({
          ...block,
          bytes: new Uint8Array(block.bytes.subarray(0, limits.maxMetadataBytes)),
        })
    } catch {
      // Broken metadata does not fail an upload (C16).
    }
  }
  return collector.blocks
}

interface Colours {
  readonly profile: Uint8Array | undefined
  readonly colourSpace: ColourSpace | undefined
}

const profileTypes: ReadonlySet<string> = new Set(['prof', 'rICC'])

/** Transfer curves for video. In photos they mean the usual screen curve, as do unspecified values. */
const screenCurves: ReadonlySet<number> = new Set([1, 2, 6, 14, 15])
const srgbCurve = 13
const srgbPrimaries = 1
const unspecified = 2

function readColours(bytes: Uint8Array, { properties }: Item): Colours {
  const boxes = properties.flatMap(({ box }) => (box.type === 'colr' ? [box] : []))
  const icc = boxes.find(({ body }) => profileTypes.has(textAt(bytes, body)))
  const profile = icc && rgbProfile(bytes.subarray(icc.body + 4, icc.to))
  const coded = boxes.find(({ body, to }) => textAt(bytes, body) === 'nclx' && to - body >= 8)
  if (profile || !coded) return { profile, colourSpace: undefined }
  const [primaries, transfer] = [readUint16(bytes, coded.body + 4), readUint16(bytes, coded.body + 6)]
  const space = codedSpace(
    primaries === unspecified ? srgbPrimaries : primaries,
    screenCurves.has(transfer) ? srgbCurve : transfer,
  )
  return { profile, colourSpace: space && colourSpace(space) }
}

/** @throws refusals `broken-image`, `unsupported-image-type`, `image-dimensions-too-large`. */
export function walkHeif(bytes: Uint8Array, limits: ImageLimits): WalkedPicture {
  const items = readItems(bytes)
  const picture = readPicture(bytes, items, limits)
  const { width, height, channels, bytesPerSample, coding, alpha } = picture
  const colours = readColours(bytes, items.primary)
  const format = coding === 'av01' ? 'avif' : 'heic'
  return {
    format,
    width,
    height,
    channels,
    bytesPerSample,
    hasAlpha: alpha !== undefined,
    ...colours,
    metadata: readMetadata(bytes, items, limits),
    file: writeHeif(picture, { bytes, brand: format, profile: colours.profile }),
  }
}
