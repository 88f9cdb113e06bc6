// Which files count as images, by bytes and declared type, and what is read from them (contract A2.6, C15, C16).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import sharp from 'sharp'
import { imageSizes } from '../../src/shared/image-sizes.ts'
import type { RefusalCode } from '../../src/errors.ts'
import { makeBmp, packRows } from '../helpers/bmp-builder.ts'
import { gifFrame, makeGif, replaceAt } from '../helpers/containers-fixtures.ts'
import {
  buildXmp,
  insertSegments,
  writePrivateMetadata,
  xmpSegment,
  type PrivateMetadata,
} from '../helpers/exif-fixtures.ts'
import { gifPicture, jpegPicture, openPicture, pngPicture, webpPicture } from '../helpers/pictures.ts'
import { assertProblem } from '../helpers/problems.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { send } from '../helpers/wire.ts'

const waymark = await startWaymark()
after(() => waymark.close())
await waymark.addTrail(4711, 'Rim Trail')
const ana = await waymark.addPerson()
const bearer = { authorization: `Bearer ${ana.token}` }

const post = (body: Uint8Array, type?: string) =>
  send(waymark.url, {
    method: 'POST',
    path: '/Trails/4711/Images',
    headers: { ...bearer, ...(type === undefined ? {} : { 'content-type': type }) },
    body,
  })

async function accepted(body: Uint8Array, type?: string): Promise<number> {
  const answer = await post(body, type)
  const text = await answer.text()
  assert.equal(answer.status, 201, text)
  return Number(text)
}

interface Details {
  readonly mimeType: string
  readonly lat: string
  readonly lon: string
}

async function detailsOf(imageId: number): Promise<Details> {
  const answer = await send(waymark.url, { path: `/Trails/4711/Images/${imageId}`, headers: bearer })
  return (await answer.json()) as Details
}

const small = { width: 40, height: 30 }
const bmpShape = { width: 8, height: 6, bits: 24 }
const bmp = makeBmp({
  ...bmpShape,
  headerBytes: 40,
  pixels: packRows(bmpShape, (x, y) => x * 30 + y * 0x2000),
})
const jpeg = await jpegPicture(small)
const png = await pngPicture(small)
const gif = await gifPicture(small)
const photos = { 'image/jpeg': jpeg, 'image/png': png, 'image/gif': gif, 'image/bmp': bmp } as const

void test('C15: every alias is accepted for every photo, and mimeType reports the actual type of the bytes', async () => {
  const mimeTypes = Object.keys(photos) as (keyof typeof photos)[]
  const aliases = [
    'image/jpg',
    'image/pjpeg',
    'image/x-png',
    'image/x-ms-bmp',
    'image/x-bmp',
    'application/octet-stream',
    'IMAGE/JPEG',
    'image/jpeg; charset=binary',
    '',
    undefined,
  ]
  const pairs = [
    ...mimeTypes.flatMap((mimeType) => mimeTypes.map((declared) => [mimeType, declared] as const)),
    ...aliases.map((alias, index) => [mimeTypes[index % 4] ?? 'image/jpeg', alias] as const),
  ]
  for (const [index, [mimeType, declared]] of pairs.entries()) {
    // Distinct bodies, so that none counts as a retry (C18).
    const imageId = await accepted(Buffer.concat([photos[mimeType], Buffer.from([index])]), declared)
    assert.equal((await detailsOf(imageId)).mimeType, mimeType, `${mimeType} as ${declared}`)
    const view = await send(waymark.url, { path: `/ImageHandler?id=${imageId}` })
    assert.equal(view.headers.get('content-type'), mimeType, `${mimeType} as ${declared}`)
    await view.arrayBuffer()
  }
})

void test('C15: a declared type that is not supported is refused, whatever the bytes', async () => {
  const declared = [
    'text/html',
    'text/plain',
    'application/json',
    'application/xml',
    'application/pdf',
    'multipart/form-data; boundary=x',
    'video/mp4',
    'image/webp',
    'image/svg+xml',
    'image/tiff',
    'image/avif',
    'image',
  ]
  for (const type of declared) {
    const answer = await post(jpeg, type)
    const code = type === 'image' ? 'unsupported-media-type' : 'unsupported-image-type'
    await assertProblem(answer, code, type)
  }
})

