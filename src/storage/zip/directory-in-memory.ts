// The directory of a zip kept in memory, some hundred bytes a file: for a zip that is sent as it is made, where no disk is needed.
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
