// Walks a JPEG marker by marker to its end and tells what of it is coded picture and what is metadata.
import {
  byteAt,
  createMetadataCollector,
  damaged,
  keep,
  latin1,
  orientationTiff,
  readUint16,
  standsAt,
} from './container-parts.ts'
import type { Container, Header, MetadataCollector, Piece } from './container-parts.ts'
import type { ImageLimits } from './image-limits.ts'

/** One marker with its parameters; the end marker has `body` and `to` right behind it. */
interface Segment {
  readonly marker: number
  readonly from: number
  readonly body: number
  readonly to: number
}

interface Component {
  readonly id: number
  /** For each coefficient, how many low bits no scan has given yet; `unseen` before the first scan. */
  readonly missingBits: Uint8Array
}

interface Frame extends Header {
  readonly isProgressive: boolean
  readonly components: readonly Component[]
}

/** What the strip will write, and what is read for its metadata. */
interface Kept {
  jfif: Uint8Array | undefined
  adobe: Uint8Array | undefined
  profileParts: number
  readonly rest: Piece[]
  readonly metadata: MetadataCollector
}

const startOfImage = 0xd8
const endOfImage = 0xd9
const startOfScan = 0xda
const app0 = 0xe0
const app1 = 0xe1
const app2 = 0xe2
const app14 = 0xee
const app15 = 0xef
const comment = 0xfe
/** DHT, DAC, DQT and DRI, which the decoder needs in their place. */
const tables: ReadonlySet<number> = new Set([0xc4, 0xcc, 0xdb, 0xdd])
const numberOfLines = 0xdc
const ignored: ReadonlySet<number> = new Set([comment, numberOfLines])
/** DHT, JPG and DAC stand among the sixteen SOF markers without being one. */
const noFrames: ReadonlySet<number> = new Set([0xc4, 0xc8, 0xcc])

const unseen = 255
const coefficients = 64
/** What any decoder we serve can show; it also bounds the work per scan. */
const mostComponents = 4
/** Real progressive files have about ten. Each costs the decoder a pass over the picture: a known bomb. */
const mostScans = 100
/** Each part of a colour profile has its number in one byte. */
const mostProfileParts = 255

const jfifSignature = latin1('JFIF\0')
const exifSignature = latin1('Exif\0')
const xmpSignature = latin1('http://ns.adobe.com/xap/1.0/\0')
const iccSignature = latin1('ICC_PROFILE\0')
const adobeSignature = latin1('Adobe')
const exifHeaderBytes = 6
/** Sizes of what a decoder reads of JFIF (without the thumbnail) and of Adobe's segment. */
const jfifBytes = 12
const adobeBytes = 12

export function readJpegHeader(bytes: Uint8Array): Header {
  let at = 2
  for (;;) {
    const segment = nextSegment(bytes, at)
    if (segment === undefined || segment.marker === startOfScan || segment.marker === endOfImage) {
      throw damaged('The JPEG has no frame header before its picture data.')
    }
    if (isFrame(segment.marker)) {
      const { width, height, channels, bytesPerSample } = readFrame(bytes, segment)
      return { width, height, channels, bytesPerSample }
    }
    at = segment.to
  }
}

