// Any number of different photos, in every size about as large as a camera's: shapes of every scale, and grain.
import sharp from 'sharp'
import { createChance } from './statistics.ts'

export interface PhotoSize {
  readonly width: number
  readonly height: number
}

/** 12 megapixels, as from a phone. */
export const cameraSize: PhotoSize = { width: 4_000, height: 3_000 }

/** Shapes are painted small and enlarged, for speed. Grain provides the detail. */
const painted: PhotoSize = { width: 800, height: 600 }
const coarsest = 5
const grainPx = 512
const contrast = 1.3

function noiseOf(bytes: number, seed: number): Buffer {
  const chance = createChance(seed)
  const noise = Buffer.alloc(bytes)
  for (let at = 0; at < bytes; at += 1) noise[at] = 256 * chance()
  return noise
}

/** Octaves of random bytes, each twice as fine and somewhat weaker than the one before, as in nature. */
async function paintShapes({ width, height }: PhotoSize, seed: number): Promise<Buffer> {
  const sum = new Float32Array(width * height * 3)
  let strength = 1
  for (let side = coarsest; side < width; side *= 2) {
    const rows = Math.max(1, Math.round((side * height) / width))
    const raw = { width: side, height: rows, channels: 3 } as const
    const noise = sharp(noiseOf(side * rows * 3, seed + side), { raw })
    const grown = await noise.resize(width, height, { fit: 'fill' }).raw().toBuffer()
    for (let at = 0; at < grown.length; at += 1)
      sum[at] = (sum[at] ?? 0) + ((grown[at] ?? 0) - 128) * strength
    strength *= 0.66
  }
  const pixels = Buffer.alloc(sum.length)
  for (let at = 0; at < pixels.length; at += 1)
    pixels[at] = Math.max(0, Math.min(255, 128 + (sum[at] ?? 0) * contrast))
  return pixels
}

/** Paints `count` photos, the same in every run: rotated crops of the same shapes, in different hues, with grain. */
export async function paintPhotos(count: number, size: PhotoSize, quality: number): Promise<Buffer[]> {
  const shapes = await paintShapes(painted, 7)
  const raw = { ...painted, channels: 3 } as const
  const grain = noiseOf(grainPx * grainPx * 3, 13)
  for (let at = 0; at < grain.length; at += 1) grain[at] = 92 + (grain[at] ?? 0) / 3.6
  const tile = { width: grainPx, height: grainPx, channels: 3 } as const
  const over = { input: grain, raw: tile, tile: true, blend: 'overlay' } as const
  const chance = createChance(11)
  const photos: Buffer[] = []
  for (let index = 0; index < count; index += 1) {
    const cut = { width: Math.round(painted.width * 0.9), height: Math.round(painted.height * 0.9) }
    const left = Math.floor(chance() * (painted.width - cut.width))
    const top = Math.floor(chance() * (painted.height - cut.height))
    let image = sharp(shapes, { raw })
      .extract({ left, top, ...cut })
      .modulate({ hue: Math.floor(chance() * 360) })
    if (index % 2 === 1) image = image.flop()
    if (index % 4 > 1) image = image.flip()
    photos.push(await image.resize(size).composite([over]).jpeg({ quality }).toBuffer())
  }
  return photos
}
