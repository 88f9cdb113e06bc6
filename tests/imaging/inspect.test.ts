// Inspection of an upload's bytes: limits from the header, and a GIF whose first frame exceeds its header.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import { Refusal } from '../../src/errors.ts'
import { standardLimits } from '../../src/imaging/image-limits.ts'
import { inspect as inspectWithin } from '../../src/imaging/inspect.ts'
import { inspect } from '../helpers/imaging.ts'
import { gifPicture, jpegPicture, pngPicture } from '../helpers/pictures.ts'

const isRefused = (code: string) => (error: unknown) => error instanceof Refusal && error.code === code

/** Only a PNG header with a size: it must be refused without any further data. */
function pngClaiming(width: number, height: number, picture: Buffer): Buffer {
  const claimed = Buffer.from(picture)
  claimed.writeUInt32BE(width, 16)
  claimed.writeUInt32BE(height, 20)
  claimed.writeUInt32BE(crc32(claimed.subarray(12, 29)), 29)
  return claimed
}

test('C15: a size over the limit is refused from the header, and the limit itself is not', async () => {
  const picture = await pngPicture({ width: 8, height: 8 })
  for (const [width, height] of [
    [16_385, 1],
    [1, 16_385],
    [10_001, 10_000],
    [60_000, 60_000],
  ] as const) {
    await assert.rejects(
      inspect(pngClaiming(width, height, picture)),
      isRefused('image-dimensions-too-large'),
    )
  }
  // At the limit, parsing continues and finds no pixels.
  await assert.rejects(inspect(pngClaiming(16_384, 1, picture)), isRefused('broken-image'))
})

test('C15: the limits also apply to a GIF frame that is larger than its header says', async () => {
  const picture = await gifPicture({ width: 20, height: 10 })
  const descriptor = picture.indexOf(0x2c, 13 + 3 * (2 << ((picture[10] ?? 0) & 7)))
  const grown = Buffer.from(picture)
  grown.writeUInt16LE(1, 6)
  grown.writeUInt16LE(1, 8)
  grown.writeUInt16LE(17_000, descriptor + 5)
  grown.writeUInt16LE(1, descriptor + 7)
  await assert.rejects(inspect(grown), (error: unknown) => error instanceof Refusal)
})

test('C15: the type is detected from the bytes', async () => {
  assert.equal((await inspect(await jpegPicture())).mimeType, 'image/jpeg')
  assert.equal((await inspect(await pngPicture())).mimeType, 'image/png')
  assert.equal((await inspect(await gifPicture())).mimeType, 'image/gif')
  for (const bytes of ['', 'GIF8', '%PDF-1.7', '<svg xmlns="http://www.w3.org/2000/svg"/>']) {
    await assert.rejects(inspect(Buffer.from(bytes)), isRefused('unsupported-image-type'))
  }
  const webp = Buffer.from('RIFF\0\0\0\0WEBPVP8 ')
  await assert.rejects(inspect(webp), isRefused('broken-image'))
  await assert.rejects(inspectWithin(webp, standardLimits, 'classic'), isRefused('unsupported-image-type'))
})
