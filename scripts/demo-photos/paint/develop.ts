// Converts linear light to screen values: film curve, vignette, and a trace of grain.
import { clamp } from './noise.ts'
import type { Frame } from './view.ts'

const steps = 4_096
const brightest = 6

/** ACES (Krzysztof Narkowicz's fit) and screen gamma, looked up by square root for precision in dark areas. */
function filmCurve(): Float32Array {
  return Float32Array.from({ length: steps + 1 }, (_, index) => {
    const light = 0.72 * brightest * (index / steps) ** 2
    const film = (light * (2.51 * light + 0.03)) / (light * (2.43 * light + 0.59) + 0.14)
    return 255 * clamp(film) ** (1 / 2.2)
  })
}

/** @returns red, green and blue of each pixel. */
export function develop(pixels: Float32Array, { width, height }: Frame, exposure: number): Uint8Array {
  const bytes = new Uint8Array(width * height * 3)
  const film = filmCurve()
  const scale = (exposure * steps * steps) / brightest
  let random = 1

  function developRow(row: number): void {
    const v = (row + 0.5) / height - 0.5
    for (let column = 0; column < width; column += 1) {
      const u = (column + 0.5) / width - 0.5
      const corner = scale * (1 - 0.42 * (u * u + v * v))
      const at = (row * width + column) * 3
      random = (Math.imul(random, 1_664_525) + 1_013_904_223) | 0
      // Also hides banding in a clear sky.
      const grain = (random >> 8) / 5_000_000
      for (let place = at; place < at + 3; place += 1) {
        const step = Math.sqrt((pixels[place] ?? 0) * corner)
        bytes[place] = clamp((film[step < steps ? step | 0 : steps] ?? 0) + grain, 0, 255)
      }
    }
  }

  for (let row = 0; row < height; row += 1) developRow(row)
  return bytes
}
