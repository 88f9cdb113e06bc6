// Follows the LZW codes of one GIF frame without making its pixels, to prove that they are all there.
import { byteAt, damaged } from './container-parts.ts'

/** The format wants 2 at least: with 1, decoders disagree on when codes grow. */
const leastLiteralBits = 2
const mostCodeBits = 12
const mostCodes = 4096

/**
 * Checks the image data whose first byte (the code size) is at `at`; returns where the block after it starts.
 * Every code up to the last of `pixels` must be valid; what follows that one no decoder looks at.
 * A code counts by the length of its string, so the work is by bytes read, however large the frame.
 */
export function walkImageData(bytes: Uint8Array, at: number, pixels: number): number {
  const literalBits = byteAt(bytes, at)
  if (literalBits < leastLiteralBits || literalBits >= mostCodeBits)
    throw damaged('A frame of the GIF has a wrong code size.')
  const clear = 1 << literalBits
  const lengths = new Uint16Array(mostCodes).fill(1, 0, clear)
  let codeBits = literalBits + 1
  let codeMask = 2 * clear - 1
  let free = clear + 2
  // Length of the string before; 0 right after a clear code, where only a literal may come.
  let before = 0
  let buffer = 0
  let bits = 0
  let missing = pixels
  let position = at + 1
  for (;;) {
    const size = byteAt(bytes, position)
    position += 1
    if (size === 0) break
    const end = position + size
    if (end > bytes.length) throw damaged('The GIF is cut inside a frame.')
    for (; missing > 0 && position < end; position += 1) {
      buffer |= (bytes[position] ?? 0) << bits
      bits += 8
      while (bits >= codeBits && missing > 0) {
        const code = buffer & codeMask
        buffer >>>= codeBits
        bits -= codeBits
        if (code === clear) {
          codeBits = literalBits + 1
          codeMask = 2 * clear - 1
          free = clear + 2
          before = 0
          continue
        }
        if (code === clear + 1) throw damaged('A frame of the GIF lacks pixels.')
        if (code > (before === 0 ? clear : free)) throw damaged('A frame of the GIF has an impossible code.')
        if (before !== 0 && free < mostCodes) {
          lengths[free] = before + 1
          free += 1
          if (free > codeMask && codeBits < mostCodeBits) {
            codeBits += 1
            codeMask = codeMask * 2 + 1
          }
        }
        before = lengths[code] ?? 0
        missing -= before
      }
    }
    position = end
  }
  if (missing > 0) throw damaged('A frame of the GIF lacks pixels.')
  return position
}
