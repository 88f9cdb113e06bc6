// What tells a file from others without decoding it, for one that is chosen again.
import { readCamera } from '../../src/shared/formats/exif-camera.ts'
import { pixelSizeOf } from '../../src/shared/formats/image-formats.ts'
import { metadataBlocks } from '../../src/shared/formats/metadata-blocks.ts'
import { kindOf, photoFormats } from './formats/photo-kind.ts'
import type { FileTraits } from './match-originals.ts'

/** Never rejects: what cannot be read has its name alone. */
export async function traitsOf(file: File): Promise<FileTraits> {
  const { name } = file
  const unknown: FileTraits = { name, takenAt: undefined, width: undefined, height: undefined }
  try {
    const bytes = new Uint8Array(await file.arrayBuffer())
    const kind = kindOf(bytes)
    if (kind === undefined) return unknown
    const size = pixelSizeOf(bytes, photoFormats[kind])
    const blocks = await metadataBlocks(bytes, kind)
    const cameras = blocks.flatMap((block) => (block.kind === 'exif' ? [readCamera(block.bytes)] : []))
    const takenAt = cameras.find((camera) => camera.takenAt !== undefined)?.takenAt
    return { name, takenAt, width: size?.width, height: size?.height }
  } catch {
    return unknown
  }
}
