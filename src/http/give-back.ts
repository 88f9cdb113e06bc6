// Memory of what is streamed to a client: given back as it goes out, not when the garbage collector gets around to it.
import type { ServerResponse } from 'node:http'

/** Smaller pieces may share their memory with others. */
const leastBytes = 16_384

/**
 * From now on the memory of each piece that is written is freed once the kernel has taken the piece. For a stream whose
 * pieces nobody else holds, such as that of a file: a thousand readers of large images would leave more garbage behind
 * than is alive, and the process keeps what it once had.
 */
export function giveBackOnceSent(response: ServerResponse): void {
  const write = response.write.bind(response) as (piece: unknown, onTaken: () => void) => boolean
  response.write = ((piece: unknown): boolean =>
    write(piece, () => {
      if (!(piece instanceof Uint8Array) || !(piece.buffer instanceof ArrayBuffer)) return
      const isAlone = piece.byteLength === piece.buffer.byteLength && piece.byteLength >= leastBytes
      if (isAlone) piece.buffer.transfer(0)
    })) as ServerResponse['write']
}
