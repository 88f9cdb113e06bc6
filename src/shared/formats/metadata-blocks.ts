// Finds the EXIF and XMP blocks of a photo, as the server does, before it is sent: for browser, command line and SDK.
//
// The server refuses a broken file and finds the blocks on its way to the end; here whatever is broken ends the search, and
// what was found until then counts. What the blocks say is judged by the very code of the server (gps.ts).
import { wholeSegments } from './jpeg-segments.ts'
import { exifBlock, segmentBlock, type MetadataBlock } from './metadata-block.ts'
import { latin1 } from './block-parts.ts'
import { heifBlocks } from './heif-blocks.ts'
import { pngBlocks } from './png-blocks.ts'

/** Those in which the blocks are found, whether or not the service takes them. */
export type BlockFormat = 'jpeg' | 'png' | 'gif' | 'bmp' | 'webp' | 'heic' | 'avif' | 'tiff'

const maxBlocks = 64
const maxMetadataBytes = 1_048_576

function jpegBlocks(bytes: Uint8Array): MetadataBlock[] {
  return [...wholeSegments(bytes)].flatMap((segment) => segmentBlock(bytes, segment) ?? [])
}

/** The packet of an XMP extension: up to the bytes that terminate it for block readers. */
function gifBlocks(bytes: Uint8Array): MetadataBlock[] {
  for (let at = bytes.indexOf(0x58); at !== -1; at = bytes.indexOf(0x58, at + 1)) {
    if (latin1(bytes, at, at + 11) !== 'XMP DataXMP') continue
    let end = bytes.indexOf(1, at + 11)
    while (end !== -1 && latin1(bytes, end, end + 4) !== '\x01\xff\xfe\xfd') end = bytes.indexOf(1, end + 1)
    if (end !== -1) return [{ kind: 'xmp', bytes: bytes.subarray(at + 11, end) }]
  }
  return []
}

/** RIFF chunks: little-endian lengths, padded to even ones; anything after the stated end is ignored. */
function webpBlocks(bytes: Uint8Array): MetadataBlock[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const blocks: MetadataBlock[] = []
  const end = Math.min(bytes.length, 8 + view.getUint32(4, true))
  for (let at = 12; at + 8 <= end;) {
    const length = view.getUint32(at + 4, true)
    const type = latin1(bytes, at, at + 4)
    const body = bytes.subarray(at + 8, Math.min(at + 8 + length, end))
    const block = type === 'EXIF' ? exifBlock(body) : undefined
    if (block) blocks.push(block)
    if (type === 'XMP ') blocks.push({ kind: 'xmp', bytes: body })
    at += 8 + length + (length % 2)
  }
  return blocks
}

type Blocks = readonly MetadataBlock[]

const finders: Readonly<Record<BlockFormat, (bytes: Uint8Array) => Blocks | Promise<Blocks>>> = {
  jpeg: jpegBlocks,
  png: pngBlocks,
  gif: gifBlocks,
  bmp: () => [],
  webp: webpBlocks,
  heic: heifBlocks,
  avif: heifBlocks,
  tiff: (bytes) => [{ kind: 'exif', bytes }],
}

/** In file order, within the bounds of the server; never rejects. */
export async function metadataBlocks(bytes: Uint8Array, kind: BlockFormat): Promise<Blocks> {
  let found: Blocks
  try {
    found = await finders[kind](bytes)
  } catch {
    return []
  }
  const kept: MetadataBlock[] = []
  let remaining = maxMetadataBytes
  for (const block of found.slice(0, maxBlocks)) {
    const taken = kind === 'tiff' ? block.bytes : block.bytes.subarray(0, remaining)
    remaining -= taken.length
    if (taken.length > 0) kept.push({ ...block, bytes: taken })
  }
  return kept
}
