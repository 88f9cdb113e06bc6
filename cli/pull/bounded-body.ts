// A list on its way to the disk: one that does not end must not fill the disk that the database is on.
import { readDisk } from '../../src/storage/disk-space.ts'
import { fail } from '../failures.ts'

/** Of half a million images in XML, several times over. */
const usualMaxBytes = 4 * 1024 ** 3
/** What is left to the server on the disk, and how often that is looked at. */
const keptFreeBytes = 256 * 1024 ** 2
const lookEveryBytes = 16 * 1024 ** 2

const bodyTooLong = (): Error => Object.assign(new Error('the list is too long'), { isTooLong: true })

export const isBodyTooLong = (error: unknown): boolean => error instanceof Error && 'isTooLong' in error

/**
 * @param folder in which it is stored.
 * @throws bodyTooLong, and a failure where the disk gets full.
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
        throw fail('no-space', `A list of the other server would fill the disk of ${folder}: make room.`)
    }
    yield chunk
  }
}
