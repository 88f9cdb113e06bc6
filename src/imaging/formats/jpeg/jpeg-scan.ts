// The coded data of one scan of a JPEG, cut to what its blocks use: other data before the next marker is dropped.
import { damaged } from '../../container-parts.ts'
import type { Piece } from '../../container-parts.ts'
import { freeBytes } from '../../free-bytes.ts'
import { followerOf } from './jpeg-blocks.ts'
import type { Frame, Scan } from './jpeg-frame.ts'
import { findMarkerByte, findScanEnd, isRestart } from '../../../shared/formats/jpeg-segments.ts'
import type { ScanTables } from './jpeg-tables.ts'

/** Coded data up to the next marker. */
interface Interval {
  /** Number of bytes that were copied. */
  readonly length: number
  /** Where the marker begins, or the end of the file. */
  readonly markerAt: number
  /** Position of the byte that identifies the marker. */
  readonly codeAt: number
  /** Whether it contains fill bytes. */
  readonly isFilled: boolean
}

export interface CutScan {
  readonly data: Piece
  /** Where to look for the next segment. */
  readonly next: number
}

/**
 * Zero bytes after the data that a reader may touch: it checks for the end once per block of 64 numbers with their
 * codes.
 */
const margin = 288
const firstRestart = 0xd0

/** Buffer for the coded data of one interval, reused for all intervals of a file. */
export function createCutter(file: Uint8Array) {
  // Buffer's search is ten times as fast as a loop, and it reads nearly every byte of nearly every upload.
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength)
  const clean = Buffer.allocUnsafeSlow(bytes.length + margin)
  const view = new DataView(clean.buffer, clean.byteOffset, clean.byteLength)

  /** Copies the coded data from `from` up to the next marker, without the 0 after each FF. */
  function takeInterval(from: number): Interval {
    let at = from
    let length = 0
    let isFilled = false
    for (;;) {
      const found = findMarkerByte(bytes, at)
      const markerAt = found === -1 ? bytes.length : found
      length += bytes.copy(clean, length, at, markerAt)
      let codeAt = markerAt + 1
      while (bytes[codeAt] === 0xff) codeAt += 1
      if (bytes[codeAt] !== 0) {
        clean.fill(0, length, length + margin)
        return { length, markerAt, codeAt, isFilled }
      }
      if (codeAt > markerAt + 1) isFilled = true
      clean[length] = 0xff
      length += 1
      at = codeAt + 1
    }
  }

  /**
   * The restart marker required after an interval, found as decoders do, past stray bytes and earlier markers;
   * undefined if it is missing.
   */
  function findRestart(from: number, expected: number): { readonly codeAt: number } | undefined {
    let at = from
    for (;;) {
      const found = findMarkerByte(bytes, at)
      if (found === -1) return undefined
      let codeAt = found + 1
      while (bytes[codeAt] === 0xff) codeAt += 1
      const marker = bytes[codeAt]
      if (marker === undefined) return undefined
      const ahead = (marker - firstRestart - expected + 8) & 7
      if (isRestart(marker)) {
        if (ahead === 1 || ahead === 2) return undefined
        if (ahead < 6) return { codeAt }
      } else if (marker >= 0xc0) {
        return undefined
      }
      at = codeAt + 1
    }
  }

  function cut(from: number, scan: Scan, tables: ScanTables, frame: Frame): CutScan {
    const follow = followerOf(scan, tables, frame)
    const [only, second] = scan.components
    const units = only !== undefined && second === undefined ? only.component.blocks : frame.units
    /** The scan as it is served, from the first byte that has to change. */
    let written: Buffer | undefined
    let length = 0
    let at = from
    let next = from
    for (let done = 0, restarts = 0; done < units; restarts += 1) {
      const count = tables.interval === 0 ? units : Math.min(tables.interval, units - done)
      const interval = takeInterval(at)
      const bits = follow({ view, bits: 8 * interval.length }, count)
      done += count
      const isLast = done === units
      const used = Math.ceil(bits / 8)
      const padding = 8 * used - bits
      const lastByte = (clean[used - 1] ?? 0) | ((1 << padding) - 1)
      const isExact = used === interval.length && !interval.isFilled && clean[used - 1] === lastByte
      const restart = isLast ? undefined : findRestart(interval.markerAt, restarts & 7)
      if (!isLast && restart === undefined) throw damaged('Its pixel data is truncated.')
      const marker = firstRestart + (restarts & 7)
      const isPlain = restart === undefined || isRestartAt(interval, restart.codeAt, marker)
      next = restart === undefined ? interval.markerAt : restart.codeAt + 1
      if (written === undefined && !(isExact && isPlain)) {
        written = Buffer.allocUnsafeSlow(2 * (findScanEnd(bytes, from) - from) + 2)
        length = bytes.copy(written, 0, from, at)
      }
      if (written !== undefined) {
        if (used > 0) clean[used - 1] = lastByte
        length = writeInterval(written, length, used)
        if (restart !== undefined) length = written.writeUInt16BE(0xff00 + marker, length)
      }
      at = next
    }
    if (written !== undefined) return { data: Uint8Array.prototype.slice.call(written, 0, length), next }
    return { data: { from, to: next }, next }
  }

  function isRestartAt({ markerAt }: Interval, codeAt: number, marker: number): boolean {
    return codeAt === markerAt + 1 && bytes[codeAt] === marker
  }

  function writeInterval(written: Buffer, start: number, used: number): number {
    let length = start
    for (let index = 0; index < used; index += 1) {
      const byte = clean[index] ?? 0
      written[length] = byte
      length += 1
      if (byte === 0xff) {
        written[length] = 0
        length += 1
      }
    }
    return length
  }

  return {
    cut,
    /**
     * Frees the buffer when all scans are done: it is as large as the file, and the garbage collector may be slow.
     */
    free: (): void => freeBytes(clean),
  }
}
