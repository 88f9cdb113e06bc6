// Walks a PNG chunk by chunk to its end, checksums included, and tells the picture from its metadata.
import {
  createMetadataCollector,
  damaged,
  keep,
  orientationTiff,
  readUint32,
  refuseTooManyFrames,
  standsAt,
} from './container-parts.ts'
import type { Container, Header, MetadataCollector, Piece } from './container-parts.ts'
import type { ImageLimits } from './image-limits.ts'
import { alphaTypes, palette, readChunk, readIhdr } from './png-chunks.ts'
import { refuseWrongChecksum, writeChunk } from './png-chunks.ts'
import type { Chunk, PngHeader } from './png-chunks.ts'
import { cleanProfile } from './png-profile.ts'
import { readPngText } from './png-text.ts'

/** An APNG while it is walked: what acTL promised and what has come of it. */
interface Animation {
  readonly declared: number
  frames: number
  sequence: number
  /** Whether the last frame control still waits for its image data. */
  isWaiting: boolean
}

interface Walk {
  readonly bytes: Uint8Array
  readonly header: PngHeader
  readonly limits: ImageLimits
  readonly pieces: Piece[]
  readonly metadata: MetadataCollector
  /** Types that may stand once and did. */
  readonly seen: Set<string>
  /** None yet, in its run of chunks, or over: image data is one run. */
  data: 'before' | 'inside' | 'after'
  animation: Animation | undefined
}

/**
 * Ancillary chunks that change how the picture looks, with the most bytes they can have: a longer one is no
 * valid chunk to a decoder, but could carry text.
 */
const lookChunks: ReadonlyMap<string, number> = new Map([
  ['tRNS', 256],
  ['sRGB', 1],
  ['gAMA', 4],
  ['cHRM', 32],
  ['cICP', 4],
  ['sBIT', 4],
  ['bKGD', 6],
  ['pHYs', 9],
])

const frameControlBytes = 26
const endChunk = writeChunk('IEND', new Uint8Array())

export function readPngHeader(bytes: Uint8Array): Header {
  const { width, height, channels, bytesPerSample } = readIhdr(bytes)
  return { width, height, channels, bytesPerSample }
}

export function walkPng(bytes: Uint8Array, limits: ImageLimits): Container {
  const header = readIhdr(bytes)
  const walk: Walk = {
    bytes,
    header,
    limits,
    pieces: [],
    metadata: createMetadataCollector(limits),
    seen: new Set(),
    data: 'before',
    animation: undefined,
  }
  let at = header.to
  let hasEnd = false
  while (!hasEnd && !isCutInEnd(bytes, at)) {
    const chunk = readChunk(bytes, at)
    refuseWrongChecksum(bytes, chunk)
    hasEnd = chunk.type === 'IEND'
    if (walk.data === 'inside' && chunk.type !== 'IDAT') walk.data = 'after'
    takeChunk(walk, chunk)
    at = chunk.to
  }
  if (walk.data === 'before') throw damaged('The PNG has no image data.')
  const { animation } = walk
  if (animation !== undefined && (animation.isWaiting || animation.frames !== animation.declared)) {
    throw damaged('The PNG lacks frames of its animation.')
  }
  const hasTransparentColour = walk.seen.has('tRNS')
  return {
    type: 'png',
    width: header.width,
    height: header.height,
    channels: header.channels + (hasTransparentColour ? 1 : 0),
    bytesPerSample: header.bytesPerSample,
    frames: animation?.declared ?? 1,
    hasAlpha: alphaTypes.has(header.colourType) || hasTransparentColour,
    lacksEnd: !hasEnd,
    metadata: walk.metadata.blocks,
    opening: [{ from: 0, to: header.to }],
    rest: walk.pieces,
    end: endChunk.slice(),
  }
}

/** The eXIf chunk that holds nothing but the orientation. */
export function pngOrientation(orientation: number): Uint8Array {
  return writeChunk('eXIf', orientationTiff(orientation))
}

/** Whether all that is left of the file is the start of an IEND chunk, or nothing. */
function isCutInEnd(bytes: Uint8Array, at: number): boolean {
  const left = bytes.length - at
  return left < endChunk.length && standsAt(bytes, at, endChunk.subarray(0, left))
}

