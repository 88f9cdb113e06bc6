// WebP (contract C55): the first picture, upright, in sRGB, with its position; inconsistent files and bombs are refused
// before decoding.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { Refusal } from '../../../../src/errors.ts'
import { examine } from '../../../../src/imaging/examine.ts'
import { walkWebp } from '../../../../src/imaging/formats/webp/webp-container.ts'
import { standardLimits } from '../../../../src/imaging/image-limits.ts'
import { buildPrivateExif, buildXmp } from '../../../helpers/exif-fixtures.ts'
import { inspect } from '../../../helpers/imaging.ts'
import { openPicture, pngPicture } from '../../../helpers/pictures.ts'

const size = { width: 96, height: 64 }
const png = await pngPicture(size)
const lossy = await sharp(png).webp({ quality: 90 }).toBuffer()
const lossless = await sharp(png).webp({ lossless: true }).toBuffer()
const translucent = await sharp(png).ensureAlpha(0.5).png().toBuffer()
const place = { lat: 46.5212345, lon: -7.2598765 }

const isRefused = (code: string) => (error: unknown) => error instanceof Refusal && error.code === code

function chunk(type: string, data: Uint8Array): Buffer {
  const header = Buffer.from(`${type}\0\0\0\0`, 'latin1')
  header.writeUInt32LE(data.length, 4)
  return Buffer.concat([header, data, Buffer.alloc(data.length % 2)])
}

const riff = (...chunks: readonly Uint8Array[]): Buffer =>
  chunk('RIFF', Buffer.concat([Buffer.from('WEBP'), ...chunks]))

function extended(flags: number, width: number, height: number): Buffer {
  const data = Buffer.alloc(10)
  data[0] = flags
  data.writeUIntLE(width - 1, 4, 3)
  data.writeUIntLE(height - 1, 7, 3)
  return chunk('VP8X', data)
}

/** The chunks of a file that is not extended. */
const coded = (file: Buffer): Buffer => file.subarray(12)

async function difference(one: Uint8Array, other: Uint8Array): Promise<number> {
  const [a, b] = await Promise.all(
    [one, other].map((bytes) => openPicture(bytes).raw().toBuffer({ resolveWithObject: true })),
  )
  assert.ok(a && b)
  assert.deepEqual(
    [a.info.width, a.info.height, a.info.channels],
    [b.info.width, b.info.height, b.info.channels],
  )
  return a.data.reduce((sum, value, at) => sum + Math.abs(value - (b.data[at] ?? 0)), 0) / a.data.length
}

void test('C55: a lossy or lossless WebP is shown as a full-size JPEG', async () => {
  for (const bytes of [lossy, lossless]) {
    const outcome = await examine(bytes, standardLimits)
    assert.ok(outcome.ok)
    const { mimeType, width, height, renditions } = outcome.examined
    assert.deepEqual([mimeType, width, height, renditions.length], ['image/jpeg', 96, 64, 6])
    assert.ok((await difference(renditions[0]?.bytes ?? new Uint8Array(), png)) < 4)
  }
})

for (const [orientation, turn] of [
  [2, sharp(png).flop()],
  [3, sharp(png).rotate(180)],
  [6, sharp(png).rotate(90)],
  [8, sharp(png).rotate(270)],
] as const) {
  void test(`C55, C16: with orientation ${orientation} it is upright, and its position is found`, async () => {
    const exif = chunk('EXIF', buildPrivateExif({ orientation, position: place }))
    const { large, width, height, position } = await inspect(riff(extended(8, 96, 64), coded(lossy), exif))
    assert.deepEqual([width, height], orientation > 4 ? [64, 96] : [96, 64])
    assert.deepEqual(position, { lat: '46.5212345', lon: '-7.2598765' })
    assert.ok((await difference(large, await turn.png().toBuffer())) < 4)
    const { exif: kept, xmp, icc, orientation: left } = await sharp(large).metadata()
    assert.deepEqual([kept, xmp, icc, left], [undefined, undefined, undefined, undefined])
  })
}

void test('C16: the position is also read from XMP', async () => {
  const xmp = chunk('XMP ', Buffer.from(buildXmp('50,17.976167N', '14,49.2176667E')))
  const { position } = await inspect(riff(extended(4, 96, 64), coded(lossy), xmp))
  assert.deepEqual(position, { lat: '50.2996028', lon: '14.8202944' })
})

void test('C55: an image with transparent pixels becomes a PNG', async () => {
  for (const options of [{ quality: 95 }, { lossless: true }]) {
    const { mimeType, large } = await inspect(await sharp(translucent).webp(options).toBuffer())
    assert.equal(mimeType, 'image/png')
    assert.ok((await difference(large, translucent)) < 4)
  }
  // Declares transparency without using it.
  const [top, bottom] = [Buffer.alloc(96 * 64, 255), 0]
  const alpha = chunk('ALPH', Buffer.concat([Buffer.from([bottom]), top]))
  assert.equal((await inspect(riff(extended(16, 96, 64), alpha, coded(lossy)))).mimeType, 'image/jpeg')
})

