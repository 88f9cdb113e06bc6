// Takes a blob as a whole and only as the database says it is, for whoever copies it somewhere else.
import { createHash } from 'node:crypto'
import type { Blobs } from '../../storage/port.ts'

export interface WantedBlob {
  readonly key: string
  readonly bytes: number
  /** SHA-256, hex. */
  readonly digest: string
}

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

/** None of Waymark is larger than an upload may be, and one of another length is not read at all. */
export async function takeWhole(
  blobs: Pick<Blobs, 'open'>,
  { key, bytes, digest }: WantedBlob,
): Promise<TakenBlob> {
  try {
    const blob = await blobs.open(key, { wholeBytes: bytes })
    if (!blob) return { fault: 'is missing' }
    if (blob.bytes !== bytes || bytes === 0) {
      await blob.close()
      return { fault: `has ${blob.bytes} bytes instead of ${bytes}` }
    }
    const hash = createHash('sha256')
    const chunks: Uint8Array[] = []
    for await (const chunk of blob.stream(0, bytes - 1) as AsyncIterable<Uint8Array>) {
      hash.update(chunk)
      chunks.push(chunk)
    }
    return hash.digest('hex') === digest ? { bytes: Buffer.concat(chunks) } : { fault: 'is damaged' }
  } catch (error) {
    return unreadable(error)
  }
}
