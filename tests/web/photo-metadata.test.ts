// Metadata read in the browser before the upload: the same position as on the server, in every container; and the server
// can read the metadata of a converted photo.
import assert from 'node:assert/strict'
import { deflateSync } from 'node:zlib'
import { test } from 'node:test'
import * as fc from 'fast-check'
import sharp from 'sharp'
import { readCamera } from '../../src/shared/formats/exif-camera.ts'
import { captureFrom } from '../../src/shared/formats/capture.ts'
import { pixelSizeOf } from '../../src/shared/formats/image-formats.ts'
import { positionFrom, type Position } from '../../src/shared/formats/gps.ts'
import { metadataBlocks } from '../../src/shared/formats/metadata-blocks.ts'
import { inspect } from '../../src/imaging/inspect.ts'
import { standardLimits } from '../../src/imaging/image-limits.ts'
import { withExif, writeTiff } from '../../web/upload/formats/exif-writer.ts'
import { kindOf, photoFormats, type PhotoKind } from '../../web/upload/formats/photo-kind.ts'
import { insertAt, pngChunk } from '../helpers/containers-fixtures.ts'
import {
  buildPrivateExif,
  buildXmp,
  exifSegment,
  insertSegments,
  writePrivateMetadata,
  xmpSegment,
} from '../helpers/exif-fixtures.ts'
import { gifPicture, jpegPicture, pngPicture, webpPicture } from '../helpers/pictures.ts'

const place = { lat: 46.5212345, lon: -7.2598765 }
const found: Position = { lat: '46.5212345', lon: '-7.2598765' }
const tiff = buildPrivateExif({ position: place })
const packet = buildXmp('50,17.976167N', '14,49.2176667E')
const ofPacket: Position = { lat: '50.2996028', lon: '14.8202944' }

async function positionIn(bytes: Uint8Array): Promise<Position | undefined> {
  const kind = kindOf(bytes)
  assert.ok(kind !== undefined, 'the kind is known')
  return positionFrom(await metadataBlocks(bytes, kind))
}

const jpeg = await jpegPicture({ width: 60, height: 40 })
const png = await pngPicture({ width: 60, height: 40 })
const behindHeader = 8 + 25
const rawProfile = (bytes: Uint8Array): string =>
  `\nexif\n${bytes.length}\n${Buffer.from(bytes)
    .toString('hex')
    .replaceAll(/(.{72})/g, '$1\n')}\n`
const inPng = (type: string, data: Uint8Array | string): Buffer =>
  insertAt(png, behindHeader, pngChunk(type, data))

const accepted: readonly (readonly [string, Uint8Array, Position | undefined])[] = [
  ['a JPEG with EXIF', writePrivateMetadata(jpeg, { position: place }), found],
  ['a JPEG with XMP', insertSegments(jpeg, [xmpSegment(packet)]), ofPacket],
  ['a JPEG with both', insertSegments(jpeg, [xmpSegment(packet), exifSegment(tiff)]), found],
  ['a JPEG with EXIF behind its picture', insertAt(jpeg, jpeg.length - 2, exifSegment(tiff)), found],
  ['a JPEG with nothing', jpeg, undefined],
  ['a PNG with eXIf', inPng('eXIf', tiff), found],
  ['a PNG with XMP', inPng('iTXt', `XML:com.adobe.xmp\0\0\0\0\0${packet}`), ofPacket],
  [
    'a PNG with compressed XMP',
    inPng('iTXt', Buffer.concat([Buffer.from('XML:com.adobe.xmp\0\x01\0\0\0'), deflateSync(packet)])),
    ofPacket,
  ],
  ['a PNG with EXIF as text', inPng('tEXt', `Raw profile type exif\0${rawProfile(tiff)}`), found],
  [
    'a PNG with EXIF as compressed text',
    inPng('zTXt', Buffer.concat([Buffer.from('Raw profile type APP1\0\0'), deflateSync(rawProfile(tiff))])),
    found,
  ],
  ['a GIF', await gifPicture({ width: 20, height: 20 }), undefined],
]

for (const [name, bytes, expected] of accepted) {
  void test(`C16: the browser finds in ${name} what the server finds`, async () => {
    assert.deepEqual(await positionIn(bytes), expected)
    assert.deepEqual((await inspect(bytes, standardLimits)).position, expected, 'the server')
  })
}

const exifOfPlace = {
  IFD0: { Make: 'Acme', Model: 'Trail 2' },
  IFD2: { DateTimeOriginal: '2026:05:14 09:08:07', OffsetTimeOriginal: '+02:00' },
  IFD3: {
    GPSLatitudeRef: 'N',
    GPSLatitude: '46/1 31/1 16/1',
    GPSLongitudeRef: 'W',
    GPSLongitude: '7/1 15/1 36/1',
  },
} as const

