// The table of image formats: what files of each are called, how their bytes tell them, and that whoever lists them lists all.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { readPhoto } from '../../../cli/remote/photo-files.ts'
import { Refusal } from '../../../src/errors.ts'
import { standardLimits } from '../../../src/imaging/image-limits.ts'
import { inspect } from '../../../src/imaging/inspect.ts'
import {
  extensionOf,
  imageFormatOf,
  imageFormats,
  imageMimeTypes,
  listedMimeTypes,
  mayBeDeclared,
  pixelSizeOf,
  type ImageFormat,
} from '../../../src/shared/formats/image-formats.ts'
import { mayBeDeclaredAsUpload, uploadFormats } from '../../../src/shared/formats/converted-formats.ts'
import { makeBmp } from '../../helpers/bmp-builder.ts'
import { gifPicture, jpegPicture, pngPicture } from '../../helpers/pictures.ts'

const size = { width: 60, height: 40 }
const pictures: Readonly<Record<ImageFormat, Uint8Array>> = {
  jpeg: await jpegPicture(size),
  png: await pngPicture(size),
  gif: await gifPicture(size),
  bmp: makeBmp({ ...size, headerBytes: 40, bits: 24, pixels: new Uint8Array(60 * 40 * 3) }),
}

void test('the image formats and their MIME types', () => {
  assert.deepEqual(imageMimeTypes, ['image/jpeg', 'image/png', 'image/gif', 'image/bmp'])
  assert.equal(listedMimeTypes, 'image/jpeg, image/png, image/gif or image/bmp')
  assert.deepEqual(imageMimeTypes.map(extensionOf), ['jpg', 'png', 'gif', 'bmp'])
  for (const other of ['image/jpg', 'image/webp', 'jpeg', '']) assert.equal(extensionOf(other), undefined)
})

for (const [format, { isIn, readSize }] of Object.entries(imageFormats)) {
  const bytes = Object.entries(pictures).find(([name]) => name === format)?.[1] ?? new Uint8Array()
  void test(`C15: a ${format} is recognised by its bytes, and its size by its header`, () => {
    assert.equal(imageFormatOf(bytes), format)
    assert.deepEqual(pixelSizeOf(bytes, { readSize }), size)
    assert.ok(!isIn(bytes.subarray(1)))
    for (let end = 0; end < 60; end += 1) pixelSizeOf(bytes.subarray(0, end), { readSize })
  })
}

const acceptable = [
  undefined,
  '',
  'image/jpeg',
  'IMAGE/JPEG',
  'image/gif',
  'image/png',
  'image/bmp',
  'image/jpg',
  'image/pjpeg',
  'image/x-png',
  'image/x-ms-bmp',
  'image/x-bmp',
  'application/octet-stream',
]
const notAnImage = [
  'image/svg+xml',
  'image/webp',
  'image/tiff',
  'image/avif',
  'image/heic',
  'image/*',
  '*/*',
  'text/html',
  'text/plain',
  'application/json',
  'application/pdf',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'constructor',
]

const converted = ['image/webp', 'image/avif', 'image/heic']

void test('what type an upload may declare', () => {
  for (const type of acceptable) assert.ok(mayBeDeclared(type), type ?? 'none')
  for (const type of notAnImage) assert.ok(!mayBeDeclared(type), type)
})

void test('C55: what type an upload to v2 may declare', () => {
  const more = [...converted, 'image/heif', 'image/heic-sequence', 'image/heif-sequence', 'Image/WebP']
  for (const type of [...acceptable, ...more]) assert.ok(mayBeDeclaredAsUpload(type), type ?? 'none')
  for (const type of notAnImage.filter((one) => !converted.includes(one)))
    assert.ok(!mayBeDeclaredAsUpload(type), type)
})

const textFiles = [
  'src/images/classic-operations.ts',
  'src/images/v2-trail-endpoints.ts',
  'web/strings/en/upload.ts',
  'web/strings/de/upload.ts',
  'docs/interface.md',
  'docs/images.md',
  'docs/upload.md',
]

void test('every list of formats names all of them', async () => {
  const refusal = await inspect(Buffer.from('no image'), standardLimits).catch((error: unknown) => error)
  assert.ok(refusal instanceof Refusal)
  const reported = await readPhoto(import.meta.filename, 1_000_000)
  assert.ok(typeof reported === 'string')
  const texts: [string, string][] = [
    ['the refusal of other bytes', refusal.detail ?? ''],
    ['the CLI', reported],
  ]
  for (const file of textFiles) texts.push([file, await readFile(file, 'utf8')])
  const incomplete: string[] = []
  for (const [where, text] of texts) {
    const lists = text.split(/(?<=[.\n])\s/).filter((sentence) => /\bpng\b.*\bbmp\b/i.test(sentence))
    assert.notEqual(lists.length, 0, `${where} lists no formats`)
    const formats = where === 'src/images/classic-operations.ts' ? imageFormats : uploadFormats
    for (const { name, extensions } of Object.values(formats)) {
      const names = new RegExp(String.raw`\b(?:${name}|${extensions[0]})\b`, 'i')
      if (!lists.every((list) => names.test(list))) incomplete.push(`${where} leaves out ${name}`)
    }
  }
  assert.deepEqual(incomplete, [])
})
