// Follows the LZW codes of a GIF frame without producing pixels, to prove that the frame is complete.
import { byteAt, damaged } from '../../container-parts.ts'

/** The format requires at least 2: with 1, decoders disagree on when the code size grows. */
const minLiteralBits = 2
const maxCodeBits = 12
const maxCodes = 4096

const maxSubBlockLength = 255

export interface ImageData {
  /** Where the next block starts. */
  readonly end: number
  /** The output: the input up to `keepTo`, followed by these bytes. */
  readonly keepTo: number
  readonly ending: Uint8Array
}

/**
 * Checks the image data whose first byte (the code size) is at `at`, and marks the colours of its pixels in
 * `usedColours`. Every code up to the last of `pixels` must be valid. Decoders ignore everything after that, so the
 * data is ended there with an end code. Codes count by the length of their string, so the time depends on the bytes
 * read, not on the frame size.
 */
export function walkImageData(
  bytes: Uint8Array,
  { at, pixels, usedColours }: { at: number; pixels: number; usedColours: Uint8Array },
): ImageData {
  const literalBits = byteAt(bytes, at)
  if (literalBits < minLiteralBits || literalBits >= maxCodeBits)
    throw damaged('A frame of the GIF has an invalid code size.')
  const clear = 1 << literalBits
  const lengths = new Uint16Array(maxCodes).fill(1, 0, clear)
  let codeBits = literalBits + 1
  let codeMask = 2 * clear - 1
  let free = clear + 2
  // Length of the previous string; 0 right after a clear code, when only a literal may follow.
  let before = 0
  let buffer = 0
  let bits = 0
  let missing = pixels
  let position = at + 1
  // The sub-block in which the last pixel ends, and the position in it.
  let [lastBlock, lastByte] = [position, position]
  for (;;) {
    if (missing > 0) lastBlock = position
    const size = byteAt(bytes, position)
    position += 1
    if (size === 0) break
    const end = position + size
    if (end > bytes.length) throw damaged('The GIF is truncated within a frame.')
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
        if (code === clear + 1) throw damaged('A frame of the GIF has too few pixels.')
        if (code > (before === 0 ? clear : free)) throw damaged('A frame of the GIF has an invalid code.')
        if (before !== 0 && free < maxCodes) {
          lengths[free] = before + 1
          free += 1
          if (free > codeMask && codeBits < maxCodeBits) {
            codeBits += 1
            codeMask = codeMask * 2 + 1
          }
        }
        before = lengths[code] ?? 0
        missing -= before
        if (code < clear) usedColours[code & 255] = 1
      }
      lastByte = position
    }
    position = end
  }
  if (missing > 0) throw damaged('A frame of the GIF has too few pixels.')
  const last = { lastBlock, lastByte, spareBits: pixels > 0 ? bits : 0 }
  return writeEnd(bytes, { ...last, hasPixels: pixels > 0, end: position, endCode: clear + 1, codeBits })
}

interface LastCode {
  readonly lastBlock: number
  readonly lastByte: number
  /** Bits of the last byte after the last pixel's code: fewer than 8. */
  readonly spareBits: number
  readonly hasPixels: boolean
  readonly end: number
  readonly endCode: number
  readonly codeBits: number
}

/** The last sub-block in its canonical form: up to the last pixel's code, an end code, zeros, and the terminator. */
function writeEnd(bytes: Uint8Array, last: LastCode): ImageData {
  const { lastBlock, lastByte, spareBits, hasPixels, end, endCode, codeBits } = last
  const data: number[] = hasPixels ? [...bytes.subarray(lastBlock + 1, lastByte + 1)] : []
  let buffer = (data.pop() ?? 0) & (255 >>> spareBits)
  let bits = hasPixels ? 8 - spareBits : 0
  // Some writers omit the end code, which decoders do not need: then nothing follows the last pixel.
  const isOpen = hasPixels && lastByte + 2 === end && buffer === bytes[lastByte]
  if (!isOpen) {
    buffer |= endCode << bits
    bits += codeBits
  }
  for (; bits > 0; bits -= 8) {
    data.push(buffer & 255)
    buffer >>>= 8
  }
  const blocks: number[] = []
  for (let at = 0; at < data.length; at += maxSubBlockLength) {
    const block = data.slice(at, at + maxSubBlockLength)
    blocks.push(block.length, ...block)
  }
  const ending = Uint8Array.from([...blocks, 0])
  const isSame =
    end - lastBlock === ending.length && ending.every((byte, index) => bytes[lastBlock + index] === byte)
  return isSame ? { end, keepTo: end, ending: new Uint8Array() } : { end, keepTo: lastBlock, ending }
}
