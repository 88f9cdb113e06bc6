// Finds EXIF and XMP in the text chunks of a PNG, where editors older than eXIf store them.
import { standsAt } from '../../../shared/formats/bytes.ts'
import { exifBlock, xmpSignature } from '../../../shared/formats/metadata-block.ts'
import type { MetadataCollector } from '../../container-parts.ts'

type TextChunk = 'tEXt' | 'zTXt' | 'iTXt'
type Content = 'exif' | 'app1' | 'xmp' | 'xmp-text'

const contents: ReadonlyMap<string, Content> = new Map([
  ['XML:com.adobe.xmp', 'xmp-text'],
  ['Raw profile type exif', 'exif'],
  ['Raw profile type APP1', 'app1'],
  ['Raw profile type app1', 'app1'],
  ['Raw profile type xmp', 'xmp'],
])

const maxKeywordLength = 79
const lineFeed = 0x0a
/** Hexadecimal text is twice as long as its data, plus line ends: anything longer would be dropped anyway. */
const maxProfileText = 2_228_224

/** Adds the chunk's content to `metadata`; invalid content is skipped (C16). */
export function readPngText(type: TextChunk, data: Uint8Array, metadata: MetadataCollector): void {
  const keywordEnd = data.subarray(0, maxKeywordLength + 1).indexOf(0)
  if (keywordEnd < 1) return
  const content = contents.get(String.fromCharCode(...data.subarray(0, keywordEnd)))
  if (content === undefined) return
  const text = readText(type, data.subarray(keywordEnd + 1), metadata)
  if (text === undefined) return
  if (content === 'xmp-text') {
    metadata.add({ kind: 'xmp', bytes: text })
    return
  }
  const profile = readRawProfile(text)
  // APP1 contains a whole JPEG segment: the signature tells which of the two it is.
  const isPrefixed = standsAt(profile, 0, xmpSignature)
  const packet = isPrefixed ? profile.subarray(xmpSignature.length) : profile
  metadata.add(isPrefixed || content === 'xmp' ? { kind: 'xmp', bytes: packet } : exifBlock(profile))
}

/** The text after the keyword, inflated if it is compressed. */
function readText(type: TextChunk, data: Uint8Array, metadata: MetadataCollector): Uint8Array | undefined {
  if (type === 'tEXt') return data
  if (type === 'zTXt') return data[0] === 0 ? metadata.inflate(data.subarray(1)) : undefined
  const isCompressed = data[0] === 1
  const languageEnd = data.indexOf(0, 2)
  const translatedEnd = languageEnd === -1 ? -1 : data.indexOf(0, languageEnd + 1)
  if (translatedEnd === -1) return undefined
  const text = data.subarray(translatedEnd + 1)
  return isCompressed ? metadata.inflate(text) : text
}

/** A raw profile is text: an empty line, its name, its length, then the bytes in hexadecimal lines. */
function readRawProfile(text: Uint8Array): Uint8Array {
  let at = text[0] === lineFeed ? 1 : 0
  for (let line = 0; line < 2; line += 1) {
    const end = text.indexOf(lineFeed, at)
    if (end === -1) return new Uint8Array()
    at = end + 1
  }
  const hexadecimal = Buffer.from(text.subarray(at, at + maxProfileText)).toString('latin1')
  return Buffer.from(hexadecimal.replaceAll(/\s+/g, ''), 'hex')
}
