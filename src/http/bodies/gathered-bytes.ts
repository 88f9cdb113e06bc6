// Collects bytes that arrive in chunks of any size into blocks: they take the memory of what has arrived, not of what
// was announced.
import { runYielding } from '../../shared/yielding.ts'
import { releaseMemory } from './release-memory.ts'

const maxBlockBytes = 64 * 1024
/** Smaller blocks are not released early (release-memory.ts), and come from Node's pool. */
const minOwnBytes = 4 * 1024
/** Some 1 ms of copying into memory that was not touched before. */
const blocksOfStep = 16

export interface GatheredBytes {
  readonly bytes: number
  /** Copies the chunk, whose memory may then be released or reused. */
  readonly add: (chunk: Uint8Array) => void
  /**
   * Everything received, in its own memory; the blocks are released as they are copied. Nothing may be added
   * afterwards.
   */
  readonly join: () => Promise<Uint8Array>
}

export function gatherBytes(): GatheredBytes {
  const blocks: Uint8Array[] = []
  let bytes = 0
  /** In the last block. */
  let room = 0

  function add(chunk: Uint8Array): void {
    let rest = chunk
    while (rest.length > 0) {
      if (room === 0) {
        // Most bodies are a single chunk; for others, blocks grow with what has arrived.
        room = Math.max(rest.length, Math.min(bytes, maxBlockBytes))
        blocks.push(room < minOwnBytes ? Buffer.allocUnsafe(room) : Buffer.allocUnsafeSlow(room))
      }
      const block = blocks.at(-1) as Uint8Array
      const part = rest.subarray(0, room)
      block.set(part, block.length - room)
      room -= part.length
      bytes += part.length
      rest = rest.subarray(part.length)
    }
  }

  function* joining(): Generator<undefined, Uint8Array> {
    const [only] = blocks
    if (blocks.length === 1 && only && room === 0) return only
    const whole = Buffer.allocUnsafeSlow(bytes)
    let at = 0
    for (const [index, block] of blocks.entries()) {
      const isLast = index === blocks.length - 1
      whole.set(isLast ? block.subarray(0, block.length - room) : block, at)
      at += block.length
      releaseMemory(block)
      if (index % blocksOfStep === blocksOfStep - 1) yield
    }
    return whole
  }

  return {
    get bytes() {
      return bytes
    },
    add,
    join: () => runYielding(joining()),
  }
}
