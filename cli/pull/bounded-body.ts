// Limits the size of a list that is written to disk: an endless one must not fill the disk with the database.
import { readDisk } from '../../src/storage/disk-space.ts'
import { fail } from '../failures.ts'

/** Several times the size of half a million images in XML. */
const usualMaxBytes = 4 * 1024 ** 3
/** Disk space to leave free for the server, and how often it is checked. */
const keptFreeBytes = 256 * 1024 ** 2
const lookEveryBytes = 16 * 1024 ** 2

const bodyTooLong = (): Error => Object.assign(new Error('the list is too long'), { isTooLong: true })

export const isBodyTooLong = (error: unknown): boolean => error instanceof Error && 'isTooLong' in error

/**
 * @param folder in which the list is stored.
 * @throws bodyTooLong, or a failure if the disk gets full.
 */
export async function* boundedBody(
  body: AsyncIterable<Uint8Array>,
  folder: string,
  { maxBytes = usualMaxBytes, freeBytes = keptFreeBytes } = {},
): AsyncGenerator<Uint8Array, void> {
  let [length, looked] = [0, 0]
  for await (const chunk of body) {
    length += chunk.length
    if (length > maxBytes) throw bodyTooLong()
    if (length - looked >= lookEveryBytes) {
      looked = length
      if ((await readDisk(folder)).freeBytes < freeBytes)
        throw fail('no-space', `A list of the other server would fill the disk of ${folder}: free up space.`)
    }
    yield chunk
  }
}
