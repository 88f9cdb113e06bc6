// Walks a JPEG marker by marker to its end, including coded data, and keeps what a decoder needs to show the picture.
import { latin1, standsAt } from '../../../shared/formats/bytes.ts'
import * as markers from '../../../shared/formats/jpeg-segments.ts'
import { segmentBlock } from '../../../shared/formats/metadata-block.ts'
import { createMetadataCollector, damaged, keep, orientationTiff, readUint16 } from '../../container-parts.ts'
import type { Container, Header, MetadataCollector, Piece } from '../../container-parts.ts'
import { cleanIccProfile } from '../icc/icc-profile.ts'
import type { ImageLimits } from '../../image-limits.ts'
import { isComplete, readFrame, readScan, refuseMissingScans, type Frame } from './jpeg-frame.ts'
import { createCutter } from './jpeg-scan.ts'
import { nextSegment, writeSegment } from './jpeg-segments.ts'
import { createTables, usedTables, type TableSegment } from './jpeg-tables.ts'

/** The output of the strip, and the input for the metadata. */
interface Kept {
  jfif: Uint8Array | undefined
  adobe: Uint8Array | undefined
  /** The parts of the colour profile by number, and how many there should be. */
  readonly profile: Map<number, Uint8Array>
  profileParts: number | undefined
  /** Includes tables: only at the end is it known whether a scan needs them. */
  readonly rest: (Piece | TableSegment)[]
  readonly metadata: MetadataCollector
}

/** Real progressive files have about ten. Each costs the decoder a pass over the picture: a known attack. */
const maxScans = 100

const jfifSignature = latin1('JFIF\0')
const exifSignature = latin1('Exif\0')
const iccSignature = latin1('ICC_PROFILE\0')
const adobeSignature = latin1('Adobe')
const profileSpaceAt = 16
const inkSpace = latin1('CMYK')
/** The part of JFIF that decoders read, without the thumbnail. */
const jfifBytes = 12
/** Adobe's segment has a version and flags that nothing reads, and the colour transform. */
const adobeBytes = 12
const adobeVersion = [0, 100, 0, 0, 0, 0]
/** The maximum segment length minus part number and count. */
const maxProfilePart = 65_519

export function readJpegHeader(bytes: Uint8Array): Header {
  let at = 2
  for (;;) {
    const segment = nextSegment(bytes, at)
    if (segment === undefined || [markers.startOfScan, markers.endOfImage].includes(segment.marker)) {
      throw damaged('The JPEG has no frame header before its image data.')
    }
    if (markers.isFrame(segment.marker)) {
      const { width, height, channels, bytesPerSample } = readFrame(bytes, segment)
      return { width, height, channels, bytesPerSample }
    }
    at = segment.to
  }
}

export function walkJpeg(bytes: Uint8Array, limits: ImageLimits): Container {
  if (readUint16(bytes, 0) !== 0xff00 + markers.startOfImage) throw damaged('The JPEG has no start marker.')
  const kept: Kept = {
    jfif: undefined,
    adobe: undefined,
    profile: new Map(),
    profileParts: undefined,
    rest: [],
    metadata: createMetadataCollector(limits),
  }
  const tables = createTables(bytes)
  const cutter = createCutter(bytes)
  let frame: Frame | undefined
  let scans = 0
  let segment = nextSegment(bytes, 2)
  while (segment !== undefined && segment.marker !== markers.endOfImage) {
    const { marker } = segment
    let next = segment.to
    if (markers.isFrame(marker)) {
      if (frame !== undefined) throw damaged('The JPEG has a second frame header.')
      frame = readFrame(bytes, segment)
      kept.rest.push({ from: segment.from, to: segment.to })
    } else if (marker === markers.startOfScan) {
      if (frame === undefined) throw damaged('The JPEG has no frame header before its image data.')
      scans += 1
      if (scans > maxScans) throw damaged(`The JPEG has more than ${maxScans} scans.`)
      if (!frame.isProgressive && isComplete(frame)) {
        next = markers.findScanEnd(bytes, segment.to) // decoders have stopped reading
      } else {
        const scan = readScan(bytes, segment, frame)
        const taken = cutter.cut(segment.to, scan, tables.take(scan, frame), frame)
        const isPlain = standsAt(bytes, segment.body, scan.header, segment.to)
        kept.rest.push(isPlain ? { from: segment.from, to: segment.to } : writeSegment(marker, scan.header))
        kept.rest.push(taken.data)
        next = taken.next
      }
    } else if (markers.isTable(marker)) {
      kept.rest.push(tables.read(segment))
    } else if (marker >= markers.app0 && marker <= markers.app15) {
      takeApplication(bytes, segment, kept, scans)
    } else if (!markers.unread.has(marker)) {
      throw damaged('The JPEG has an unknown marker.')
    }
    segment = nextSegment(bytes, next)
  }
  cutter.free()
  tables.free()
  const lacksEnd = segment === undefined
  if (frame === undefined || scans === 0) throw damaged('The JPEG has no image data.')
  refuseMissingScans(frame, lacksEnd)
  const { width, height, channels, bytesPerSample } = frame
  const profile = readProfile(kept)
  return {
    type: 'jpeg',
    width,
    height,
    channels,
    bytesPerSample,
    frames: 1,
    hasAlpha: false,
    lacksEnd,
    isPlainCmyk: channels === 4 && !isForInks(profile),
    metadata: kept.metadata.blocks,
    opening: [{ from: 0, to: 2 }, ...(kept.jfif === undefined ? [] : [kept.jfif])],
    rest: piecesOf(bytes, kept, profile),
    end: Uint8Array.of(0xff, markers.endOfImage),
  }
}

