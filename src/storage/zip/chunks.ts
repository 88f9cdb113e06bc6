// A file of any length, a piece at a time.
import type { FileHandle } from 'node:fs/promises'

const chunkBytes = 1024 * 1024

/** From its start, whatever was read or written before. Each piece is the reader's own. */
export async function* chunksOf(file: Pick<FileHandle, 'read'>): AsyncGenerator<Buffer> {
  for (let position = 0; ;) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, position)
    if (bytesRead === 0) return
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}
