// Walks a GIF block by block to its trailer, including the image data of every frame.
import { latin1, standsAt } from '../../../shared/formats/bytes.ts'
import { imageFormats } from '../../../shared/formats/image-formats.ts'
import {
  byteAt,
  createMetadataCollector,
  damaged,
  keep,
  readUint16LittleEndian,
  refuseTooManyFrames,
} from '../../container-parts.ts'
import type { Container, Header, MetadataCollector, Piece, Stretch } from '../../container-parts.ts'
import { walkImageData } from './gif-lzw.ts'
import { cleanIccProfile } from '../icc/icc-profile.ts'
import type { ImageLimits } from '../../image-limits.ts'

interface Walk {
  readonly bytes: Uint8Array
  readonly limits: ImageLimits
  readonly pieces: Piece[]
  readonly metadata: MetadataCollector
  /** The canvas size as the decoder computes it; the first frame may enlarge it. */
  width: number
  height: number
  frames: number
  hasAlpha: boolean
  hasLoop: boolean
  hasProfile: boolean
  /** Colours of the global table that a pixel uses. */
  readonly globalColours: Uint8Array
  /** The graphic control for the next frame: if there are several, decoders use the last. */
  control: Uint8Array | undefined
}

const headerBytes = 13
const descriptorBytes = 10
const trailer = 0x3b
const separator = 0x2c
const introducer = 0x21
const graphicControl = 0xf9
const application = 0xff
const applicationBytes = 11
const loopSignatures: readonly Uint8Array[] = [latin1('NETSCAPE2.0'), latin1('ANIMEXTS1.0')]
const profileSignature = latin1('ICCRGBG1012')
const xmpSignature = latin1('XMP DataXMP')
/** An XMP packet is followed by 01, FF down to 00, and the terminator, so that block readers can skip it. */
const xmpTrailerBytes = 258
/** Split packets come from writers that did not know the trailer; the known ones are small. */
const maxSplitXmpBytes = 262_144
const maxProfileBytes = 4_194_304

/**
 * Screen sizes that libvips takes for the author's monitor rather than a canvas; likewise any with a side above
 * `maxCanvasSide`. Then only the frames determine the canvas.
 */
const screenSizes: ReadonlySet<string> = new Set([
  '640x480',
  '640x512',
  '800x600',
  '1024x768',
  '1280x1024',
  '1600x1200',
])
const maxCanvasSide = 2048

/** The logical screen, which frames may exceed. */
export function readGifHeader(bytes: Uint8Array): Header {
  if (!imageFormats.gif.isIn(bytes)) throw damaged('The GIF has no header.')
  const width = readUint16LittleEndian(bytes, 6)
  const height = readUint16LittleEndian(bytes, 8)
  if (width === 0 || height === 0) throw damaged('The GIF has a width or height of 0.')
  return { width, height, channels: 3, bytesPerSample: 1 }
}

export function walkGif(bytes: Uint8Array, limits: ImageLimits): Container {
  const { width, height } = readGifHeader(bytes)
  const isScreen = screenSizes.has(`${width}x${height}`) || Math.max(width, height) > maxCanvasSide
  const walk: Walk = {
    bytes,
    limits,
    pieces: [],
    metadata: createMetadataCollector(limits),
    width: isScreen ? 1 : width,
    height: isScreen ? 1 : height,
    frames: 0,
    hasAlpha: false,
    hasLoop: false,
    hasProfile: false,
    globalColours: new Uint8Array(256),
    control: undefined,
  }
  let at = headerBytes + colourTableBytes(byteAt(bytes, 10))
  if (at > bytes.length) throw damaged('The GIF is truncated within its colour table.')
  const tableEnd = at
  while (at < bytes.length && bytes[at] !== trailer && !isEndOfPictures(walk, at)) at = takeBlock(walk, at)
  if (walk.frames === 0) throw damaged('The GIF has no image.')
  const lacksEnd = at >= bytes.length
  if (lacksEnd && walk.control !== undefined) throw damaged('The GIF is truncated before a frame.')
  return {
    type: 'gif',
    width: walk.width,
    height: walk.height,
    channels: walk.hasAlpha ? 4 : 3,
    bytesPerSample: 1,
    frames: walk.frames,
    hasAlpha: walk.hasAlpha,
    lacksEnd,
    metadata: walk.metadata.blocks,
    opening: writeScreen(walk, tableEnd),
    rest: walk.pieces,
    end: Uint8Array.of(trailer),
  }
}