export function walkJpeg(bytes: Uint8Array, limits: ImageLimits): Container {
  if (readUint16(bytes, 0) !== 0xff00 + startOfImage) throw damaged('The JPEG has no start marker.')
  const kept: Kept = {
    jfif: undefined,
    adobe: undefined,
    profileParts: 0,
    rest: [],
    metadata: createMetadataCollector(limits),
  }
  let frame: Frame | undefined
  let scans = 0
  let segment = nextSegment(bytes, 2)
  while (segment !== undefined && segment.marker !== endOfImage) {
    const { marker } = segment
    let next = segment.to
    if (isFrame(marker)) {
      if (frame !== undefined) throw damaged('The JPEG has a second frame header.')
      frame = readFrame(bytes, segment)
      keep(kept.rest, segment.from, segment.to)
    } else if (marker === startOfScan) {
      if (frame === undefined) throw damaged('The JPEG has no frame header before its picture data.')
      scans += 1
      if (scans > mostScans) throw damaged(`The JPEG has more than ${mostScans} scans.`)
      readScan(bytes, segment, frame)
      next = findScanEnd(bytes, segment.to)
      keep(kept.rest, segment.from, next)
    } else if (tables.has(marker) || (marker === numberOfLines && segment.to - segment.body === 2)) {
      // Of these DNL alone is never read by decoders, so that a longer one could carry text.
      keep(kept.rest, segment.from, segment.to)
    } else if (marker >= app0 && marker <= app15) {
      takeApplication(bytes, segment, kept, scans)
    } else if (!ignored.has(marker)) {
      throw damaged('The JPEG has a marker that is not part of the format.')
    }
    segment = nextSegment(bytes, next)
  }
  const lacksEnd = segment === undefined
  if (frame === undefined || scans === 0) throw damaged('The JPEG has no picture data.')
  refuseMissingScans(frame, lacksEnd)
  const { width, height, channels, bytesPerSample } = frame
  return {
    type: 'jpeg',
    width,
    height,
    channels,
    bytesPerSample,
    frames: 1,
    hasAlpha: false,
    lacksEnd,
    metadata: kept.metadata.blocks,
    opening: [{ from: 0, to: 2 }, ...(kept.jfif === undefined ? [] : [kept.jfif])],
    rest: kept.adobe === undefined ? kept.rest : [kept.adobe, ...kept.rest],
    end: Uint8Array.of(0xff, endOfImage),
  }
}

/** The APP1 segment that holds nothing but the orientation. */
export function jpegOrientation(orientation: number): Uint8Array {
  const tiff = orientationTiff(orientation)
  const header = [0xff, app1, 0, 2 + exifHeaderBytes + tiff.length]
  return Uint8Array.from([...header, ...exifSignature, 0, ...tiff])
}

/**
 * The next marker from `at` on, past fill bytes, markers that stand alone, and stray bytes (writers of wrong lengths
 * leave them, decoders skip them, the strip drops them); undefined when the file ends before one.
 */
function nextSegment(bytes: Uint8Array, at: number): Segment | undefined {
  let position = bytes.indexOf(0xff, at)
  while (position !== -1) {
    let code = position + 1
    while (bytes[code] === 0xff) code += 1
    const marker = bytes[code]
    if (marker === undefined) return undefined
    if (marker !== 0 && !isStandalone(marker)) return readSegment(bytes, code, marker)
    position = bytes.indexOf(0xff, code)
  }
  return undefined
}

function readSegment(bytes: Uint8Array, code: number, marker: number): Segment {
  const from = code - 1
  const body = code + 1
  if (marker === startOfImage) throw damaged('The JPEG has a second start marker.')
  if (marker === endOfImage) return { marker, from, body, to: body }
  const length = readUint16(bytes, body)
  if (length < 2) throw damaged('A segment of the JPEG has an impossible length.')
  if (body + length > bytes.length) throw damaged('The JPEG is cut inside a segment.')
  return { marker, from, body: body + 2, to: body + length }
}

/** TEM and the restart markers, which mean nothing outside a scan. */
function isStandalone(marker: number): boolean {
  return marker === 0x01 || isRestart(marker)
}

function isRestart(marker: number): boolean {
  return marker >= 0xd0 && marker <= 0xd7
}

function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && !noFrames.has(marker)
}

function readFrame(bytes: Uint8Array, { marker, body, to }: Segment): Frame {
  const height = readUint16(bytes, body + 1)
  const width = readUint16(bytes, body + 3)
  const channels = byteAt(bytes, body + 5)
  if (width === 0 || height === 0) throw damaged('A side of the JPEG is 0.')
  if (channels === 0 || channels > mostComponents) throw damaged('The JPEG has no usable number of colours.')
  if (to - body !== 6 + 3 * channels) throw damaged('The frame header of the JPEG has a wrong length.')
  const components: Component[] = []
  for (let index = 0; index < channels; index += 1) {
    const id = byteAt(bytes, body + 6 + 3 * index)
    components.push({ id, missingBits: new Uint8Array(coefficients).fill(unseen) })
  }
  const bytesPerSample = byteAt(bytes, body) > 8 ? 2 : 1
  // The four kinds of each coding process: baseline or extended, progressive, lossless.
  const isProgressive = marker % 4 === 2
  return { width, height, channels, bytesPerSample, isProgressive, components }
}

