// The dHash of a picture: whether brightness grows from each spot to the next, eight times in each of eight rows.

const columns = 9
const rows = 8

export interface UprightPixels {
  readonly data: Uint8Array
  readonly width: number
  readonly height: number
  /** Grey or colours, and opacity with either. */
  readonly channels: 1 | 2 | 3 | 4
}

/** The pixels of one column or row of spots; one at least, however small the picture. */
function rangeOf(spot: number, spots: number, size: number): readonly [from: number, to: number] {
  const from = Math.min(size - 1, Math.floor((spot * size) / spots))
  return [from, Math.max(from + 1, Math.floor(((spot + 1) * size) / spots))]
}

/** As the eye weighs colours (ITU-R BT.601). */
const weights = [0.299, 0.587, 0.114] as const

/**
 * Mean brightness of the pixels from left to right and top to bottom; transparent ones count as white. Sums integers
 * first and weights them last: this is done for every pixel of every upload.
 */
function brightnessOf(
  { data, width, channels }: UprightPixels,
  [left, right]: readonly [number, number],
  [top, bottom]: readonly [number, number],
): number {
  const isGrey = channels < 3
  const hasOpacity = channels % 2 === 0
  let [reds, greens, blues, opacities] = [0, 0, 0, 0]
  for (let y = top; y < bottom; y += 1) {
    const end = (y * width + right) * channels
    for (let at = (y * width + left) * channels; at < end; at += channels) {
      const opacity = hasOpacity ? (data[at + channels - 1] ?? 0) : 255
      opacities += opacity
      reds += (data[at] ?? 0) * opacity
      if (isGrey) continue
      greens += (data[at + 1] ?? 0) * opacity
      blues += (data[at + 2] ?? 0) * opacity
    }
  }
  const pixels = (bottom - top) * (right - left)
  const sum = isGrey ? reds : weights[0] * reds + weights[1] * greens + weights[2] * blues
  return (sum / 255 + 255 * pixels - opacities) / pixels
}

/** Smaller differences count as equal: noise of the last bit in flat areas. */
const minStep = 0.01

/**
 * Nearly unchanged if a photo is resized, brightened or saved again, and different for another picture.
 * @returns 64 bits as 16 hex digits, two per row.
 */
export function dhashOf(pixels: UprightPixels): string {
  const spots = Float64Array.from({ length: columns * rows }, (_none, spot) =>
    brightnessOf(
      pixels,
      rangeOf(spot % columns, columns, pixels.width),
      rangeOf(Math.floor(spot / columns), rows, pixels.height),
    ),
  )
  let digits = ''
  for (let row = 0; row < rows; row += 1) {
    let bits = 0
    for (let column = 0; column + 1 < columns; column += 1) {
      const at = row * columns + column
      bits = bits * 2 + ((spots[at + 1] ?? 0) - (spots[at] ?? 0) > minStep ? 1 : 0)
    }
    digits += bits.toString(16).padStart(2, '0')
  }
  return digits
}
