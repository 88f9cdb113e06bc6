// Checks the later frames of an animated PNG, which no decoder of ours reads: each must inflate to its size.
import { pipeline } from 'node:stream/promises'
import { createInflate } from 'node:zlib'
import { damaged, readUint32 } from './container-parts.ts'
import type { Container } from './container-parts.ts'
import { countRowBytes, readChunk, readIhdr } from './png-chunks.ts'

interface Frame {
  readonly rowBytes: number
  readonly data: Uint8Array[]
}

/** Inflated bytes held at a time. */
const pieceBytes = 262_144

/**
 * Refuses with `broken-image` an APNG whose frames after the first are cut or corrupt inside; at once done
 * for everything else. `bytes` are those that `walk` took. Holds one piece at a time, however large a frame.
 */
export async function checkAnimation(bytes: Uint8Array, container: Container): Promise<void> {
  if (container.type !== 'png') return
  for (const frame of readLaterFrames(bytes)) {
    if (!(await isWhole(frame))) throw damaged('A frame of the animation is cut or corrupt.')
  }
}

function* readLaterFrames(bytes: Uint8Array): Generator<Frame> {
  const header = readIhdr(bytes)
  let frame: Frame | undefined
  let at = header.to
  // A missing end marker leaves fewer bytes than a chunk has.
  while (at + 12 <= bytes.length) {
    const chunk = readChunk(bytes, at)
    if (chunk.type === 'IEND') break
    if (chunk.type === 'fcTL') {
      if (frame !== undefined && frame.data.length > 0) yield frame
      const width = readUint32(bytes, chunk.body + 4)
      const height = readUint32(bytes, chunk.body + 8)
      frame = { rowBytes: countRowBytes(header, width, height), data: [] }
    } else if (chunk.type === 'fdAT') {
      frame?.data.push(bytes.subarray(chunk.body + 4, chunk.bodyEnd))
    }
    at = chunk.to
  }
  if (frame !== undefined && frame.data.length > 0) yield frame
}

/** Whether the data is one whole zlib stream, checksum included, of just the bytes the frame needs. */
async function isWhole({ rowBytes, data }: Frame): Promise<boolean> {
  let inflated = 0
  try {
    await pipeline(
      data,
      createInflate({ chunkSize: pieceBytes }),
      async (pieces: AsyncIterable<Uint8Array>) => {
        for await (const piece of pieces) {
          inflated += piece.length
          // Leaving the loop ends the inflating: a bomb costs no more than the frame it claims to be.
          if (inflated > rowBytes) break
        }
      },
    )
  } catch {
    return false
  }
  return inflated === rowBytes
}
