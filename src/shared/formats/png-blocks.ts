// Finds EXIF and XMP in the chunks of a PNG: the EXIF chunk, and the text chunks in which older programs put both.
import { exifBlock, type MetadataBlock } from './metadata-block.ts'
import { latin1 } from './block-parts.ts'

const maxInflatedBytes = 262_144
const xmpPrefix = 'http://ns.adobe.com/xap/1.0/\0'

/** @returns undefined for broken data, or a decompression bomb. */
async function inflate(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  const stream = new Blob([bytes.slice()]).stream().pipeThrough(new DecompressionStream('deflate'))
  const reader = stream.getReader()
  const pieces: Uint8Array[] = []
  let length = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      length += value.length
      if (length > maxInflatedBytes) {
        await reader.cancel()
        return undefined
      }
      pieces.push(value)
    }
  } catch {
    return undefined
  }
  const whole = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

/** A raw profile: an empty line, its name, its length, then the bytes in hexadecimal lines. */
function rawProfile(text: Uint8Array): Uint8Array {
  const lines = new TextDecoder('latin1').decode(text).replace(/^\n/, '').split('\n')
  const digits = lines.slice(2).join('').replaceAll(/\s+/g, '')
  return Uint8Array.from({ length: digits.length >> 1 }, (_, index) =>
    Number.parseInt(digits.slice(index * 2, index * 2 + 2), 16),
  )
}

async function textOf(type: string, data: Uint8Array): Promise<Uint8Array | undefined> {
  if (type === 'tEXt') return data
  if (type === 'zTXt') return data[0] === 0 ? inflate(data.subarray(1)) : undefined
  const languageEnd = data.indexOf(0, 2)
  const translatedEnd = languageEnd === -1 ? -1 : data.indexOf(0, languageEnd + 1)
  if (translatedEnd === -1) return undefined
  const text = data.subarray(translatedEnd + 1)
  return data[0] === 1 ? inflate(text) : text
}

async function textBlock(type: string, data: Uint8Array): Promise<MetadataBlock | undefined> {
  const keywordEnd = data.subarray(0, 80).indexOf(0)
  const keyword = latin1(data, 0, Math.max(0, keywordEnd))
  const isXmp = keyword === 'XML:com.adobe.xmp'
  if (!isXmp && !/^Raw profile type (?:exif|APP1|app1|xmp)$/.test(keyword)) return undefined
  const text = await textOf(type, data.subarray(keywordEnd + 1))
  if (text === undefined) return undefined
  if (isXmp) return { kind: 'xmp', bytes: text }
  const profile = rawProfile(text)
  if (latin1(profile, 0, xmpPrefix.length) === xmpPrefix)
    return { kind: 'xmp', bytes: profile.subarray(xmpPrefix.length) }
  return keyword.endsWith('xmp') ? { kind: 'xmp', bytes: profile } : exifBlock(profile)
}

export async function pngBlocks(bytes: Uint8Array): Promise<readonly MetadataBlock[]> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const blocks: MetadataBlock[] = []
  for (let at = 8; at + 12 <= bytes.length;) {
    const length = view.getUint32(at)
    const type = latin1(bytes, at + 4, at + 8)
    const data = bytes.subarray(at + 8, at + 8 + length)
    const isText = type === 'tEXt' || type === 'zTXt' || type === 'iTXt'
    const block = type === 'eXIf' ? exifBlock(data) : isText ? await textBlock(type, data) : undefined
    if (block) blocks.push(block)
    if (type === 'IEND') break
    at += 12 + length
  }
  return blocks
}
