// Writes what comes in pieces to a file in a few large writes, and holds little of it in memory.
import { write, writev } from 'node:fs'

/** Written at once; what comes meanwhile is gathered for the next time, up to as much again. */
const bytesOfWrite = 256 * 1024
/** Or so many pieces, however small: each takes memory beside its bytes, and the system takes 1,024 at most. */
const chunksOfWrite = 128
/** Parsers lend short pieces of memory that they use again; and each piece that is kept takes memory beside its bytes. */
const minBytesKept = 1_024
/** What is fewer is written after so long, so that a slow sender's bytes lie on the disk and not in memory. */
const maxDelayMs = 100

/** A write may take less than it is given, as where the room ends within it. */
function writeSome(descriptor: number, chunks: readonly Uint8Array[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, bytesWritten: number): void =>
      error ? reject(error) : resolve(bytesWritten)
    const [first] = chunks
    if (first !== undefined && chunks.length === 1) write(descriptor, first, done)
    else writev(descriptor, chunks, done)
  })
}

/** What is left of the pieces behind so many bytes. */
function restOf(chunks: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  let skipped = 0
  let left = bytes
  while (skipped < chunks.length && left >= (chunks[skipped]?.length ?? 0)) {
    left -= chunks[skipped]?.length ?? 0
    skipped += 1
  }
  return chunks.slice(skipped).map((chunk, index) => (index === 0 ? chunk.subarray(left) : chunk))
}

/** Writes the pieces, whole, where the file stands. */
export async function writeAll(descriptor: number, chunks: readonly Uint8Array[]): Promise<void> {
  for (let rest = restOf(chunks, 0); rest.length > 0;) rest = restOf(rest, await writeSome(descriptor, rest))
}

/**
 * @param descriptor of the file; its owner closes it, once `end` or `stop` has come back.
 * @param release is given each piece once it is written and nobody here looks at it any more.
 */
export function createGatheringWriter(descriptor: number, release?: (chunk: Uint8Array) => void) {
  let gathered: Uint8Array[] = []
  let gatheredBytes = 0
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | undefined
  let failure: { readonly error: unknown } | undefined

  async function writeOut(chunks: readonly Uint8Array[]): Promise<void> {
    try {
      await writeAll(descriptor, chunks)
      if (release) for (const chunk of chunks) release(chunk)
    } catch (error) {
      failure ??= { error }
    }
    writing = undefined
  }

  function begin(): void {
    clearTimeout(timer)
    timer = undefined
    if (gathered.length === 0) return
    const chunks = gathered
    gathered = []
    gatheredBytes = 0
    writing = writeOut(chunks)
  }

  /** For whoever sends slowly: nothing more has come for a while. */
  function beginLate(): void {
    timer = undefined
    if (writing === undefined) begin()
    else delay()
  }

  function delay(): void {
    timer ??= setTimeout(beginLate, maxDelayMs)
  }

  /** @throws what a write before failed with. */
  async function settle(): Promise<void> {
    await writing
    if (failure) throw failure.error
  }

  return {
    /** Takes a piece over. Resolves when there is room for the next. @throws what a write before failed with. */
    add: async (chunk: Uint8Array): Promise<void> => {
      gathered.push(chunk.length < minBytesKept ? Uint8Array.from(chunk) : chunk)
      gatheredBytes += chunk.length
      if (gatheredBytes < bytesOfWrite && gathered.length < chunksOfWrite) {
        delay()
        if (failure) throw failure.error
        return
      }
      await settle()
      begin()
    },

    /** Writes what is left. @throws what a write failed with. */
    end: async (): Promise<void> => {
      await settle()
      begin()
      await settle()
    },

    /** Writes nothing more, and waits for what is being written. */
    stop: async (): Promise<void> => {
      clearTimeout(timer)
      gathered = []
      await writing
    },
  }
}
