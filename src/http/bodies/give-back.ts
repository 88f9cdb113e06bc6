// Memory of what comes and goes in pieces: given back as it is done with, not when the garbage collector gets around to it.
import type { ServerResponse } from 'node:http'

/** Smaller pieces may share their memory with others. */
const minBytes = 16_384

/** Frees the memory of bytes that nobody looks at any more; unless they share it. From now on they are empty. */
export function giveBack(bytes: Uint8Array): void {
  if (!(bytes.buffer instanceof ArrayBuffer)) return
  const isAlone = bytes.byteLength === bytes.buffer.byteLength && bytes.byteLength >= minBytes
  if (isAlone) bytes.buffer.transfer(0)
}

/**
 * From now on the memory of each piece that is written is freed once the kernel has taken the piece. For a stream whose
 * pieces nobody else holds, such as that of a file: a thousand readers of large images would leave more garbage behind
 * than is alive, and the process keeps what it once had.
 */
export function giveBackOnceSent(response: ServerResponse): void {
  const write = response.write.bind(response) as (chunk: unknown, onTaken: () => void) => boolean
  response.write = ((chunk: unknown): boolean =>
    write(chunk, () => {
      if (chunk instanceof Uint8Array) giveBack(chunk)
    })) as ServerResponse['write']
}
