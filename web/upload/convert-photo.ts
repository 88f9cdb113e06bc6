// Draws a photo anew as a JPEG that the service takes, upright, with where and when it was taken and nothing else. Runs in a
// worker.
import type { PhotoFacts } from './photo.ts'
import { withExif } from './formats/exif-writer.ts'
import { fittingSide, maxSide, maxPixels } from './photo-limits.ts'

export interface Conversion {
  readonly file: Blob
  readonly facts: Pick<PhotoFacts, 'position' | 'takenAt'>
  readonly maxBytes: number
}

/** Good to the eye at first; then rather fewer pixels than blocks. */
const qualities = [0.92, 0.86, 0.8] as const
const smaller = 0.8
const minSide = 800
/** For the EXIF that is put in afterwards. */
const spareBytes = 1_024

async function encode(
  bitmap: ImageBitmap,
  { width, height }: { width: number; height: number },
  quality: number,
): Promise<Blob> {
  const canvas = new OffscreenCanvas(width, height)
  const context = canvas.getContext('2d', { alpha: false })
  if (context === null) throw new Error('no canvas')
  context.imageSmoothingQuality = 'high'
  context.fillStyle = '#fff'
  context.fillRect(0, 0, width, height)
  context.drawImage(bitmap, 0, 0, width, height)
  return canvas.convertToBlob({ type: 'image/jpeg', quality })
}

/** @returns undefined where this browser cannot decode it, or nothing fits. */
export async function convertPhoto({ file, facts, maxBytes }: Conversion): Promise<Blob | undefined> {
  const bitmap = await createImageBitmap(file, { imageOrientation: 'from-image' }).catch(() => undefined)
  if (bitmap === undefined) return undefined
  try {
    const first = fittingSide(bitmap, { maxSide, maxPixels })
    for (let side = first; side === first || side >= minSide; side = Math.floor(side * smaller)) {
      const scale = side / Math.max(bitmap.width, bitmap.height)
      const width = Math.max(1, Math.round(bitmap.width * scale))
      const height = Math.max(1, Math.round(bitmap.height * scale))
      for (const quality of qualities) {
        const drawn = await encode(bitmap, { width, height }, quality)
        if (drawn.size + spareBytes > maxBytes) continue
        const jpeg = withExif(new Uint8Array(await drawn.arrayBuffer()), facts)
        return new Blob([jpeg], { type: 'image/jpeg' })
      }
    }
    return undefined
  } finally {
    bitmap.close()
  }
}
