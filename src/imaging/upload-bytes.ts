// The bytes of an upload, wherever they lie: taken a stretch at a time, so that no part of the server holds all of them.
import { lengthOfPiece, type Piece } from './container-parts.ts'

export interface UploadBytes {
  readonly bytes: number
  /** Fills the memory with what stands from `from` on. */
  readInto(memory: Buffer, from: number): Promise<void>
}

export function inMemory(whole: Uint8Array): UploadBytes {
  return {
    bytes: whole.length,
    readInto: (memory, from) => {
      memory.set(whole.subarray(from, from + memory.length))
      return Promise.resolve()
    },
  }
}

/** What `joinPieces` makes, of an upload that lies elsewhere. */
export async function readPieces(upload: UploadBytes, pieces: readonly Piece[]): Promise<Uint8Array> {
  const joined = Buffer.allocUnsafeSlow(pieces.reduce((length, piece) => length + lengthOfPiece(piece), 0))
  let at = 0
  for (const piece of pieces) {
    const next = at + lengthOfPiece(piece)
    if (piece instanceof Uint8Array) joined.set(piece, at)
    else await upload.readInto(joined.subarray(at, next), piece.from)
    at = next
  }
  return joined
}
