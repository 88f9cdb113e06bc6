// Images truncated after every byte: complete except for the end marker, or refused (trust 24, C15).
import { examine } from '../../src/imaging/examine.ts'
import { standardLimits } from '../../src/imaging/image-limits.ts'
import type { Seed } from './seeds.ts'
import { codedInGif } from './uncoded.ts'

export interface Cuts {
  /** Lengths at which the truncated file was accepted. */
  readonly taken: readonly number[]
  readonly refused: number
  /** Violations, one sentence each. */
  readonly faults: readonly string[]
}

/** Bytes that may be missing at the end: IEND, the trailer, EOI; a BMP has no end marker. */
const endMarkerBytes = { png: 12, gif: 1, jpeg: 2, bmp: 0 } as const
/** Where a GIF may end without a detectable fault: after any of its frames. */
function frameEndsOf({ type, bytes }: Seed): number[] {
  return type === 'gif' ? [...codedInGif(bytes)].slice(1).map(([, end]) => end) : []
}

/** @param step 1 for every byte; larger steps always take the last bytes too, where it matters. */
export async function cutEverywhere(seed: Seed, step = 1): Promise<Cuts> {
  const { type, bytes } = seed
  const frameEnds = frameEndsOf(seed)
  const taken: number[] = []
  const faults: string[] = []
  let refused = 0
  for (let length = 0; length < bytes.length; length += length > bytes.length - 40 ? 1 : step) {
    const cut = bytes.subarray(0, length)
    const outcome = await examine(cut, standardLimits)
    const lacksEndAlone = length >= bytes.length - endMarkerBytes[type] || frameEnds.includes(length)
    if (!outcome.ok) {
      refused += 1
      if (outcome.fault !== undefined) faults.push(`cut at ${length}: ${outcome.fault}`)
      const isCode =
        outcome.code === 'broken-image' || (outcome.code === 'unsupported-image-type' && length < 8)
      if (!isCode) faults.push(`cut at ${length}: ${outcome.code}`)
      if (lacksEndAlone) faults.push(`cut at ${length}: refused for its end marker: ${outcome.detail}`)
      continue
    }
    taken.push(length)
    if (!lacksEndAlone) faults.push(`cut at ${length} of ${bytes.length}: taken`)
  }
  return { taken, refused, faults }
}