void test('C55: the browser finds position, time and camera in formats that are converted, like the server', async () => {
  const picture = sharp(jpeg).withExif(exifOfPlace)
  const files: readonly (readonly [PhotoKind, Buffer])[] = [
    ['webp', await picture.clone().webp().toBuffer()],
    ['avif', await picture.clone().avif({ effort: 0 }).toBuffer()],
  ]
  for (const [kind, bytes] of files) {
    assert.equal(kindOf(bytes), kind)
    const blocks = await metadataBlocks(bytes, kind)
    assert.deepEqual(positionFrom(blocks), { lat: '46.5211111', lon: '-7.26' }, kind)
    const { position, capture } = await inspect(bytes, standardLimits)
    assert.deepEqual([position, capture], [positionFrom(blocks), captureFrom(blocks)], kind)
    assert.equal(capture.localTime?.slice(0, 19), '2026-05-14T09:08:07', kind)
    const [camera] = blocks.filter((block) => block.kind === 'exif').map((block) => readCamera(block.bytes))
    assert.deepEqual(camera, { camera: 'Acme Trail 2', takenAt: '2026-05-14T09:08:07+02:00' }, kind)
  }
})

void test('a TIFF file is read as EXIF data itself', async () => {
  assert.equal(kindOf(tiff), 'tiff')
  assert.deepEqual(await positionIn(tiff), found)
})

void test('the size is read from the header before anything is decoded', async () => {
  const files = [
    jpeg,
    png,
    await gifPicture({ width: 60, height: 40 }),
    await webpPicture({ width: 60, height: 40 }),
    await sharp(jpeg).webp({ lossless: true }).toBuffer(),
    await sharp(jpeg).withExif(exifOfPlace).webp().toBuffer(),
    await sharp(jpeg).avif({ effort: 0 }).toBuffer(),
  ]
  for (const bytes of files) {
    const kind = kindOf(bytes)
    assert.deepEqual(
      kind && pixelSizeOf(bytes, photoFormats[kind]),
      { width: 60, height: 40 },
      kind ?? 'no kind',
    )
  }
  assert.equal(kindOf(Buffer.from('just a text, and long enough')), undefined)
})

void test('C16: looking for metadata never fails, whatever the bytes', async () => {
  const kinds: readonly PhotoKind[] = ['jpeg', 'png', 'webp', 'heic', 'tiff', 'gif', 'bmp']
  const avif = await sharp(jpeg).withExif(exifOfPlace).avif({ effort: 0 }).toBuffer()
  const seeds = [writePrivateMetadata(jpeg, { position: place }), inPng('eXIf', tiff), avif]
  const damage = fc.record({
    seed: fc.constantFrom(...seeds),
    cut: fc.nat(2_000),
    changes: fc.array(fc.tuple(fc.nat(800), fc.nat(255)), { maxLength: 12 }),
    kind: fc.constantFrom(...kinds),
  })
  await fc.assert(
    fc.asyncProperty(damage, async ({ seed, cut, changes, kind }) => {
      const bytes = Uint8Array.from(seed.subarray(0, Math.max(0, seed.length - cut)))
      for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value
      positionFrom(await metadataBlocks(bytes, kind))
      pixelSizeOf(bytes, photoFormats[kind])
    }),
    { numRuns: 300 },
  )
})

/** Decimal degrees as the contract writes them, from ten-millionths. */
function degrees(units: number): string {
  const digits = String(Math.abs(units)).padStart(8, '0')
  const fraction = digits.slice(-7).replace(/0+$/, '')
  return `${units < 0 ? '-' : ''}${digits.slice(0, -7)}${fraction === '' ? '' : `.${fraction}`}`
}

void test('the server reads back every position of a converted photo to the last digit', () => {
  const axis = (max: number) => fc.integer({ min: -max * 1e7, max: max * 1e7 }).map(degrees)
  fc.assert(
    fc.property(axis(90), axis(180), (lat, lon) => {
      fc.pre(lat !== '0' || lon !== '0')
      const bytes = writeTiff({ position: { lat, lon }, takenAt: '2026-05-14T09:08:07' })
      assert.ok(bytes)
      assert.deepEqual(positionFrom([{ kind: 'exif', bytes }]), { lat, lon })
    }),
  )
})

void test('a converted photo keeps where and when it was taken, and the server accepts it as complete', async () => {
  const facts = { position: found, takenAt: '2026-05-14T09:08:07+02:00' }
  const bytes = withExif(Uint8Array.from(jpeg), facts)
  const { position, width } = await inspect(bytes, standardLimits)
  assert.deepEqual(position, found)
  assert.equal(width, 60)
  const [block] = await metadataBlocks(bytes, 'jpeg')
  assert.ok(block)
  assert.deepEqual(readCamera(block.bytes), { takenAt: '2026-05-14T09:08:07+02:00' })
  assert.equal(withExif(bytes, {}), bytes, 'nothing to keep, nothing is written')
  const onlyTime = writeTiff({ takenAt: '2026-05-14T09:08:07' })
  assert.ok(onlyTime)
  assert.deepEqual(readCamera(onlyTime), { takenAt: '2026-05-14T09:08:07' })
})
