// The entries of the wanted tiles, in growing columns: a few million objects would not fit into memory.
import { wrongArchive } from './wrong-archive.ts'

/** 24 bytes per entry, and as much again while sorting. */
export const maxEntries = 1_000_000

export interface Entries {
  readonly count: number
  readonly ids: Float64Array
  readonly runs: Uint32Array
  readonly lengths: Uint32Array
  /** Offsets in the source's tile data; `order` converts them to those of the target. */
  readonly offsets: Float64Array
}

const max32 = 2 ** 32 - 1

/** Memory that is only used as it is written. */
const growing = (itemBytes: number): ArrayBuffer =>
  new ArrayBuffer(0, { maxByteLength: maxEntries * itemBytes })

export function createEntries() {
  const buffers = [growing(8), growing(4), growing(4), growing(8)] as const
  const ids = new Float64Array(buffers[0])
  const runs = new Uint32Array(buffers[1])
  const lengths = new Uint32Array(buffers[2])
  const offsets = new Float64Array(buffers[3])
  let count = 0

  function grow(): void {
    if (count === maxEntries)
      throw wrongArchive(
        `The box has more than ${maxEntries.toLocaleString('en')} tiles: choose a smaller box, or less with --max-zoom (one zoom less is a quarter of them).`,
      )
    const items = Math.min(maxEntries, Math.max(4_096, count * 2))
    for (const [index, buffer] of buffers.entries())
      buffer.resize(items * (index === 0 || index === 3 ? 8 : 4))
  }

  return {
    /** Entries come in the order of their IDs. */
    add: (id: number, run: number, length: number, offset: number): void => {
      if (length > max32 || run > max32)
        throw wrongArchive('The archive is damaged: a tile is larger than 4 GB.')
      if (count === ids.length) grow()
      ids[count] = id
      runs[count] = run
      lengths[count] = length
      offsets[count] = offset
      count += 1
    },
    done: (): Entries => ({ count, ids, runs, lengths, offsets }),
  }
}
