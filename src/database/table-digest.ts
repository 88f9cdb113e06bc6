// Digests to compare tables without comparing their rows: a sum over the rows, from which single rows can be subtracted.
import { hash } from 'node:crypto'

export interface TableDigest {
  readonly rows: number
  /** The sum of the SHA-256 of all rows, in eight numbers of 32 bits, hex; the same for both engines and in any order. */
  readonly digest: string
}

const lanes = 8
const digitsOfLane = 8

const lanesOf = (digest: string): Uint32Array =>
  Uint32Array.from({ length: lanes }, (_, lane) =>
    Number.parseInt(digest.slice(lane * digitsOfLane, (lane + 1) * digitsOfLane), 16),
  )

/** @param from the digest to continue with, of a table whose rows have changed since. */
export function createTableDigest(from?: TableDigest) {
  const sums = from ? lanesOf(from.digest) : new Uint32Array(lanes)
  let rows = from?.rows ?? 0

  function count(line: string, sign: 1 | -1): void {
    const digest = hash('sha256', line, 'buffer')
    for (let lane = 0; lane < lanes; lane += 1)
      sums[lane] = (sums[lane] ?? 0) + sign * digest.readUInt32BE(lane * 4) // bits above 32 are dropped
    rows += sign
  }

  return {
    add: (lines: readonly string[]): void => {
      for (const line of lines) count(line, 1)
    },
    remove: (lines: readonly string[]): void => {
      for (const line of lines) count(line, -1)
    },
    end: (): TableDigest => ({
      rows,
      digest: Array.from(sums, (sum) => sum.toString(16).padStart(digitsOfLane, '0')).join(''),
    }),
  }
}
