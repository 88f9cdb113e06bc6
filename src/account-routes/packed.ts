// Bytes in the database as they are kept there: compressed, with a checksum, off the event loop.
import { promisify } from 'node:util'
import { constants, zstdCompress, zstdDecompress } from 'node:zlib'
import { refuse } from '../errors.ts'

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

/** The checksum makes damage on the disk a fault, not another walk. */
const params = { [constants.ZSTD_c_checksumFlag]: 1 }

/** Text of devices shrinks to a tenth, and the commit with it. */
export const pack = (bytes: Uint8Array | string): Promise<Uint8Array> => compress(bytes, { params })

/** @throws refusal `storage-unavailable` for what is damaged. */
export async function unpack(packed: Uint8Array): Promise<Buffer> {
  try {
    return await decompress(packed)
  } catch (error) {
    throw refuse('storage-unavailable', {
      detail: 'What is stored of this route is damaged.',
      cause: error,
    })
  }
}

export async function unpackText(packed: Uint8Array): Promise<string> {
  const bytes = await unpack(packed)
  return bytes.toString('utf8')
}
