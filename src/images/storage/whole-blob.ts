// Takes a blob as a whole and only as the database says it is, for whoever copies it somewhere else.
import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Blobs, OpenBlob } from '../../storage/port.ts'
import { renditionKey } from './blob-keys.ts'
import type { StoredRendition } from './rendition-table.ts'

export interface WantedBlob {
  readonly key: string
  readonly bytes: number
  /** SHA-256, hex. */
  readonly digest: string
}

/** The blob of a row of the table rendition. */
export const wantedOf = (sha256: string, { name, bytes, digest }: StoredRendition): WantedBlob => ({
  key: renditionKey(sha256, name),
  bytes,
  digest,
})

/** The end of a sentence about a blob, such as `is missing`, and what the system said where it could not be read. */
export interface BlobFault {
  readonly fault: string
  readonly error?: unknown
}

export type TakenBlob = { readonly bytes: Buffer } | BlobFault

export const unreadable = (error: unknown): BlobFault => ({
  fault: `cannot be read (${error instanceof Error ? error.message : String(error)})`,
  error,
})

/** A quarter of a millisecond: photos are taken in servers too, and nobody else has a turn meanwhile. */
const bytesOfTurn = 512 * 1024

/** SHA-256 of the pieces one after the other, hex. */
export async function digestInTurns(pieces: readonly Uint8Array[]): Promise<string> {
  const hash = createHash('sha256')
  for (const piece of pieces)
    for (let at = 0; at < piece.length; at += bytesOfTurn) {
      if (at > 0) await setImmediate()
      hash.update(piece.subarray(at, at + bytesOfTurn))
    }
  return hash.digest('hex')
}

/** All bytes of a blob that is not empty; there is nothing to close then. */
export const wholeOf = async ({ bytes, whole, stream }: OpenBlob): Promise<Buffer> =>
  whole ?? Buffer.concat(await Array.fromAsync(stream(0, bytes - 1) as AsyncIterable<Uint8Array>))

/** None of Waymark is larger than an upload may be, and one of another length is not read at all. */
export async function takeWhole(blobs: Pick<Blobs, 'open'>, wanted: WantedBlob): Promise<TakenBlob> {
  const { key, bytes, digest } = wanted
  try {
    const blob = await blobs.open(key, { wholeBytes: bytes })
    if (!blob) return { fault: 'is missing' }
    if (blob.bytes !== bytes || bytes === 0) {
      await blob.close()
      return { fault: `has ${blob.bytes} bytes instead of ${bytes}` }
    }
    const whole = await wholeOf(blob)
    return (await digestInTurns([whole])) === digest ? { bytes: whole } : { fault: 'is damaged' }
  } catch (error) {
    return unreadable(error)
  }
}