function takeChunk(walk: Walk, chunk: Chunk): void {
  const { bytes, pieces, metadata } = walk
  switch (chunk.type) {
    case 'IDAT':
      if (walk.data === 'after') throw damaged('The image data of the PNG is torn apart.')
      if (walk.header.colourType === palette && !walk.seen.has('PLTE')) {
        throw damaged('The PNG has no palette.')
      }
      walk.data = 'inside'
      if (walk.animation !== undefined) walk.animation.isWaiting = false
      keep(pieces, chunk.from, chunk.to)
      return
    case 'PLTE':
      takePalette(walk, chunk)
      return
    case 'IEND':
      return
    case 'acTL':
    case 'fcTL':
    case 'fdAT':
      takeAnimation(walk, chunk)
      return
    case 'eXIf':
      metadata.addExif(bytes.subarray(chunk.body, chunk.bodyEnd))
      return
    case 'tEXt':
    case 'zTXt':
    case 'iTXt':
      readPngText(chunk.type, bytes.subarray(chunk.body, chunk.bodyEnd), metadata)
      return
    default:
      takeAncillary(walk, chunk)
  }
}

function takePalette(walk: Walk, chunk: Chunk): void {
  if (walk.seen.has('PLTE') || walk.data !== 'before')
    throw damaged('The PNG has a palette in a wrong place.')
  walk.seen.add('PLTE')
  // Grey pictures may not have one: decoders skip it there, and so does the strip.
  if (walk.header.colourType === 2 || walk.header.colourType === palette || walk.header.colourType === 6) {
    keep(walk.pieces, chunk.from, chunk.to)
  }
}

/** Keeps what changes how the picture looks, once and before the image data, where decoders want it. */
function takeAncillary(walk: Walk, { type, from, body, bodyEnd, to }: Chunk): void {
  const isCritical = type.charAt(0) < 'a'
  if (isCritical) throw damaged('The PNG has a chunk that no decoder knows but all need.')
  if (walk.seen.has(type) || walk.data !== 'before') return
  if (type === 'tRNS' && alphaTypes.has(walk.header.colourType)) return
  if (type === 'iCCP') {
    const profile = cleanProfile(walk.bytes.subarray(body, bodyEnd))
    if (profile === undefined) return
    walk.pieces.push(writeChunk(type, profile))
  } else if (bodyEnd - body <= (lookChunks.get(type) ?? -1)) {
    keep(walk.pieces, from, to)
  } else {
    return
  }
  walk.seen.add(type)
}

/** Keeps an animation and holds its frames to what acTL declares; without acTL decoders see none. */
function takeAnimation(walk: Walk, chunk: Chunk): void {
  const { bytes, header, limits } = walk
  const length = chunk.bodyEnd - chunk.body
  if (chunk.type === 'acTL') {
    if (walk.data !== 'before') return
    if (walk.animation !== undefined || length !== 8) throw damaged('The animation of the PNG is malformed.')
    const declared = readUint32(bytes, chunk.body)
    refuseTooManyFrames(header, declared, limits)
    walk.animation = { declared, frames: 0, sequence: 0, isWaiting: false }
    keep(walk.pieces, chunk.from, chunk.to)
    return
  }
  const { animation } = walk
  if (animation === undefined) return
  if (length < 4 || readUint32(bytes, chunk.body) !== animation.sequence) {
    throw damaged('The animation of the PNG is malformed.')
  }
  animation.sequence += 1
  if (chunk.type === 'fcTL') startFrame(walk, animation, chunk)
  else if (walk.data === 'before' || animation.frames === 0)
    throw damaged('A frame of the PNG has no header.')
  else animation.isWaiting = false
  keep(walk.pieces, chunk.from, chunk.to)
}

function startFrame({ bytes, header, data }: Walk, animation: Animation, { body, bodyEnd }: Chunk): void {
  if (bodyEnd - body !== frameControlBytes || animation.isWaiting) {
    throw damaged('The animation of the PNG is malformed.')
  }
  const width = readUint32(bytes, body + 4)
  const height = readUint32(bytes, body + 8)
  const right = readUint32(bytes, body + 12) + width
  const bottom = readUint32(bytes, body + 16) + height
  if (width === 0 || height === 0 || right > header.width || bottom > header.height) {
    throw damaged('A frame of the PNG lies outside the picture.')
  }
  const isWhole = width === header.width && height === header.height
  if (data === 'before' && !isWhole) throw damaged('The first frame of the PNG is not the whole picture.')
  animation.frames += 1
  animation.isWaiting = true
}