/** Notes which coefficients of which components the scan brings. */
function readScan(bytes: Uint8Array, { body, to }: Segment, frame: Frame): void {
  const count = byteAt(bytes, body)
  if (count === 0 || to - body !== 4 + 2 * count) {
    throw damaged('A scan header of the JPEG has a wrong length.')
  }
  const parameters = body + 1 + 2 * count
  const first = byteAt(bytes, parameters)
  const last = byteAt(bytes, parameters + 1)
  const lowBits = byteAt(bytes, parameters + 2) % 16
  const inScan = new Set<Component>()
  for (let index = 0; index < count; index += 1) {
    const id = byteAt(bytes, body + 1 + 2 * index)
    // Some writers give all components one id: then their order tells them apart, as decoders have it.
    const component = frame.components.find((one) => one.id === id && !inScan.has(one))
    if (component === undefined) throw damaged('A scan of the JPEG names a colour that the frame has not.')
    inScan.add(component)
    if (frame.isProgressive) component.missingBits.fill(lowBits, first, last + 1)
    else component.missingBits.fill(0)
  }
}

/**
 * Every colour needs a scan. A file without an end marker may have been cut between two scans, where every
 * decoder is content with the blurred picture: there each coefficient must have been given to its last bit.
 */
function refuseMissingScans(frame: Frame, lacksEnd: boolean): void {
  for (const { missingBits } of frame.components) {
    if (missingBits[0] === unseen || (lacksEnd && missingBits.some((bits) => bits !== 0))) {
      throw damaged('The JPEG is cut between its scans.')
    }
  }
}

/**
 * Where the coded data that starts at `at` ends: at the next marker that is no restart, or at the end of the
 * file, in both cases before fill bytes and before the first half of a cut marker.
 */
function findScanEnd(bytes: Uint8Array, at: number): number {
  // The search of a Buffer is ten times as fast as a loop: this reads nearly every byte of nearly every upload.
  const searched = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let position = findMarkerByte(searched, at)
  while (position !== -1) {
    let code = position + 1
    while (searched[code] === 0xff) code += 1
    const marker = searched[code]
    if (marker === undefined || (marker !== 0 && !isRestart(marker))) return position
    position = findMarkerByte(searched, code + 1)
  }
  return bytes.length
}

/** Looks at the nearest bytes itself: a search for each second byte of a hostile file would take half a second. */
function findMarkerByte(bytes: Buffer, at: number): number {
  const near = Math.min(at + 16, bytes.length)
  for (let position = at; position < near; position += 1) if (bytes[position] === 0xff) return position
  return bytes.indexOf(0xff, near)
}

/**
 * Keeps what changes how the picture looks: the colour profile as it is, JFIF and Adobe's transform rewritten
 * to what decoders read of them, which is the last of each. Reads EXIF and XMP; lets everything else go.
 */
function takeApplication(bytes: Uint8Array, segment: Segment, kept: Kept, scans: number): void {
  const { marker, from, body, to } = segment
  const starts = (signature: Uint8Array): boolean => standsAt(bytes, body, signature, to)
  if (marker === app1 && starts(exifSignature)) {
    kept.metadata.addExif(bytes.subarray(body + exifHeaderBytes, to))
  } else if (marker === app1 && starts(xmpSignature)) {
    kept.metadata.addXmp(bytes.subarray(body + xmpSignature.length, to))
  } else if (scans > 0) {
    return
  } else if (marker === app0 && starts(jfifSignature) && to - body >= jfifBytes + 2) {
    const withoutThumbnail = [0, 0]
    const jfif = bytes.subarray(body, body + jfifBytes)
    kept.jfif = Uint8Array.from([0xff, app0, 0, 16, ...jfif, ...withoutThumbnail])
  } else if (marker === app14 && starts(adobeSignature) && to - body >= adobeBytes) {
    kept.adobe = Uint8Array.from([0xff, app14, 0, 14, ...bytes.subarray(body, body + adobeBytes)])
  } else if (marker === app2 && starts(iccSignature) && kept.profileParts < mostProfileParts) {
    kept.profileParts += 1
    keep(kept.rest, from, to)
  }
}
