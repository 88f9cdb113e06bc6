// The photos of the demo: files painted by scripts/demo-photos, with the capture time of this demo.
import { readFile } from 'node:fs/promises'
import path from 'node:path'

const folder = path.join(import.meta.dirname, 'photos')

/** The capture time in the files, as EXIF writes it; replaced by one of the same length. */
export const paintedAt = '2000:01:01 00:00:00'

/** @param takenAt local time as EXIF writes it: `2026:10:05 07:11:12`. */
export async function readPhoto(file: string, takenAt: string): Promise<Uint8Array> {
  if (takenAt.length !== paintedAt.length) throw new RangeError(`${takenAt} is not a time as EXIF writes it`)
  const bytes = await readFile(path.join(folder, file))
  for (let at = bytes.indexOf(paintedAt); at !== -1; at = bytes.indexOf(paintedAt, at + 1))
    bytes.write(takenAt, at, 'latin1')
  return bytes
}
