// Writes chunks to a file in a few large writes, holding little in memory.
import { write, writev } from 'node:fs'

/** Written at once; what arrives meanwhile is collected for the next write, up to the same amount. */
const bytesOfWrite = 256 * 1024
/** Or this many chunks, however small: each has an overhead, and the system takes at most 1,024. */
const chunksOfWrite = 128
/** Parsers reuse the memory of short chunks; and each buffered chunk has an overhead. */
const minBytesKept = 1_024
/** Smaller amounts are written after this time, so that a slow sender's bytes are on disk and not in memory. */
const maxDelayMs = 100

/** A write may take less than it is given, for example if the disk becomes full. */
function writeSome(descriptor: number, chunks: readonly Uint8Array[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, bytesWritten: number): void =>
      error ? reject(error) : resolve(bytesWritten)
    const [first] = chunks
    if (first !== undefined && chunks.length === 1) write(descriptor, first, done)
    else writev(descriptor, chunks, done)
  })
}

/** The chunks that remain after this many bytes. */
function restOf(chunks: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  let skipped = 0
  let left = bytes
  while (skipped < chunks.length && left >= (chunks[skipped]?.length ?? 0)) {
    left -= chunks[skipped]?.length ?? 0
    skipped += 1
  }
  return chunks.slice(skipped).map((chunk, index) => (index === 0 ? chunk.subarray(left) : chunk))
}

/** Writes all of the chunks at the current position. */
export async function writeAll(descriptor: number, chunks: readonly Uint8Array[]): Promise<void> {
  for (let rest = restOf(chunks, 0); rest.length > 0;) rest = restOf(rest, await writeSome(descriptor, rest))
}

/**
 * @param descriptor of the file; the caller closes it, after `end` or `stop` has resolved.
 * @param release is called with each chunk once it is written and no longer used here.
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

  /** For slow senders: nothing has arrived for a while. */
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
    /** Takes a chunk over. Resolves when there is room for the next. @throws the error of an earlier write. */
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

    /** Writes the rest. @throws the error of a write. */
    end: async (): Promise<void> => {
      await settle()
      begin()
      await settle()
    },

    /** Stops writing, and waits for the write in progress. */
    stop: async (): Promise<void> => {
      clearTimeout(timer)
      gathered = []
      await writing
    },
  }
}
