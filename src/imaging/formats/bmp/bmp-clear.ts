// Strips everything from a BMP file except its picture; the result is served as lg.
import { bmpField } from './bmp-header.ts'
import type { BmpHeader } from './bmp-header.ts'
import { clearUnusedBits } from './bmp-unused.ts'
import { findPixelEnd } from './bmp.ts'
import { colourSpace, isSrgb, srgbPrimaries } from '../../colour-space.ts'
import type { ColourSpace, Primaries, Transfer } from '../../colour-space.ts'
import { latin1, standsAt } from '../../../shared/formats/bytes.ts'
import { cleanIccProfile } from '../icc/icc-profile.ts'

interface Span {
  readonly start: number
  readonly end: number
}

/** Values of the colour space field; all but the first are four letters. */
const colourSpaces = {
  calibrated: 0,
  srgb: 0x73524742,
  windows: 0x57696e20,
  linked: 0x4c494e4b,
  embedded: 0x4d424544,
} as const

/**
 * A copy of the file with only its picture. Removed are data after its end or in gaps, reserved and unused fields,
 * row padding, bits outside all masks, colours that no pixel uses, and a linked profile (a path on the sender's
 * disk). An embedded ICC profile is reduced to what colour conversion needs (contract C25). The pixels stay as they
 * are stored, at the same offset. A clean file is returned unchanged. Refuses with `broken-image` a file whose pixels
 * are cut off.
 */
export function clearBmp(bytes: Uint8Array, header: BmpHeader): Uint8Array {
  const pixels: Span = { start: header.pixelOffset, end: findPixelEnd(bytes, header) }
  const profile = findProfile(bytes, { header, pixels })
  const paletteEnd = header.palette.start + header.palette.count * header.palette.entryBytes

  const cleared = new Uint8Array(Math.max(pixels.end, profile === undefined ? 0 : profile.span.end))
  for (const { start, end } of [{ start: 0, end: paletteEnd }, pixels]) {
    cleared.set(bytes.subarray(start, end), start)
  }
  if (profile !== undefined) cleared.set(profile.bytes, profile.span.start)
  const view = new DataView(cleared.buffer)
  const usedColours = clearUnusedBits(cleared, header)
  clearPalette(cleared, header, usedColours)
  view.setUint32(bmpField.fileSize, cleared.length, true)
  view.setUint32(bmpField.reserved, 0, true)
  if (header.headerBytes >= 40) clearCounts(view, { header, pixels })
  // OS/2 fields: units, halftoning, identifier, and one reserved for the application.
  if (header.headerBytes === 64) cleared.fill(0, bmpField.masks, header.headersEnd)
  if (header.headerBytes >= 52 && header.headerBytes !== 64) clearMasks(view, header)
  if (header.headerBytes >= 108) clearColourSpace(view, { header, profile: profile?.span })
  return cleared
}

/** The fourth byte of each entry is unused, and so is the whole entry if no pixel has it. */
function clearPalette(cleared: Uint8Array, { palette }: BmpHeader, usedColours: Uint8Array): void {
  const { start, entryBytes } = palette
  for (let index = 0; index < palette.count; index += 1) {
    const entry = start + index * entryBytes
    cleared.fill(0, usedColours[index] === 1 ? entry + 3 : entry, entry + entryBytes)
  }
}

/** Redundant numbers are set to their correct values, because a wrong one could carry any data; 0 is allowed. */
function clearCounts(view: DataView, { header, pixels }: { header: BmpHeader; pixels: Span }): void {
  if (view.getUint32(bmpField.imageSize, true) !== 0) {
    view.setUint32(bmpField.imageSize, pixels.end - pixels.start, true)
  }
  const { count } = header.palette
  if (view.getUint32(bmpField.coloursUsed, true) > count) view.setUint32(bmpField.coloursUsed, count, true)
  if (view.getUint32(bmpField.coloursImportant, true) > count) {
    view.setUint32(bmpField.coloursImportant, 0, true)
  }
}

/**
 * Masks are used if the compression says so. Many writers fill them in for other pixels, with the standard values:
 * those stay, and so does an alpha mask, which browsers read.
 */
function clearMasks(view: DataView, header: BmpHeader): void {
  const isCompressed = view.getUint32(bmpField.compression, true) !== 0
  if (isCompressed && header.coding === 'plain') return
  const { masks = { red: 0xff0000, green: 0xff00, blue: 0xff, alpha: 0 }, headerBytes } = header
  const isRead = header.coding === 'plain' && header.bits >= 16
  const [red, green, blue] = [0, 4, 8].map((offset) => view.getUint32(bmpField.masks + offset, true))
  const isUsual = red === masks.red && green === masks.green && blue === masks.blue
  if (!isRead || !isUsual) fillZero(view, bmpField.masks, bmpField.alphaMask)
  if (headerBytes >= 56) {
    view.setUint32(bmpField.alphaMask, isRead ? masks.alpha : 0, true)
  }
}

