// Reads the inflated rows of a PNG to find hidden data: which colours are used, and bits that belong to no pixel.
import type { RowRun } from './png-chunks.ts'

export interface RowFindings {
  /** Whether any unused bits are set. */
  hasSpareBits: boolean
}

export interface RowReader {
  /** Takes the next bytes, in chunks of any size, and clears the unused bits in them. */
  read(bytes: Uint8Array): void
  readonly findings: Readonly<RowFindings>
  /** The colour indexes that pixels use, as 256 flags; for pictures with a palette. */
  usedColours(): Uint8Array
}

/**
 * For pictures of at most one byte per pixel: with a palette, or grey of at most 8 bits. Rows are unfiltered to be
 * read; clearing changes only the last byte of a row, with its filter unchanged.
 */
export function createRowReader(runs: readonly RowRun[], bitDepth: number): RowReader {
  const longest = runs.reduce((max, run) => Math.max(max, run.rowBytes), 1)
  let above = new Uint8Array(longest)
  let row = new Uint8Array(longest)
  const seenBytes = new Uint8Array(256)
  const usedInLast = new Uint8Array(256)
  const findings: RowFindings = { hasSpareBits: false }
  let run = 0
  let rowsLeft = runs[0]?.rows ?? 0
  let at = 0
  /** The last byte of the row above after clearing: the only input of a filter that may change. */
  let cleanAbove = 0

  /** Unfilters `row` in place; returns its last byte in filtered form. */
  function finishRow({ rowBytes, spareBits }: RowRun): number {
    const last = rowBytes - 1
    const filter = row[0] ?? 0
    let coded = row[last] ?? 0
    unfilter(row, above, rowBytes)
    for (let index = 1; index < last; index += 1) seenBytes[row[index] ?? 0] = 1
    const value = row[last] ?? 0
    if (spareBits === 0) {
      seenBytes[value] = 1
      return coded
    }
    const clean = value & ((255 << spareBits) & 255)
    if (clean !== value) findings.hasSpareBits = true
    markSamples(usedInLast, clean, bitDepth, 8 - spareBits)
    coded = (clean - predict(filter, row[last - 1] ?? 0, cleanAbove, above[last - 1] ?? 0, last)) & 255
    cleanAbove = clean
    return coded
  }

  return {
    findings,
    read(bytes) {
      let taken = 0
      while (taken < bytes.length) {
        const current = runs[run]
        if (current === undefined) return
        const count = Math.min(current.rowBytes - at, bytes.length - taken)
        row.set(bytes.subarray(taken, taken + count), at)
        at += count
        taken += count
        if (at < current.rowBytes) return
        bytes[taken - 1] = finishRow(current)
        ;[above, row] = [row, above]
        at = 0
        rowsLeft -= 1
        if (rowsLeft > 0) continue
        run += 1
        rowsLeft = runs[run]?.rows ?? 0
        above.fill(0)
        cleanAbove = 0
      }
    },
    usedColours() {
      const used = usedInLast.slice()
      for (const [value, isSeen] of seenBytes.entries())
        if (isSeen === 1) markSamples(used, value, bitDepth, 8)
      return used
    },
  }
}

/** Marks the samples in the first bits of a byte. */
function markSamples(used: Uint8Array, value: number, bitDepth: number, bits: number): void {
  const mask = 2 ** bitDepth - 1
  for (let shift = 8 - bitDepth; shift >= 8 - bits; shift -= bitDepth) used[(value >>> shift) & mask] = 1
}

function unfilter(row: Uint8Array, above: Uint8Array, rowBytes: number): void {
  const filter = row[0] ?? 0
  row[0] = 0
  if (filter === 0) return
  for (let index = 1; index < rowBytes; index += 1) {
    const left = row[index - 1] ?? 0
    row[index] = (row[index] ?? 0) + predict(filter, left, above[index] ?? 0, above[index - 1] ?? 0, index)
  }
}

/** The filter's prediction for a byte, from the bytes to the left, above, and above left. */
function predict(filter: number, leftByte: number, up: number, cornerByte: number, index: number): number {
  // The byte before the first is the filter type, which counts as 0.
  const left = index === 1 ? 0 : leftByte
  const corner = index === 1 ? 0 : cornerByte
  if (filter === 1) return left
  if (filter === 2) return up
  if (filter === 3) return (left + up) >>> 1
  if (filter !== 4) return 0
  const expected = left + up - corner
  const [toLeft, toUp, toCorner] = [
    Math.abs(expected - left),
    Math.abs(expected - up),
    Math.abs(expected - corner),
  ]
  if (toLeft <= toUp && toLeft <= toCorner) return left
  return toUp <= toCorner ? up : corner
}