void test('C15: bytes of any other type are refused under every accepted declared type', async () => {
  const raw = sharp(Buffer.alloc(300, 90), { raw: { width: 10, height: 10, channels: 3 } })
  const others: Readonly<Record<string, Uint8Array | string>> = {
    WebP: await webpPicture(small),
    TIFF: await raw.clone().tiff().toBuffer(),
    'AVIF by its brand': Buffer.from('\0\0\0\x1cftypavif\0\0\0\0avifmif1miaf', 'latin1'),
    'HEIC by its brand': Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1'),
    SVG: '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>',
    HTML: '<!doctype html><script>alert(1)</script>',
    XML: '<?xml version="1.0"?><TrailImageDetails/>',
    JSON: '{"title":"x"}',
    PDF: '%PDF-1.7\n%\xe2\xe3\xcf\xd3\n',
    ZIP: Buffer.from('PK\x03\x04rest', 'latin1'),
    ICO: Buffer.from([0, 0, 1, 0, 1, 0, 16, 16]),
    'JPEG 2000': Buffer.from('\0\0\0\x0cjP  \r\n\x87\n', 'latin1'),
    'JPEG after a blank': Buffer.concat([Buffer.from(' '), jpeg]),
    'PNG with a wrong signature': replaceAt(png, 0, 0x88),
    'MNG, a cousin of PNG': Buffer.concat([Buffer.from('\x8aMNG\r\n\x1a\n', 'latin1'), png.subarray(8)]),
    'one byte': 'x',
    zeros: Buffer.alloc(64),
    'a data address': `data:image/png;base64,${png.toString('base64')}`,
  }
  for (const [name, bytes] of Object.entries(others)) {
    for (const type of ['image/jpeg', 'image/png', 'application/octet-stream', undefined]) {
      const code = 'unsupported-image-type'
      await assertProblem(await post(Buffer.from(bytes as string), type), code, `${name} as ${type}`)
    }
  }
})

void test('C15: a file that cannot be decoded completely is refused', async () => {
  const noisy = await jpegPicture({ width: 300, height: 200 })
  const bigPng = await pngPicture({ width: 300, height: 200 })
  const cut = (bytes: Uint8Array, part: number) => bytes.subarray(0, Math.floor(bytes.length * part))
  const broken: Readonly<Record<string, Uint8Array>> = {
    ...Object.fromEntries([0.02, 0.5, 0.8].map((part) => [`JPEG cut at ${part}`, cut(noisy, part)])),
    ...Object.fromEntries([0.02, 0.5, 0.95].map((part) => [`PNG cut at ${part}`, cut(bigPng, part)])),
    ...Object.fromEntries([0.1, 0.5, 0.9].map((part) => [`GIF cut at ${part}`, cut(gif, part)])),
    ...Object.fromEntries([0.5, 0.99].map((part) => [`BMP cut at ${part}`, cut(bmp, part)])),
    'JPEG of nothing but its ends': Buffer.from([0xff, 0xd8, 0xff, 0xd9]),
    'PNG with a wrong checksum': replaceAt(bigPng, bigPng.length - 20, 1, 2, 3, 4),
    'PNG of its signature alone': bigPng.subarray(0, 8),
    'GIF of its header alone': gif.subarray(0, 13),
    'BMP around a JPEG': makeBmp({
      headerBytes: 40,
      width: 9,
      height: 9,
      bits: 0,
      compression: 4,
      pixels: jpeg,
    }),
  }
  for (const [name, bytes] of Object.entries(broken)) {
    const { detail } = await assertProblem(await post(bytes, 'image/jpeg'), 'broken-image', name)
    assert.ok(detail.length < 200, detail)
  }
  const frames = Array.from({ length: 1_001 }, () => gifFrame({ width: 1, height: 1 }))
  await assertProblem(await post(makeGif(frames)), 'image-dimensions-too-large', '1,001 frames')
})

