// Decodes the run-length encoding of 4 and 8-bit BMP pictures.
import { refuse } from '../../../errors.ts'
import type { BmpHeader } from './bmp-header.ts'

export interface RleMeasure {
  /** Offset of the first byte after the end-of-bitmap code. */
  readonly end: number
  /** Pixels that get a colour. No code moves backwards, so none is counted twice. */
  readonly painted: number
}

/** Receives each span of pixels within a row; `y` counts from the bottom, where the picture starts. */
export interface RlePainter {
  /** A run of one colour, or of two alternating colours in RLE4: `pair` is the encoded byte. */
  readonly paintRun: (x: number, y: number, count: number, pair: number) => void
  /** A literal: one colour per pixel, encoded from the byte at `start`. */
  readonly paintLiteral: (x: number, y: number, count: number, start: number) => void
  /** The run encoded at `at` exceeds its row, in which only `shown` of its pixels fit. */
  readonly cutRun?: (at: number, shown: number) => void
}

const codes = { endOfLine: 0, endOfBitmap: 1, delta: 2 } as const

/**
 * Reads the whole stream without painting, so that a broken one is refused before its buffer is allocated (a hundred
 * bytes can claim 100 megapixels). Refuses a stream that leaves the picture or ends before its end-of-bitmap code.
 */
export function measureRle(bytes: Uint8Array, header: BmpHeader): RleMeasure {
  return walkRle(bytes, header, { paintRun: () => {}, paintLiteral: () => {} })
}

/** Paints 8-bit RGB or RGBA, top row first, with the colours of `palette` (RGB, 256 entries). */
export function paintRle(
  bytes: Uint8Array,
  header: BmpHeader,
  { palette, data, channels }: { palette: Uint8Array; data: Uint8Array; channels: 3 | 4 },
): void {
  const { width, height, coding } = header
  const paint = (target: number, index: number): void => {
    data[target] = palette[index * 3] ?? 0
    data[target + 1] = palette[index * 3 + 1] ?? 0
    data[target + 2] = palette[index * 3 + 2] ?? 0
    if (channels === 4) data[target + 3] = 255
  }
  const targetOf = (x: number, y: number): number => ((height - 1 - y) * width + x) * channels
  walkRle(bytes, header, {
    paintRun: (x, y, count, pair) => {
      const even = coding === 'rle4' ? pair >>> 4 : pair
      const odd = coding === 'rle4' ? pair & 15 : pair
      const target = targetOf(x, y)
      for (let step = 0; step < count; step += 1) {
        paint(target + step * channels, (step & 1) === 0 ? even : odd)
      }
    },
    paintLiteral: (x, y, count, start) => {
      const target = targetOf(x, y)
      for (let step = 0; step < count; step += 1) {
        const index = coding === 'rle4' ? readNibble(bytes, start, step) : (bytes[start + step] ?? 0)
        paint(target + step * channels, index)
      }
    },
  })
}

function readNibble(bytes: Uint8Array, start: number, step: number): number {
  const pair = bytes[start + (step >>> 1)] ?? 0
  return (step & 1) === 0 ? pair >>> 4 : pair & 15
}

/** Every iteration reads at least two bytes, so the length of the stream limits the work. */
export function walkRle(bytes: Uint8Array, header: BmpHeader, painter: RlePainter): RleMeasure {
  const { width, height, coding } = header
  let at = header.pixelOffset
  let [x, y, painted] = [0, 0, 0]
  const mustFit = (count: number): void => {
    if (y >= height || x + count > width) throw leavesPicture()
  }
  for (;;) {
    const count = readByte(bytes, at)
    const code = readByte(bytes, at + 1)
    at += 2
    if (count > 0) {
      if (y >= height) throw leavesPicture()
      // A run ends at the end of its row at the latest: writers that pad rows rely on this.
      const shown = Math.min(count, width - x)
      if (shown < count) painter.cutRun?.(at - 2, shown)
      painter.paintRun(x, y, shown, code)
      x += shown
      painted += shown
    } else if (code === codes.endOfBitmap) {
      return { end: at, painted }
    } else if (code === codes.endOfLine) {
      x = 0
      y += 1
      if (y > height) throw leavesPicture()
    } else if (code === codes.delta) {
      x += readByte(bytes, at)
      y += readByte(bytes, at + 1)
      at += 2
      if (x > width || y > height) throw leavesPicture()
    } else {
      mustFit(code)
      const coded = coding === 'rle4' ? (code + 1) >>> 1 : code
      painter.paintLiteral(x, y, code, at)
      // A truncated literal is detected in the next iteration, when there is no code to read.
      at += coded + (coded & 1)
      x += code
      painted += code
    }
  }
}

function readByte(bytes: Uint8Array, at: number): number {
  const byte = bytes[at]
  if (byte === undefined) throw endsEarly()
  return byte
}

function endsEarly() {
  return refuse('broken-image', { detail: 'The BMP file is truncated within its compressed pixel data.' })
}

function leavesPicture() {
  return refuse('broken-image', { detail: 'The compressed pixel data of the BMP file exceeds the image.' })
}
