// Clears a BMP file of all that is not its picture: what is served as lg.
import { bmpField } from './bmp-header.ts'
import type { BmpHeader } from './bmp-header.ts'
import { findPixelEnd } from './bmp.ts'

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
 * A copy of the file with everything private gone: what follows its end or fills its gaps, reserved and
 * unused fields, a linked profile (a path on the sender's disk). An embedded ICC profile stays (contract
 * C25), if it is one. Nothing moves, and the coded pixels stay byte for byte the upload's, row padding and
 * all: lg is the stored picture, and no writer was seen to put words there. A clean file comes out as it was.
 * Refuses with `broken-image` a file whose pixels are cut.
 */
export function clearBmp(bytes: Uint8Array, header: BmpHeader): Uint8Array {
  const pixels: Span = { start: header.pixelOffset, end: findPixelEnd(bytes, header) }
  const profile = findProfile(bytes, { header, pixels })
  const paletteEnd = header.palette.start + header.palette.count * header.palette.entryBytes
  const kept: Span[] = [{ start: 0, end: paletteEnd }, pixels]
  if (profile !== undefined) kept.push(profile)

  const cleared = new Uint8Array(Math.max(...kept.map((span) => span.end)))
  for (const { start, end } of kept) cleared.set(bytes.subarray(start, end), start)
  const view = new DataView(cleared.buffer)
  clearPalette(cleared, header)
  view.setUint32(bmpField.fileSize, cleared.length, true)
  view.setUint32(bmpField.reserved, 0, true)
  if (header.headerBytes >= 40) clearCounts(view, { header, pixels })
  // OS/2's own fields, among them one for the use of the writing program: units, halftoning, identifier.
  if (header.headerBytes === 64) cleared.fill(0, bmpField.masks, header.headersEnd)
  if (header.headerBytes >= 52 && header.headerBytes !== 64) clearMasks(view, header)
  if (header.headerBytes >= 108) clearColourSpace(view, { header, profile })
  return cleared
}

/** The fourth byte of each entry means nothing. */
function clearPalette(cleared: Uint8Array, { palette }: BmpHeader): void {
  if (palette.entryBytes === 3) return
  for (let index = 0; index < palette.count; index += 1) cleared[palette.start + index * 4 + 3] = 0
}

/** Numbers that should follow from the rest are made to, as a lie could carry anything; 0 is no lie. */
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

/** Masks that the header has room for count only where its compression says so. */
function clearMasks(view: DataView, header: BmpHeader): void {
  const isCompressed = view.getUint32(bmpField.compression, true) !== 0
  if (isCompressed && header.coding === 'plain') return
  fillZero(view, bmpField.masks, Math.min(bmpField.colourSpace, header.headersEnd))
}

function clearColourSpace(
  view: DataView,
  { header, profile }: { header: BmpHeader; profile: Span | undefined },
): void {
  const colourSpace = view.getUint32(bmpField.colourSpace, true)
  // Only this one reads the end points and gamma that follow it.
  if (colourSpace !== colourSpaces.calibrated) fillZero(view, bmpField.endpoints, bmpField.intent)
  const isKept =
    colourSpace === colourSpaces.calibrated ||
    colourSpace === colourSpaces.srgb ||
    colourSpace === colourSpaces.windows ||
    profile !== undefined
  if (!isKept) view.setUint32(bmpField.colourSpace, colourSpaces.srgb, true)
  if (header.headerBytes < 124) return
  // The highest rendering intent there is.
  if (view.getUint32(bmpField.intent, true) > 8) view.setUint32(bmpField.intent, 0, true)
  view.setUint32(bmpField.profileReserved, 0, true)
  if (profile === undefined) fillZero(view, bmpField.profileStart, bmpField.profileReserved)
  else view.setUint32(bmpField.profileBytes, profile.end - profile.start, true)
}

function fillZero(view: DataView, start: number, end: number): void {
  for (let at = start; at < end; at += 1) view.setUint8(at, 0)
}

/**
 * Where the embedded ICC profile lies, if it is one by its own signature, is whole, and lies in nothing
 * else. It ends where its own length says, lest something rides behind it.
 */
function findProfile(
  bytes: Uint8Array,
  { header, pixels }: { header: BmpHeader; pixels: Span },
): Span | undefined {
  if (header.headerBytes < 124) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.getUint32(bmpField.colourSpace, true) !== colourSpaces.embedded) return undefined
  const start = bmpField.headerBytes + view.getUint32(bmpField.profileStart, true)
  const room = Math.min(view.getUint32(bmpField.profileBytes, true), bytes.length - start)
  const iccHeaderBytes = 128
  if (room < iccHeaderBytes) return undefined
  const isIcc = view.getUint32(start + 36, false) === 0x61637370 // "acsp"
  const length = view.getUint32(start, false)
  if (!isIcc || length < iccHeaderBytes || length > room) return undefined
  const profile = { start, end: start + length }
  const paletteEnd = header.palette.start + header.palette.count * header.palette.entryBytes
  const isApart = start >= pixels.end || (start >= paletteEnd && profile.end <= pixels.start)
  return isApart ? profile : undefined
}
