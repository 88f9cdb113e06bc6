// Uploads that are raced for, in each form in which an original is stored: no pixels, but keys and bytes as of a photo.
import { createHash } from 'node:crypto'
import { originalKey, removedName, renditionKey } from '../../../src/images/storage/blob-keys.ts'
import type { Examined } from '../../../src/imaging/renditions.ts'

export const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

export const contents = 2
/** The last of them is rebuilt from size lg and what that lacks; the others have no lg, and are kept as they came. */
const isRebuilt = (content: number): boolean => content === contents - 1

export const bytesOf = (content: number): Buffer =>
  Buffer.from(`content ${content} ${'with many bytes '.repeat(9)}`)

const largeOf = (content: number): Buffer => bytesOf(content).subarray(0, -16)

/** All that is needed to have the original, in the form in which it is uploaded. */
export function keysOf(content: number): string[] {
  const sha256 = digestOf(bytesOf(content))
  if (!isRebuilt(content)) return [originalKey(sha256)]
  return ['lg', removedName(digestOf(largeOf(content)))].map((name) => renditionKey(sha256, name))
}

/** What the decode of these bytes would give; it is left out, since nothing here depends on pixels. */
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
