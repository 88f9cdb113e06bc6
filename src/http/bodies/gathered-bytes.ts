// Bytes that come in pieces of any size, kept in blocks: they take the memory of what has come, not of what is announced.
import { runYielding } from '../../shared/yielding.ts'
import { giveBack } from './give-back.ts'

const maxBlockBytes = 64 * 1024
/** Less is not given back (give-back.ts), and comes from memory that Node has at hand. */
const minOwnBytes = 4 * 1024
/** Some 1 ms of copying into memory that was not touched before. */
const blocksOfStep = 16

export interface GatheredBytes {
  readonly bytes: number
  /** Copies the piece, whose memory may be given back or written to again. */
  readonly add: (chunk: Uint8Array) => void
  /** All that has come, in memory of its own; the blocks are given back as they are copied. Nothing may be added after. */
  readonly join: () => Promise<Uint8Array>
}

export function gatherBytes(): GatheredBytes {
  const blocks: Uint8Array[] = []
  let bytes = 0
  /** Of the last block. */
  let room = 0

  function add(chunk: Uint8Array): void {
    let rest = chunk
    while (rest.length > 0) {
      if (room === 0) {
        // One piece is all that there is of most bodies; of others, blocks grow with what has come.
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
      giveBack(block)
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