function colourTableBytes(flags: number): number {
  return flags < 128 ? 0 : 3 * 2 ** ((flags % 8) + 1)
}

/**
 * Invalid data ends the file if it follows a picture with no graphic control pending. Browsers do the same, and the usual cause
 * is another file appended to the first.
 */
function isEndOfPictures({ bytes, frames, control }: Walk, at: number): boolean {
  const kind = bytes[at]
  return frames > 0 && control === undefined && kind !== separator && kind !== introducer && kind !== 0
}

/** Signature, screen and global colour table, with only the colours that pixels use or the background has. */
function writeScreen({ bytes, globalColours }: Walk, tableEnd: number): Piece[] {
  const opening = new Uint8Array(bytes.subarray(0, tableEnd)) // a copy; Buffer.slice() would not be one
  const background = byteAt(bytes, 11)
  const colours = (tableEnd - headerBytes) / 3
  if (background < colours) globalColours[background] = 1
  else opening[11] = 0
  clearColours(opening.subarray(headerBytes), globalColours)
  return isSame(opening, bytes) ? [{ from: 0, to: tableEnd }] : [opening]
}

/** Blackens the unused colours of a table, which could hold 765 bytes of text. */
function clearColours(table: Uint8Array, used: Uint8Array): void {
  for (let entry = 0; entry < table.length; entry += 3) {
    if (used[entry / 3] !== 1) table.fill(0, entry, entry + 3)
  }
}

function isSame(copy: Uint8Array, original: Uint8Array): boolean {
  return copy.every((byte, index) => original[index] === byte)
}

/** Returns where the next block starts. */
function takeBlock(walk: Walk, at: number): number {
  const kind = byteAt(walk.bytes, at)
  if (kind === separator) return takeFrame(walk, at)
  if (kind === introducer) return takeExtension(walk, at)
  // Extra terminators are a common, harmless error of writers; a file that ends in zeros is truncated.
  if (kind === 0 && at + 1 < walk.bytes.length) return at + 1
  throw damaged('The GIF has an unknown block.')
}

function takeFrame(walk: Walk, at: number): number {
  const { bytes } = walk
  const width = readUint16LittleEndian(bytes, at + 5)
  const height = readUint16LittleEndian(bytes, at + 7)
  if (walk.frames === 0) {
    walk.width = Math.max(walk.width, readUint16LittleEndian(bytes, at + 1) + width)
    walk.height = Math.max(walk.height, readUint16LittleEndian(bytes, at + 3) + height)
  }
  walk.frames += 1
  const { control } = walk
  if (control !== undefined) {
    if ((control[3] ?? 0) % 2 === 1) walk.hasAlpha = true
    walk.pieces.push(control)
    walk.control = undefined
  }
  const channels = walk.hasAlpha ? 4 : 3
  const canvas = { width: walk.width, height: walk.height, channels, bytesPerSample: 1 }
  refuseTooManyFrames(canvas, walk.frames, walk.limits)
  const table = at + descriptorBytes
  const data = table + colourTableBytes(byteAt(bytes, at + 9))
  const isLocal = data > table
  const usedColours = isLocal ? new Uint8Array(256) : walk.globalColours
  const { end, keepTo, ending } = walkImageData(bytes, { at: data, pixels: width * height, usedColours })
  const colours = new Uint8Array(bytes.subarray(table, data))
  clearColours(colours, usedColours)
  if (isSame(colours, bytes.subarray(table, data))) {
    keep(walk.pieces, at, keepTo)
  } else {
    keep(walk.pieces, at, table)
    walk.pieces.push(colours)
    keep(walk.pieces, data, keepTo)
  }
  if (ending.length > 0) walk.pieces.push(ending)
  return end
}

