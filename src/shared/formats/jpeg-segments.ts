// The marker segments of a JPEG: their names, and how to find the next one. Callers interpret them.

/** One marker with its parameters; for the end marker, `body` and `to` are right after it. */
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
 * Comments, the number of lines (which must be in the frame header), and the tables of arithmetic coding, which is
 * refused.
 */
export const unread: ReadonlySet<number> = new Set([0xfe, 0xdc, 0xcc])

export function isRestart(marker: number): boolean {
  return marker >= 0xd0 && marker <= 0xd7
}

/** DHT, JPG and DAC are among the sixteen SOF codes without being one. */
export function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
}

export function isTable(marker: number): boolean {
  return marker === quantisationTables || marker === huffmanTables || marker === restartInterval
}

/**
 * The next marker from `at` on, skipping fill bytes, standalone markers (TEM and restarts, which mean nothing outside a
 * scan), and stray bytes (writers of wrong lengths leave them, decoders skip them, the strip drops them); undefined if
 * the file ends before one.
 */
export function findSegment(bytes: Uint8Array, at: number): Segment | undefined {
  let position = bytes.indexOf(0xff, at)
  while (position !== -1) {
    let code = position + 1
    while (bytes[code] === 0xff) code += 1
    const marker = bytes[code]
    if (marker === undefined) return undefined
    const [from, body] = [code - 1, code + 1]
    if (marker === endOfImage) return { marker, from, body, to: body }
    if (marker > 0x01 && !isRestart(marker))
      return { marker, from, body: body + 2, to: body + (bytes[body] ?? 0) * 256 + (bytes[body + 1] ?? 0) }
    position = bytes.indexOf(0xff, code)
  }
  return undefined
}

/** Checks the nearest bytes itself: a search for every second byte of a hostile file would take half a second. */
export function findMarkerByte(bytes: Uint8Array, at: number): number {
  const near = Math.min(at + 16, bytes.length)
  for (let position = at; position < near; position += 1) if (bytes[position] === 0xff) return position
  return bytes.indexOf(0xff, near)
}

/**
 * Where the coded data that starts at `at` ends: at the next marker that is not a restart, or at the end of the file;
 * in both cases before fill bytes and before the first half of a truncated marker.
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

/** All complete segments, including those after coded data: anything broken ends the list, and is not an error. */
export function* wholeSegments(bytes: Uint8Array): Generator<Segment, void> {
  let segment = findSegment(bytes, 2)
  while (
    segment &&
    segment.marker !== endOfImage &&
    segment.body <= segment.to &&
    segment.to <= bytes.length
  ) {
    yield segment
    const { marker, to } = segment
    segment = findSegment(bytes, marker === startOfScan ? findScanEnd(bytes, to) : to)
  }
}
