// Uploads for races, in each storage form of originals: keys and bytes like those of a photo, without pixels.
import { createHash } from 'node:crypto'
import { originalKey, removedName, renditionKey } from '../../../src/images/storage/blob-keys.ts'
import type { Examined } from '../../../src/imaging/renditions.ts'

export const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

export const contents = 2
/** The last is rebuilt from size lg and its remainder; the others have no lg, and are stored as uploaded. */
const isRebuilt = (content: number): boolean => content === contents - 1

export const bytesOf = (content: number): Buffer =>
  Buffer.from(`content ${content} ${'with many bytes '.repeat(9)}`)

const largeOf = (content: number): Buffer => bytesOf(content).subarray(0, -16)

/** The blobs needed for the original, in its uploaded form. */
export function keysOf(content: number): string[] {
  const sha256 = digestOf(bytesOf(content))
  if (!isRebuilt(content)) return [originalKey(sha256)]
  return ['lg', removedName(digestOf(largeOf(content)))].map((name) => renditionKey(sha256, name))
}

/** The result of decoding these bytes, which is skipped since nothing here depends on pixels. */
export function examined(content: number): Examined {
  const small = Buffer.concat([Buffer.from('sm'), bytesOf(content)])
  const renditions = [
    { name: 'sm.jpeg', bytes: small, digest: digestOf(small) },
    ...(isRebuilt(content)
      ? [{ name: 'lg', bytes: largeOf(content), digest: digestOf(largeOf(content)) }]
      : []),
  ]
  const dhash = '0'.repeat(16)
  return { mimeType: 'image/jpeg', width: 1, height: 1, position: undefined, capture: {}, dhash, renditions }
}