void test('C15: a file that lacks only its end marker is accepted, and the served file has one', async () => {
  const lacking = [
    { name: 'JPEG', bytes: jpeg.subarray(0, -2), end: 'ffd9' },
    { name: 'PNG', bytes: png.subarray(0, -12), end: '0000000049454e44ae426082' },
    { name: 'GIF', bytes: gif.subarray(0, -1), end: '3b' },
  ]
  for (const { name, bytes, end } of lacking) {
    const view = await send(waymark.url, { path: `/ImageHandler?id=${await accepted(bytes)}` })
    const served = Buffer.from(await view.arrayBuffer())
    assert.ok(served.toString('hex').endsWith(end), name)
    assert.equal((await sharp(served, { failOn: 'warning' }).raw().toBuffer()).length % (40 * 30), 0)
  }
})

/** Metadata, and the resulting position in the details. */
const positions: readonly (readonly [metadata: PrivateMetadata['position'], lat: string, lon: string])[] = [
  [{ lat: 45.5231, lon: -122.6765 }, '45.5231', '-122.6765'],
  [{ lat: -33.8567844, lon: 151.2152967 }, '-33.8567844', '151.2152967'],
  [{ lat: 0, lon: 9.5 }, '0', '9.5'],
  [{ lat: 46, lon: 0 }, '46', '0'],
  [{ lat: 0, lon: 0 }, '0', '0'],
  [{ lat: 91, lon: 7 }, '0', '0'],
  [{ lat: 46, lon: 181 }, '0', '0'],
  [undefined, '0', '0'],
]

void test('A2.6 C9 C16: the position in the file becomes lat and lon, and an invalid one is unknown', async () => {
  for (const [position, lat, lon] of positions) {
    const bytes = writePrivateMetadata(jpeg, position === undefined ? {} : { position })
    const seen = await detailsOf(await accepted(bytes))
    assert.deepEqual([seen.lat, seen.lon], [lat, lon])
  }
  const xmp = insertSegments(jpeg, [xmpSegment(buildXmp('45,31.386N', '122,40.59W'))])
  const seen = await detailsOf(await accepted(xmp))
  assert.deepEqual([seen.lat, seen.lon], ['45.5231', '-122.6765'])
  const broken = Buffer.from(writePrivateMetadata(jpeg, { position: { lat: 1, lon: 1 } })).fill(0xff, 30, 60)
  assert.deepEqual((await detailsOf(await accepted(broken))).mimeType, 'image/jpeg')
})

void test('C25: no served size contains the position, serial number, names or comments', async () => {
  const thumbnail = await jpegPicture({ width: 16, height: 12, seed: 3 })
  const secret = writePrivateMetadata(jpeg, {
    position: { lat: 45.5231, lon: -122.6765 },
    serialNumber: 'SERIAL-4711',
    ownerName: 'OWNER-NAME',
    comment: 'COMMENT-TEXT',
    orientation: 6,
    thumbnail,
  })
  const imageId = await accepted(Buffer.concat([secret, Buffer.from('TAIL-<script>')]))
  for (const size of imageSizes) {
    for (const format of ['', '&f=webp']) {
      const view = await send(waymark.url, { path: `/ImageHandler?id=${imageId}&t=${size}${format}` })
      const served = Buffer.from(await view.arrayBuffer())
      assert.equal(view.status, 200)
      assert.doesNotMatch(served.toString('latin1'), /SERIAL|OWNER|COMMENT|TAIL|script/, size)
      assert.equal(served.includes(thumbnail.subarray(2, 200)), false, size)
      const { exif, orientation } = await openPicture(served).metadata()
      assert.equal(orientation ?? 1, size === 'lg' ? 6 : 1, size)
      assert.doesNotMatch((exif ?? Buffer.alloc(0)).toString('hex'), /8825|2588/, 'a GPS directory')
    }
  }
})

void test('C15: an upload with several faults gets one refusal, in the order of the checks', async () => {
  const cases: readonly (readonly [bytes: Uint8Array, type: string, code: RefusalCode])[] = [
    [Buffer.alloc(0), 'text/html', 'unsupported-image-type'],
    [Buffer.alloc(0), 'image/png', 'empty-image'],
    [Buffer.from('<html>'), 'image/png', 'unsupported-image-type'],
    [jpeg.subarray(0, 200), 'image/png', 'broken-image'],
  ]
  for (const [bytes, type, code] of cases) await assertProblem(await post(bytes, type), code)
})
