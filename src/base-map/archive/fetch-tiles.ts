// Downloads the missing tiles with several requests at a time, and writes each to its place in the target.
import type { FileHandle } from 'node:fs/promises'
import { nextFlight } from '../../shared/single-flight.ts'
import type { Progress } from './progress-file.ts'
import type { ArchiveSource } from './source.ts'

const atOnce = 4

export interface FetchOptions {
  readonly source: ArchiveSource
  readonly target: FileHandle
  readonly progress: Progress
  /** Downloaded bytes that are durable. */
  readonly onDone: (bytes: number) => void
}

interface Piece {
  readonly from: number
  readonly to: number
  readonly bytes: number
}

/** Writes everything, even if the system accepts less at a time. */
async function put(target: FileHandle, chunk: Buffer, position: number): Promise<void> {
  for (let written = 0; written < chunk.length;) {
    const { bytesWritten } = await target.write(chunk, written, chunk.length - written, position + written)
    written += bytesWritten
  }
}

export async function fetchTiles({ source, target, progress, onDone }: FetchOptions): Promise<void> {
  const { plan, copies, requests, isDone } = progress
  let next = 0
  let written: number[] = []

  function pieceAt(index: number): Piece | undefined {
    const { count, from, to, bytes } = copies
    if (index >= count) return undefined
    return { from: from[index] ?? 0, to: to[index] ?? 0, bytes: bytes[index] ?? 0 }
  }

  function spanOf(request: number) {
    const first = requests[request] ?? 0
    const last = (requests[request + 1] ?? copies.count) - 1
    const start = pieceAt(first)?.from ?? 0
    const end = pieceAt(last)
    return { first, last, start, bytes: (end?.from ?? 0) + (end?.bytes ?? 0) - start }
  }

  /** First the tiles, then the record that they are there; several finished requests together. */
  const noteWritten = nextFlight(async (): Promise<void> => {
    const noted = written
    written = []
    if (noted.length === 0) return
    await target.datasync()
    await progress.note(noted)
    onDone(noted.reduce((sum, request) => sum + spanOf(request).bytes, 0))
  })

  async function fetchOne(request: number): Promise<void> {
    const { first, start, bytes } = spanOf(request)
    let index = first
    await source.stream(plan.sourceTilesAt + start, bytes, async (chunk, position) => {
      const at = position - plan.sourceTilesAt
      for (let piece = pieceAt(index); piece && piece.from < at + chunk.length; piece = pieceAt(index)) {
        const from = Math.max(at, piece.from)
        const to = Math.min(at + chunk.length, piece.from + piece.bytes)
        if (to > from)
          await put(target, chunk.subarray(from - at, to - at), plan.tilesAt + piece.to + from - piece.from)
        if (to < piece.from + piece.bytes) return // the rest comes with the next chunk
        index += 1
      }
    })
    written.push(request)
  }

  async function work(): Promise<void> {
    while (next < requests.length) {
      const request = next
      next += 1
      if (isDone[request] === 1) continue
      await fetchOne(request)
      await noteWritten()
    }
  }

  const ends = await Promise.allSettled(Array.from({ length: atOnce }, work))
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed) throw failed.reason
}