void test('C55: colours defined by a profile are converted to sRGB', async () => {
  const inP3 = await sharp(png).withIccProfile('p3').webp({ quality: 95 }).toBuffer()
  assert.ok((await difference((await inspect(inP3)).large, png)) < 4)
})

void test('C55: only the first frame of an animation is shown, and no other frame reaches the decoder', async () => {
  const frames = [png, await pngPicture({ ...size, seed: 9 })]
  const rows = await Promise.all(frames.map((frame) => sharp(frame).raw().toBuffer()))
  const bytes = await sharp(Buffer.concat(rows), {
    raw: { width: 96, height: 128, channels: 3, pageHeight: 64 },
  })
    .webp({ quality: 90, loop: 0, delay: [50, 50] })
    .toBuffer()
  assert.equal(bytes.toString('latin1').split('ANMF').length, 3)
  const file = Buffer.from(walkWebp(bytes, standardLimits).file)
  assert.equal(file.toString('latin1').split('ANMF').length, 2)
  const { large, mimeType } = await inspect(bytes)
  assert.equal(mimeType, 'image/jpeg')
  assert.ok((await difference(large, png)) < 5)
})

void test('C55: a first frame that is smaller than its canvas is shown on a transparent background', async () => {
  const frame = Buffer.alloc(16)
  frame.writeUIntLE(2, 0, 3)
  frame.writeUIntLE(95, 6, 3)
  frame.writeUIntLE(63, 9, 3)
  const onCanvas = (width: number, height: number) =>
    riff(
      extended(2, width, height),
      chunk('ANIM', Buffer.alloc(6)),
      chunk('ANMF', Buffer.concat([frame, coded(lossy)])),
    )
  const { mimeType, width, height, large } = await inspect(onCanvas(200, 100))
  assert.deepEqual([mimeType, width, height], ['image/png', 200, 100])
  const { data } = await sharp(large).raw().toBuffer({ resolveWithObject: true })
  assert.deepEqual([data[3], data[4 * 4 + 3]], [0, 255])
  await assert.rejects(inspect(onCanvas(99, 64)), isRefused('broken-image'))
})

void test('C15: a size over the limit is refused from the header, and the limit itself is not', async () => {
  for (const [width, height] of [
    [16_385, 1],
    [1, 16_385],
    [10_001, 10_000],
    [16_777_216, 16_777_216],
  ] as const)
    await assert.rejects(
      inspect(riff(extended(0, width, height), coded(lossy))),
      isRefused('image-dimensions-too-large'),
    )
  await assert.rejects(inspect(riff(extended(0, 97, 64), coded(lossy))), isRefused('broken-image'))
  const huge = Buffer.from(lossy)
  huge.writeUInt16LE(16_383, 26)
  huge.writeUInt16LE(16_383, 28)
  await assert.rejects(inspect(huge), isRefused('image-dimensions-too-large'))
})

void test('C15: a picture truncated anywhere is refused', async () => {
  for (const bytes of [lossy, lossless, riff(extended(0, 96, 64), coded(lossy))])
    for (let end = 16; end < bytes.length; end += 1)
      await assert.rejects(inspect(bytes.subarray(0, end)), isRefused('broken-image'), `cut at ${end}`)
})

void test('C15: a truncation hidden by the chunk lengths is refused, too', async () => {
  const photo = await sharp(await pngPicture({ width: 300, height: 200 }))
    .webp()
    .toBuffer()
  for (const share of [0.5, 0.9, 0.97]) {
    const body = photo.subarray(20, Math.floor(photo.length * share))
    await assert.rejects(inspect(riff(chunk('VP8 ', body))), isRefused('broken-image'), String(share))
  }
})

void test('only the picture itself is passed to the decoder', () => {
  const exif = chunk('EXIF', Buffer.from('MM private words'))
  const file = walkWebp(
    riff(extended(8, 96, 64), coded(lossy), exif, chunk('ABCD', Buffer.from('secret'))),
    standardLimits,
  )
  for (const word of ['EXIF', 'private', 'secret']) assert.ok(!Buffer.from(file.file).includes(word), word)
})

void test('C15: hundreds of thousands of empty chunks cost little CPU time', async () => {
  const many = Buffer.concat(Array.from({ length: 900_000 }, () => chunk('ABCD', new Uint8Array())))
  const before = process.threadCpuUsage()
  await assert.rejects(inspect(riff(extended(0, 96, 64), many, coded(lossy))), isRefused('broken-image'))
  const { user, system } = process.threadCpuUsage(before)
  assert.ok(user + system < 500_000, `${user + system} µs`)
})
