// Bytes as they are stored in the database: long ones compressed, with a checksum, off the event loop.
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { constants, createZstdCompress, zstdCompress, zstdDecompress } from 'node:zlib'
import { slicesOf } from '../../shared/text/text-slices.ts'
import { refuse } from '../../errors.ts'
import { releaseMemory } from '../../http/bodies/release-memory.ts'

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

/** With the checksum, disk damage causes an error instead of a different route. */
const params = { [constants.ZSTD_c_checksumFlag]: 1 }

/** The magic number of zstd, which no UTF-8 text starts with. */
const mark = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])
/** Shorter text is not compressed: decompressing would take longer than reading it. */
const minPackedBytes = 16 * 1024

/** Longer text is encoded in slices: its bytes would take as much memory again as the text does. */
const maxCharactersAtOnce = 1024 ** 2

async function packSlices(text: string): Promise<Uint8Array> {
  const packing = createZstdCompress({ params })
  const write = async (): Promise<void> => {
    for (const slice of slicesOf(text)) {
      const bytes = Buffer.from(slice, 'utf8')
      await new Promise<void>((resolve, reject) => {
        packing.write(bytes, (error) => (error ? reject(error) : resolve()))
      })
      releaseMemory(bytes)
    }
    packing.end()
  }
  const [packed] = await Promise.all([buffer(packing), write()])
  return packed
}

/** Device output shrinks to a tenth, and so does the commit. */
export async function packText(text: string): Promise<Uint8Array> {
  if (text.length > maxCharactersAtOnce) return packSlices(text)
  const bytes = Buffer.from(text, 'utf8')
  return bytes.length < minPackedBytes ? bytes : compress(bytes, { params })
}

export const packBytes = (bytes: Uint8Array): Promise<Uint8Array> => compress(bytes, { params })

/** @throws refusal `storage-unavailable` for damaged data. */
export async function unpackBytes(packed: Uint8Array): Promise<Buffer> {
  try {
    return await decompress(packed) // never on this thread: a few packed KB may be 8 MiB
  } catch (error) {
    throw refuse('storage-unavailable', {
      detail: 'The stored data of this route is damaged.',
      cause: error,
    })
  }
}

/** Whether text was compressed for storage. */
export const isPacked = (stored: Uint8Array): boolean => mark.equals(stored.subarray(0, mark.length))

/** The text's bytes in UTF-8. @throws refusal `storage-unavailable` for damaged data. */
export const unpackUtf8 = async (stored: Uint8Array): Promise<Uint8Array> =>
  isPacked(stored) ? unpackBytes(stored) : stored

/** @throws refusal `storage-unavailable` for damaged data. */
export async function unpackText(stored: Uint8Array): Promise<string> {
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.length)
  if (!isPacked(bytes)) return bytes.toString('utf8')
  const unpacked = await unpackBytes(bytes)
  const text = unpacked.toString('utf8')
  releaseMemory(unpacked)
  return text
}
