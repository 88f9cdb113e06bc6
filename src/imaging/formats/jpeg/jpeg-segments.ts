// The marker segments of a JPEG: what they are called, and where the next one stands.
import { damaged, readUint16 } from '../../container-parts.ts'

/** One marker with its parameters; the end marker has `body` and `to` right behind it. */
export interface Segment {
  readonly marker: number
  readonly from: number
  readonly body: number
  readonly to: number
}

export const startOfImage = 0xd8
export const endOfImage = 0xd9
export const startOfScan = 0xda
export const quantisationTables = 0xdb
export const huffmanTables = 0xc4
export const restartInterval = 0xdd
export const app0 = 0xe0
export const app1 = 0xe1
export const app2 = 0xe2
export const app14 = 0xee
export const app15 = 0xef
/**
 * Comments, the number of lines (which stands in the frame header, or the picture is refused), and the tables of
 * arithmetic coding, which is refused.
 */
export const unread: ReadonlySet<number> = new Set([0xfe, 0xdc, 0xcc])
/** DHT, JPG and DAC stand among the sixteen SOF markers without being one. */
const noFrames: ReadonlySet<number> = new Set([0xc4, 0xc8, 0xcc])

/**
 * The next marker from `at` on, past fill bytes, markers that stand alone, and stray bytes (writers of wrong lengths
 * leave them, decoders skip them, the strip drops them); undefined when the file ends before one.
 */
export function nextSegment(bytes: Uint8Array, at: number): Segment | undefined {
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
  if (length < 2) throw damaged('A segment of the JPEG has an invalid length.')
  if (body + length > bytes.length) throw damaged('The JPEG is truncated within a segment.')
  return { marker, from, body: body + 2, to: body + length }
}

/** TEM and the restart markers, which mean nothing outside a scan. */
function isStandalone(marker: number): boolean {
  return marker === 0x01 || isRestart(marker)
}

export function isRestart(marker: number): boolean {
  return marker >= 0xd0 && marker <= 0xd7
}

export function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && !noFrames.has(marker)
}

export function isTable(marker: number): boolean {
  return marker === quantisationTables || marker === huffmanTables || marker === restartInterval
}

/** A segment of our own making. */
export function writeSegment(marker: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 2)
  return Buffer.concat([Uint8Array.of(0xff, marker, length >> 8, length & 255), ...parts])
}

/** Looks at the nearest bytes itself: a search for each second byte of a hostile file would take half a second. */
export function findMarkerByte(bytes: Uint8Array, at: number): number {
  const near = Math.min(at + 16, bytes.length)
  for (let position = at; position < near; position += 1) if (bytes[position] === 0xff) return position
  return bytes.indexOf(0xff, near)
}

/**
 * Where the coded data that starts at `at` ends: at the next marker that is no restart, or at the end of the
 * file, in both cases before fill bytes and before the first half of a cut marker.
 */
export function findScanEnd(bytes: Uint8Array, at: number): number {
  let position = findMarkerByte(bytes, at)
  while (position !== -1) {
    let code = position + 1
    while (bytes[code] === 0xff) code += 1
    const marker = bytes[code]
    if (marker === undefined || (marker !== 0 && !isRestart(marker))) return position
    position = findMarkerByte(bytes, code + 1)
  }
  return bytes.length
}
