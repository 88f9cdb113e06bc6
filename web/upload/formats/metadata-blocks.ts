// Finds the EXIF and XMP blocks of a photo, as the server does, and in the formats that only a browser knows as well.
//
// The server refuses a broken file and finds the blocks on its way to the end; here whatever is broken ends the search, and
// what was found until then counts. What the blocks say is judged by the very code of the server (src/shared/formats/gps.ts).
import type { MetadataBlock } from '../../../src/shared/formats/gps.ts'
import { exifBlock, latin1 } from './block-parts.ts'
import { heifBlocks } from './heif-blocks.ts'
import type { PhotoKind } from './photo-kind.ts'
import { pngBlocks } from './png-blocks.ts'

const maxBlocks = 64
const maxMetadataBytes = 1_048_576

const exifPrefix = 'Exif\0'
const xmpPrefix = 'http://ns.adobe.com/xap/1.0/\0'

const isRestart = (marker: number): boolean => marker >= 0xd0 && marker <= 0xd7

/** Past coded data, to the next marker that is none of it. */
function scanEnd(bytes: Uint8Array, from: number): number {
  let at = bytes.indexOf(0xff, from)
  while (at !== -1) {
    let code = at + 1
    while (bytes[code] === 0xff) code += 1
    const marker = bytes[code]
    if (marker === undefined || (marker !== 0 && !isRestart(marker))) return at
    at = bytes.indexOf(0xff, code + 1)
  }
  return bytes.length
}

function jpegBlocks(bytes: Uint8Array): MetadataBlock[] {
  const blocks: MetadataBlock[] = []
  let at = bytes.indexOf(0xff, 2)
  while (at !== -1) {
    let code = at + 1
    while (bytes[code] === 0xff) code += 1
    const marker = bytes[code]
    if (marker === undefined || marker === 0xd9) break
    if (marker === 0 || marker === 1 || isRestart(marker)) {
      at = bytes.indexOf(0xff, code)
      continue
    }
    const body = code + 3
    const to = code + 1 + (bytes[code + 1] ?? 0) * 256 + (bytes[code + 2] ?? 0)
    if (to < body || to > bytes.length) break
    if (marker === 0xe1 && latin1(bytes, body, body + 5) === exifPrefix) {
      const block = exifBlock(bytes.subarray(body + 6, to))
      if (block) blocks.push(block)
    } else if (marker === 0xe1 && latin1(bytes, body, body + xmpPrefix.length) === xmpPrefix) {
      blocks.push({ kind: 'xmp', bytes: bytes.subarray(body + xmpPrefix.length, to) })
    }
    at = bytes.indexOf(0xff, marker === 0xda ? scanEnd(bytes, to) : to)
  }
  return blocks
}

/** The packet of an XMP extension: as it is, up to the bytes that lead block readers out of it. */
function gifBlocks(bytes: Uint8Array): MetadataBlock[] {
  for (let at = bytes.indexOf(0x58); at !== -1; at = bytes.indexOf(0x58, at + 1)) {
    if (latin1(bytes, at, at + 11) !== 'XMP DataXMP') continue
    let end = bytes.indexOf(1, at + 11)
    while (end !== -1 && latin1(bytes, end, end + 4) !== '\x01\xff\xfe\xfd') end = bytes.indexOf(1, end + 1)
    if (end !== -1) return [{ kind: 'xmp', bytes: bytes.subarray(at + 11, end) }]
  }
  return []
}

/** RIFF chunks: little-endian lengths, padded to even ones. */
function webpBlocks(bytes: Uint8Array): MetadataBlock[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const blocks: MetadataBlock[] = []
  for (let at = 12; at + 8 <= bytes.length;) {
    const length = view.getUint32(at + 4, true)
    const type = latin1(bytes, at, at + 4)
    const body = bytes.subarray(at + 8, at + 8 + length)
    const block = type === 'EXIF' ? exifBlock(body) : undefined
    if (block) blocks.push(block)
    if (type === 'XMP ') blocks.push({ kind: 'xmp', bytes: body })
    at += 8 + length + (length % 2)
  }
  return blocks
}

async function find(bytes: Uint8Array, kind: PhotoKind): Promise<readonly MetadataBlock[]> {
  switch (kind) {
    case 'jpeg':
      return jpegBlocks(bytes)
    case 'png':
      return pngBlocks(bytes)
    case 'webp':
      return webpBlocks(bytes)
    case 'heic':
    case 'avif':
      return heifBlocks(bytes)
    case 'tiff':
      return [{ kind: 'exif', bytes }]
    case 'gif':
      return gifBlocks(bytes)
    case 'bmp':
      return []
  }
}

/** In file order, within the bounds of the server; never rejects. */
export async function metadataBlocks(bytes: Uint8Array, kind: PhotoKind): Promise<readonly MetadataBlock[]> {
  const found = await find(bytes, kind).catch(() => [])
  const kept: MetadataBlock[] = []
  let remaining = maxMetadataBytes
  for (const block of found.slice(0, maxBlocks)) {
    const taken = kind === 'tiff' ? block.bytes : block.bytes.subarray(0, remaining)
    remaining -= taken.length
    if (taken.length > 0) kept.push({ ...block, bytes: taken })
  }
  return kept
}