function takeExtension(walk: Walk, at: number): number {
  const { bytes } = walk
  const label = byteAt(bytes, at + 1)
  const size = byteAt(bytes, at + 2)
  const body = at + 3
  const end = skipSubBlocks(bytes, at + 2)
  if (label === graphicControl) {
    if (size < 4) throw damaged('A graphic control of the GIF is too short.')
    const [flags = 0, low = 0, high = 0, index = 0] = bytes.subarray(body, body + 4)
    const isTransparent = flags % 2 === 1
    // Three bits of the flags are reserved, and without transparency the transparent colour is unused.
    const clean = [flags % 32, low, high, isTransparent ? index : 0]
    walk.control = Uint8Array.from([introducer, graphicControl, 4, ...clean, 0])
  } else if (label === application && size === applicationBytes) {
    takeApplication(walk, { from: at, to: end })
  }
  return end
}

/** Keeps the loop count and the cleaned profile, reads XMP, and drops everything else. */
function takeApplication(walk: Walk, { from, to }: Stretch): void {
  const { bytes } = walk
  const signature = from + 3
  const body = signature + applicationBytes
  const isLoop = loopSignatures.some((one) => standsAt(bytes, signature, one))
  if (isLoop && !walk.hasLoop && bytes[body] === 3 && bytes[body + 1] === 1) {
    walk.hasLoop = true
    walk.pieces.push(Uint8Array.from([...bytes.subarray(from, body + 4), 0]))
  } else if (!walk.hasProfile && standsAt(bytes, signature, profileSignature)) {
    walk.hasProfile = true
    const profile = cleanIccProfile(joinSubBlocks(bytes.subarray(body, to), maxProfileBytes))
    if (profile !== undefined) {
      walk.pieces.push(new Uint8Array(bytes.subarray(from, body)), writeSubBlocks(profile))
    }
  } else if (standsAt(bytes, signature, xmpSignature)) {
    walk.metadata.add({ kind: 'xmp', bytes: readXmp(bytes.subarray(body, to)) })
  }
}

/** The packet, unbroken before its trailer; or in sub-blocks, as some writers store it. */
function readXmp(data: Uint8Array): Uint8Array {
  const packetEnd = data.length - xmpTrailerBytes
  if (packetEnd >= 0 && data[packetEnd] === 1 && data[packetEnd + 1] === 0xff) {
    return data.subarray(0, packetEnd)
  }
  return joinSubBlocks(data, maxSplitXmpBytes)
}

/** The content of a chain of sub-blocks, up to a limit in bytes. */
function joinSubBlocks(data: Uint8Array, maxBytes: number): Uint8Array {
  const packet = new Uint8Array(Math.min(data.length, maxBytes))
  let length = 0
  let next = 0
  for (let at = 0; at < data.length && length < packet.length; at += 1) {
    if (at !== next) packet[length++] = data[at] ?? 0
    else next = at + 1 + (data[at] ?? 0)
  }
  return packet.subarray(0, length)
}

function writeSubBlocks(data: Uint8Array): Uint8Array {
  const chain = new Uint8Array(data.length + Math.ceil(data.length / 255) + 1)
  for (let [from, at] = [0, 0]; from < data.length; from += 255) {
    const block = data.subarray(from, from + 255)
    chain[at] = block.length
    chain.set(block, at + 1)
    at += 1 + block.length
  }
  return chain
}

/** Returns where the block after the terminator of a chain of sub-blocks starts. */
function skipSubBlocks(bytes: Uint8Array, at: number): number {
  let position = at
  let size = byteAt(bytes, position)
  while (size > 0) {
    position += 1 + size
    size = byteAt(bytes, position)
  }
  return position + 1
}
