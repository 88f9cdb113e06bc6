// Walks a PNG chunk by chunk to its end, including checksums, and separates the picture from its metadata.
import { standsAt } from '../../../shared/formats/bytes.ts'
import { exifBlock } from '../../../shared/formats/metadata-block.ts'
import {
  createMetadataCollector,
  damaged,
  keep,
  orientationTiff,
  readUint32,
  refuseTooManyFrames,
  substitute,
} from '../../container-parts.ts'
import type {
  Container,
  Header,
  MetadataCollector,
  Piece,
  Stretch,
  Substitution,
} from '../../container-parts.ts'
import type { ImageLimits } from '../../image-limits.ts'
import { alphaTypes, palette, readChunk, readIhdr } from './png-chunks.ts'
import { refuseWrongChecksum, writeChunk } from './png-chunks.ts'
import type { Chunk, PngHeader } from './png-chunks.ts'
import { areChromaticities, createPngColours, type PngColours } from './png-colours.ts'
import { cleanProfile } from './png-profile.ts'
import { readPngText } from './png-text.ts'

/** State of an APNG during the walk: what acTL declares and what has been found. */
interface Animation {
  readonly declared: number
  /** All of its chunks among the pieces. */
  readonly chunks: Stretch[]
  /** If it is broken, only the still picture is kept, which is also what every viewer shows. */
  isBroken: boolean
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
  /** Types that may occur only once and have occurred. */
  readonly seen: Set<string>
  /** Before, within or after the image data, which is one run of chunks. */
  data: 'before' | 'inside' | 'after'
  animation: Animation | undefined
  /** The chunks that define the colour space. */
  readonly colours: PngColours
}

/** With another length, decoders ignore these chunks, but they could carry text. */
const lookChunks: ReadonlyMap<string, number> = new Map([
  ['sRGB', 1],
  ['gAMA', 4],
  ['cHRM', 32],
  ['cICP', 4],
  ['pHYs', 9],
])

/** The same, if the length depends on the colour type: grey, RGB, palette, grey with alpha, RGBA. */
const lookChunksByType: ReadonlyMap<string, ReadonlyMap<number, number>> = new Map([
  [
    'sBIT',
    new Map([
      [0, 1],
      [2, 3],
      [3, 3],
      [4, 2],
      [6, 4],
    ]),
  ],
  [
    'bKGD',
    new Map([
      [0, 2],
      [2, 6],
      [3, 1],
      [4, 2],
      [6, 6],
    ]),
  ],
  [
    'tRNS',
    new Map([
      [0, 2],
      [2, 6],
    ]),
  ],
])

/** Whether a chunk that changes how the picture looks has a valid length. */
function isLook({ header, bytes }: Walk, { type, body, bodyEnd }: Chunk): boolean {
  const length = bodyEnd - body
  if (type === 'tRNS' && header.colourType === palette) return length > 0 && length <= 256
  const expected = lookChunks.get(type) ?? lookChunksByType.get(type)?.get(header.colourType)
  if (length !== expected) return false
  if (type === 'cHRM') return areChromaticities(bytes.subarray(body, bodyEnd))
  return type !== 'sRGB' || (bytes[body] ?? 0) < 4
}

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
    colours: createPngColours(),
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
  const isWhole = animation !== undefined && !animation.isWaiting && animation.frames === animation.declared
  if (animation !== undefined && !isWhole && !hasEnd) throw damaged('The PNG has missing animation frames.')
  const isAnimatedPng = isWhole && !animation.isBroken
  const dropped = [...(isAnimatedPng ? [] : (animation?.chunks ?? [])), ...walk.colours.overridden()]
  const hasTransparentColour = walk.seen.has('tRNS')
  return {
    type: 'png',
    width: header.width,
    height: header.height,
    channels: header.channels + (hasTransparentColour ? 1 : 0),
    bytesPerSample: header.bytesPerSample,
    frames: isAnimatedPng ? animation.declared : 1,
    isAnimatedPng,
    colourSpace: walk.colours.space(),
    hasAlpha: alphaTypes.has(header.colourType) || hasTransparentColour,
    lacksEnd: !hasEnd,
    metadata: walk.metadata.blocks,
    opening: [{ from: 0, to: header.to }],
    rest: dropped.length === 0 ? walk.pieces : substitute(walk.pieces, inFileOrder(dropped)),
    end: endChunk.slice(),
  }
}

function inFileOrder(stretches: readonly Stretch[]): Substitution[] {
  return stretches
    .map(({ from, to }) => ({ from, to, bytes: undefined }))
    .toSorted((one, other) => one.from - other.from)
}

