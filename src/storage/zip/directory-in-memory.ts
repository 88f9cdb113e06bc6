// The directory of a zip in memory, about a hundred bytes per file: for a zip that is sent while it is made, without a
// disk.
import type { DirectoryFile } from './zip-writer.ts'

export function createDirectoryInMemory(): DirectoryFile {
  const chunks: Uint8Array[] = []
  let whole: Buffer | undefined

  return {
    appendFile: (bytes) => {
      chunks.push(bytes)
      return Promise.resolve()
    },
    read: ((buffer: Buffer, offset: number, length: number, position: number) => {
      whole ??= Buffer.concat(chunks)
      const bytesRead = whole.copy(buffer, offset, position, Math.min(position + length, whole.length))
      return Promise.resolve({ bytesRead, buffer })
    }) as DirectoryFile['read'],
  }
}
