// Releases the memory of chunks once they are processed, instead of waiting for the garbage collector.
import type { ServerResponse } from 'node:http'

/** Smaller chunks may share their memory with others. */
const minBytes = 16_384

/** Frees the memory of bytes that are no longer used, unless it is shared. They are empty afterwards. */
export function releaseMemory(bytes: Uint8Array): void {
  if (!(bytes.buffer instanceof ArrayBuffer)) return
  const isAlone = bytes.byteLength === bytes.buffer.byteLength && bytes.byteLength >= minBytes
  if (isAlone) bytes.buffer.transfer(0)
}

/**
 * From now on the memory of each written chunk is freed once the kernel has taken it. Only for a stream whose chunks
 * have no other user, such as that of a file: a thousand readers of large images would leave more garbage than live
 * data, and the process never returns memory it once had.
 */
export function releaseOnceSent(response: ServerResponse): void {
  const write = response.write.bind(response) as (chunk: unknown, onTaken: () => void) => boolean
  response.write = ((chunk: unknown): boolean =>
    write(chunk, () => {
      if (chunk instanceof Uint8Array) releaseMemory(chunk)
    })) as ServerResponse['write']
}
