// Generated pictures as detailed as a photo: light and dark patches of every size, different for each seed.
import sharp, { type Sharp } from 'sharp'

/** Uniform numbers from 0 to 1 that depend only on place and seed. */
function valueAt(x: number, y: number, seed: number): number {
  let hash = Math.imul(x, 374_761_393) + Math.imul(y, 668_265_263) + Math.imul(seed, 1_274_126_177)
  hash = Math.imul(hash ^ (hash >>> 13), 1_103_515_245)
  hash = Math.imul(hash ^ (hash >>> 15), 2_246_822_519)
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
}

const smooth = (share: number): number => share * share * (3 - 2 * share)

function patchesAt(x: number, y: number, seed: number): number {
  const [left, top] = [Math.floor(x), Math.floor(y)]
  const [across, down] = [smooth(x - left), smooth(y - top)]
  const mix = (one: number, other: number, share: number): number => one + (other - one) * share
  return mix(
    mix(valueAt(left, top, seed), valueAt(left + 1, top, seed), across),
    mix(valueAt(left, top + 1, seed), valueAt(left + 1, top + 1, seed), across),
    down,
  )
}

/** Patch sizes from the largest to the smallest, and their weights. */
const octaves = [
  [3, 0.5],
  [9, 0.28],
  [27, 0.14],
  [81, 0.08],
] as const

export function landscape(
  seed: number,
  { width, height }: { readonly width: number; readonly height: number },
): Sharp {
  const data = Buffer.alloc(width * height * 3)
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      let light = 0
      for (const [patches, weight] of octaves)
        light += weight * patchesAt((x / width) * patches, (y / width) * patches, seed * 100 + patches)
      const at = (y * width + x) * 3
      data[at] = light * 255
      data[at + 1] = light * 235 + 10
      data[at + 2] = light * 200 + 30
    }
  }
  return sharp(data, { raw: { width, height, channels: 3 } })
}
