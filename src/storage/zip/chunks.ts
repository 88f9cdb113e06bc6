// A file of any length, a piece at a time.
import type { FileHandle } from 'node:fs/promises'

const chunkBytes = 1024 * 1024

/**
 * From its start, whatever was read or written before. Each piece is the reader's own.
 * @param rest is called before each piece, for work that lets others go first.
 */
export async function* chunksOf(
  file: Pick<FileHandle, 'read'>,
  rest?: () => Promise<void>,
): AsyncGenerator<Buffer> {
  for (let position = 0; ;) {
    await rest?.()
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, position)
    if (bytesRead === 0) return
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}
