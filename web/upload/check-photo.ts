// Looks at a file before it is sent: what it is, what it says of itself, how it looks. Runs in a worker.
import { captureFrom } from '../../src/shared/formats/capture.ts'
import { readCamera } from '../../src/shared/formats/exif-camera.ts'
import { pixelSizeOf } from '../../src/shared/formats/image-formats.ts'
import { positionFrom } from '../../src/shared/formats/gps.ts'
import { metadataBlocks } from '../../src/shared/formats/metadata-blocks.ts'
import { missingPosition } from '../../src/shared/formats/missing-position.ts'
import type { PhotoFacts } from './photo.ts'
import { headBytes, kindOf, photoFormats } from './formats/photo-kind.ts'

export interface CheckedPhoto {
  readonly facts: PhotoFacts
  readonly preview: Blob | undefined
  /** Whether this browser can turn it into pixels. */
  readonly isDecodable: boolean
}

const previewSide = 320

/** More pixels than this are not decoded for a small picture: it could take the whole tab along. */
const maxPreviewedPixels = 160_000_000

/** Pages over plain http to a name have no crypto.subtle. */
async function sha256Of(bytes: Uint8Array<ArrayBuffer>): Promise<string | undefined> {
  const { crypto } = globalThis as { crypto: Partial<Crypto> }
  if (crypto.subtle === undefined) return undefined
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

async function previewOf(file: Blob): Promise<{ preview: Blob; width: number; height: number } | undefined> {
  const bitmap = await createImageBitmap(file).catch(() => undefined)
  if (bitmap === undefined) return undefined
  const { width, height } = bitmap
  const scale = Math.min(1, previewSide / Math.max(width, height))
  const canvas = new OffscreenCanvas(
    Math.max(1, Math.round(width * scale)),
    Math.max(1, Math.round(height * scale)),
  )
  const context = canvas.getContext('2d')
  if (context === null) return undefined
  context.imageSmoothingQuality = 'high'
  // What is transparent stands on white, as the service's own small sizes of a photo do on a page.
  context.fillStyle = '#fff'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  bitmap.close()
  return { preview: await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.8 }), width, height }
}

/** @returns undefined for what is no photo. */
export async function checkPhoto(file: Blob): Promise<CheckedPhoto | undefined> {
  const kind = kindOf(new Uint8Array(await file.slice(0, headBytes).arrayBuffer()))
  if (kind === undefined) return undefined
  const bytes = new Uint8Array(await file.arrayBuffer())
  const stated = pixelSizeOf(bytes, photoFormats[kind])
  const isPreviewed = stated === undefined || stated.width * stated.height <= maxPreviewedPixels
  const [sha256, blocks, shown] = await Promise.all([
    sha256Of(bytes),
    metadataBlocks(bytes, kind),
    isPreviewed ? previewOf(file) : undefined,
  ])
  const { localTime, offsetMinutes } = captureFrom(blocks)
  const cameras = blocks.filter((block) => block.kind === 'exif').map((block) => readCamera(block.bytes))
  const facts: PhotoFacts = {
    kind,
    // Upright where the picture was decoded; else as the header has it.
    width: shown?.width ?? stated?.width,
    height: shown?.height ?? stated?.height,
    sha256,
    position: positionFrom(blocks),
    missing: missingPosition(blocks),
    capture: { ...(localTime && { localTime }), ...(offsetMinutes !== undefined && { offsetMinutes }) },
    takenAt: cameras.find(({ takenAt }) => takenAt !== undefined)?.takenAt,
    camera: cameras.find(({ camera }) => camera !== undefined)?.camera,
  }
  return { facts, preview: shown?.preview, isDecodable: shown !== undefined }
}