/** An APP1 segment with only the orientation. */
export function jpegOrientation(orientation: number): Uint8Array {
  return writeSegment(markers.app1, exifSignature, Uint8Array.of(0), orientationTiff(orientation))
}

function piecesOf(bytes: Uint8Array, kept: Kept, profile: Uint8Array | undefined): Piece[] {
  const pieces: Piece[] = kept.adobe === undefined ? [] : [kept.adobe]
  if (profile !== undefined) pieces.push(...writeProfile(profile))
  for (const part of kept.rest) {
    const piece = 'segment' in part ? usedTables(bytes, part) : part
    if (piece === undefined) continue
    if (piece instanceof Uint8Array) pieces.push(piece)
    else keep(pieces, piece.from, piece.to)
  }
  return pieces
}

/** The colour profile, if all its parts are there and it can render a picture; decoders ignore any other. */
function readProfile({ profile, profileParts }: Kept): Uint8Array | undefined {
  if (profileParts === undefined || profile.size !== profileParts) return undefined
  const numbers = Array.from({ length: profileParts }, (_, index) => index + 1)
  return cleanIccProfile(Buffer.concat(numbers.map((number) => profile.get(number) ?? new Uint8Array(0))))
}

/** A profile for another colour space says nothing about CMYK. */
function isForInks(profile: Uint8Array | undefined): boolean {
  return profile !== undefined && standsAt(profile, profileSpaceAt, inkSpace)
}

function writeProfile(profile: Uint8Array): Uint8Array[] {
  const count = Math.ceil(profile.length / maxProfilePart)
  return Array.from({ length: count }, (_, index) => {
    const number = index + 1
    const part = profile.subarray((number - 1) * maxProfilePart, number * maxProfilePart)
    return writeSegment(markers.app2, iccSignature, Uint8Array.of(number, count), part)
  })
}

/**
 * Keeps what changes how the picture looks, reduced to what decoders read: the colour profile, JFIF and Adobe's
 * transform, the last of each. Reads EXIF and XMP, and drops everything else.
 */
function takeApplication(bytes: Uint8Array, segment: markers.Segment, kept: Kept, scans: number): void {
  const { marker, body, to } = segment
  const starts = (signature: Uint8Array): boolean => standsAt(bytes, body, signature, to)
  kept.metadata.add(segmentBlock(bytes, segment))
  if (scans > 0) return
  if (marker === markers.app0 && starts(jfifSignature) && to - body >= jfifBytes + 2) {
    const withoutThumbnail = Uint8Array.of(0, 0)
    kept.jfif = writeSegment(marker, bytes.subarray(body, body + jfifBytes), withoutThumbnail)
  } else if (marker === markers.app14 && starts(adobeSignature) && to - body >= adobeBytes) {
    const transform = bytes[body + adobeBytes - 1] ?? 0
    kept.adobe = writeSegment(marker, adobeSignature, Uint8Array.of(...adobeVersion, transform))
  } else if (marker === markers.app2 && starts(iccSignature)) {
    takeProfilePart(bytes.subarray(body + iccSignature.length, to), kept)
  }
}

/** Like decoders: parts are numbered from 1, each occurs once, and all state the same count. */
function takeProfilePart(part: Uint8Array, kept: Kept): void {
  const [number = 0, count = 0] = part
  const isSound = number >= 1 && number <= count && !kept.profile.has(number)
  if (!isSound || count !== (kept.profileParts ?? count)) kept.profileParts = 0
  else {
    kept.profileParts = count
    kept.profile.set(number, part.subarray(2))
  }
}