function clearColourSpace(
  view: DataView,
  { header, profile }: { header: BmpHeader; profile: Span | undefined },
): void {
  const colourSpace = view.getUint32(bmpField.colourSpace, true)
  // Only this type uses the following endpoints and gammas, and decoders ignore values that no display has.
  const isCalibrated = colourSpace === colourSpaces.calibrated
  if (!isCalibrated || readEndpoints(view) === undefined) fillZero(view, bmpField.endpoints, bmpField.gammas)
  for (let at: number = bmpField.gammas; at < bmpField.intent; at += 4) {
    if (!isCalibrated || !isExponent(readExponent(view, at))) view.setUint32(at, 0, true)
  }
  const isKept =
    isCalibrated ||
    colourSpace === colourSpaces.srgb ||
    colourSpace === colourSpaces.windows ||
    profile !== undefined
  if (!isKept) view.setUint32(bmpField.colourSpace, colourSpaces.srgb, true)
  if (header.headerBytes < 124) return
  // The highest valid rendering intent.
  if (view.getUint32(bmpField.intent, true) > 8) view.setUint32(bmpField.intent, 0, true)
  view.setUint32(bmpField.profileReserved, 0, true)
  if (profile === undefined) {
    fillZero(view, bmpField.profileStart, bmpField.profileReserved)
  } else {
    view.setUint32(bmpField.profileStart, profile.start - bmpField.headerBytes, true)
    view.setUint32(bmpField.profileBytes, profile.end - profile.start, true)
  }
}

function fillZero(view: DataView, start: number, end: number): void {
  for (let at = start; at < end; at += 1) view.setUint8(at, 0)
}

/** An embedded profile after cleaning, and its location. */
interface EmbeddedProfile {
  readonly bytes: Uint8Array
  readonly span: Span
}

function findProfile(
  bytes: Uint8Array,
  { header, pixels }: { header: BmpHeader; pixels: Span },
): EmbeddedProfile | undefined {
  const found = readProfile(bytes, header, pixels)
  const profile = found === undefined ? undefined : cleanIccProfile(bytes.subarray(found.start, found.end))
  if (found === undefined || profile === undefined) return undefined
  // Before the pixels there is only as much space as it had.
  const isRoomy = found.start >= pixels.end || profile.length <= found.end - found.start
  const start = isRoomy ? found.start : pixels.end
  return { bytes: profile, span: { start, end: start + profile.length } }
}

/** The cleaned embedded profile of an intact file; undefined if there is none. */
export function readBmpProfile(bytes: Uint8Array, header: BmpHeader): Uint8Array | undefined {
  const pixels = { start: header.pixelOffset, end: findPixelEnd(bytes, header) }
  const profile = findProfile(bytes, { header, pixels })?.bytes
  const isRgb = profile !== undefined && standsAt(profile, 16, latin1('RGB '))
  return isRgb ? profile : undefined
}

/** The colour space in the header if there is no profile: primaries and gamma. */
export function readBmpColourSpace(bytes: Uint8Array, header: BmpHeader): ColourSpace | undefined {
  if (header.headerBytes < 108) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.getUint32(bmpField.colourSpace, true) !== colourSpaces.calibrated) return undefined
  const gammaOf = (index: number): Transfer => {
    const exponent = readExponent(view, bmpField.gammas + 4 * index)
    const isLikeSrgb = !isExponent(exponent) || Math.abs(exponent / 2.2 - 1) <= 0.05
    return isLikeSrgb ? { kind: 'srgb' } : { kind: 'power', exponent }
  }
  const transfer = [gammaOf(0), gammaOf(1), gammaOf(2)] as const
  const primaries = readEndpoints(view) ?? srgbPrimaries
  const space = { transfer, primaries }
  if (isSrgb(space)) return undefined
  return colourSpace(space) ?? colourSpace({ transfer, primaries: srgbPrimaries })
}

function readExponent(view: DataView, at: number): number {
  return view.getUint32(at, true) / 65_536
}

/** Gammas outside this range are errors, or text. */
function isExponent(exponent: number): boolean {
  return exponent >= 0.2 && exponent <= 10
}

/** The primaries; undefined if no display has such values. */
function readEndpoints(view: DataView): Primaries | undefined {
  const [red, green, blue] = [0, 1, 2].map((index) =>
    [0, 4, 8].map((offset) => view.getUint32(bmpField.endpoints + 12 * index + offset, true) / 2 ** 30),
  )
  if (red === undefined || green === undefined || blue === undefined) return undefined
  const total = red.map((value, axis) => value + (green[axis] ?? 0) + (blue[axis] ?? 0))
  const isNearOne = (value: number, tolerance: number): boolean => Math.abs(value - 1) < tolerance
  // Many writers store chromaticities here, from which white cannot be derived.
  const areChromaticities = [red, green, blue].every((point) =>
    isNearOne(
      point.reduce((one, other) => one + other, 0),
      0.01,
    ),
  )
  // Otherwise the three add up to white, with luminance 1.
  if (!areChromaticities && !isNearOne(total[1] ?? 0, 0.1)) return undefined
  const white = areChromaticities ? srgbPrimaries.white : toPoint(total)
  return { white, red: toPoint(red), green: toPoint(green), blue: toPoint(blue) }
}

function toPoint([x = 0, y = 0, z = 0]: readonly number[]): readonly [number, number] {
  return [x / (x + y + z), y / (x + y + z)]
}

/**
 * Where an ICC profile is, if it is completely within the file and overlaps nothing; its own length field marks its
 * end.
 */
function readProfile(bytes: Uint8Array, header: BmpHeader, pixels: Span): Span | undefined {
  if (header.headerBytes < 124) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.getUint32(bmpField.colourSpace, true) !== colourSpaces.embedded) return undefined
  const start = bmpField.headerBytes + view.getUint32(bmpField.profileStart, true)
  const room = Math.min(view.getUint32(bmpField.profileBytes, true), bytes.length - start)
  if (room < 4) return undefined
  const length = view.getUint32(start, false)
  if (length > room) return undefined
  const profile = { start, end: start + length }
  const paletteEnd = header.palette.start + header.palette.count * header.palette.entryBytes
  const isApart = start >= pixels.end || (start >= paletteEnd && profile.end <= pixels.start)
  return isApart ? profile : undefined
}