/** An eXIf chunk with only the orientation. */
export function pngOrientation(orientation: number): Uint8Array {
  return writeChunk('eXIf', orientationTiff(orientation))
}

/** Whether the rest of the file is only the start of an IEND chunk, or nothing. */
function isCutInEnd(bytes: Uint8Array, at: number): boolean {
  const left = bytes.length - at
  return left < endChunk.length && standsAt(bytes, at, endChunk.subarray(0, left))
}

function takeChunk(walk: Walk, chunk: Chunk): void {
  const { bytes, pieces, metadata } = walk
  switch (chunk.type) {
    case 'IDAT':
      if (walk.data === 'after') throw damaged('The image data of the PNG is not contiguous.')
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
      metadata.add(exifBlock(bytes.subarray(chunk.body, chunk.bodyEnd)))
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
    throw damaged('The PNG has a palette in the wrong place.')
  walk.seen.add('PLTE')
  // With other colour types, PLTE is only a suggestion for screens with few colours.
  if (walk.header.colourType !== palette) return
  const length = chunk.bodyEnd - chunk.body
  if (length === 0 || length % 3 !== 0 || length > 768) throw damaged('The palette of the PNG is malformed.')
  keep(walk.pieces, chunk.from, chunk.to)
}

/** Keeps what changes how the picture looks, once and before the image data, as decoders require. */
function takeAncillary(walk: Walk, chunk: Chunk): void {
  const { type, from, body, bodyEnd, to } = chunk
  const isCritical = type.charAt(0) < 'a'
  if (isCritical) throw damaged('The PNG has an unknown critical chunk.')
  if (walk.seen.has(type) || walk.data !== 'before') return
  if (type === 'tRNS' && alphaTypes.has(walk.header.colourType)) return
  if (type === 'iCCP') {
    const profile = cleanProfile(walk.bytes.subarray(body, bodyEnd))
    if (profile === undefined) return
    walk.pieces.push(writeChunk(type, profile))
  } else if (isLook(walk, chunk)) {
    keep(walk.pieces, from, to)
  } else {
    return
  }
  walk.seen.add(type)
  walk.colours.take(walk.bytes, chunk)
}

/** Keeps an animation and checks its frames against acTL; without acTL decoders ignore them. */
function takeAnimation(walk: Walk, chunk: Chunk): void {
  const { bytes, header, limits } = walk
  const length = chunk.bodyEnd - chunk.body
  if (chunk.type === 'acTL') {
    if (walk.data !== 'before') return
    if (walk.animation !== undefined) {
      walk.animation.isBroken = true
      return
    }
    const declared = length === 8 ? readUint32(bytes, chunk.body) : 0
    refuseTooManyFrames(header, declared, limits)
    const chunks: Stretch[] = []
    const isBroken = length !== 8 || declared === 0
    walk.animation = { declared, chunks, isBroken, frames: 0, sequence: 0, isWaiting: false }
    keepAnimation(walk, walk.animation, chunk)
    return
  }
  const { animation } = walk
  if (animation === undefined || animation.isBroken) return
  keepAnimation(walk, animation, chunk)
  const isNext = length >= 4 && readUint32(bytes, chunk.body) === animation.sequence
  animation.sequence += 1
  if (!isNext) animation.isBroken = true
  else if (chunk.type === 'fcTL') startFrame(walk, animation, chunk)
  else if (walk.data === 'before' || animation.frames === 0) animation.isBroken = true
  else animation.isWaiting = false
}

function keepAnimation(walk: Walk, animation: Animation, { from, to }: Chunk): void {
  keep(walk.pieces, from, to)
  animation.chunks.push({ from, to })
}

function startFrame({ bytes, header, data }: Walk, animation: Animation, { body, bodyEnd }: Chunk): void {
  animation.frames += 1
  if (bodyEnd - body !== frameControlBytes || animation.isWaiting) {
    animation.isBroken = true
    return
  }
  animation.isWaiting = true
  const width = readUint32(bytes, body + 4)
  const height = readUint32(bytes, body + 8)
  const right = readUint32(bytes, body + 12) + width
  const bottom = readUint32(bytes, body + 16) + height
  const isInside = width > 0 && height > 0 && right <= header.width && bottom <= header.height
  // If the still picture is the first frame, that frame must cover the whole picture.
  const isFit = data !== 'before' || (width === header.width && height === header.height)
  const [disposal, blending] = [bytes[body + 24] ?? 0, bytes[body + 25] ?? 0]
  if (!isInside || !isFit || disposal > 2 || blending > 1) animation.isBroken = true
}
