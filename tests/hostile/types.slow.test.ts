// An image's type depends only on its bytes; a polyglot file is served only as the image.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import sharp from 'sharp'
import { imageSizes } from '../../src/shared/image-sizes.ts'
import { makeBmp, packRows } from '../helpers/bmp-builder.ts'
import { gifExtension, insertAt, jpegSegment, pngChunk } from '../helpers/containers-fixtures.ts'
import { insertSegments } from '../helpers/exif-fixtures.ts'
import { gifPicture, jpegPicture, openPicture, pngPicture, webpPicture } from '../helpers/pictures.ts'
import { assertProblem } from '../helpers/problems.ts'
import { startWaymark } from '../helpers/waymark.ts'

const waymark = await startWaymark()
after(() => waymark.close())
await waymark.addTrail(4711, 'Rim Trail')
const person = await waymark.addPerson()

const size = { width: 40, height: 30 }
const shape = { ...size, bits: 24 }
const bmp = Buffer.from(
  makeBmp({ ...shape, headerBytes: 40, pixels: packRows(shape, (x, y) => x * 6 + y * 0x800) }),
)
const picture = openPicture(await jpegPicture(size))
const photos = {
  'image/jpeg': await jpegPicture(size),
  'image/png': await pngPicture(size),
  'image/gif': await gifPicture(size),
  'image/bmp': bmp,
} as const
const others: Readonly<Record<string, Buffer>> = {
  webp: await webpPicture(size),
  tiff: await picture.clone().tiff().toBuffer(),
  avif: await picture.clone().avif({ effort: 0 }).toBuffer(),
  svg: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
  html: Buffer.from('<!DOCTYPE html><script>alert(1)</script>'),
  pdf: Buffer.from('%PDF-1.7\n1 0 obj<</Type/Catalog>>endobj'),
  zip: Buffer.from('PK\x03\x04\x14\0\0\0\0\0'),
  json: Buffer.from('{"image": true}'),
}

const taken: readonly (string | undefined)[] = [
  'image/jpeg',
  'image/jpg',
  'image/png',
  'image/x-png',
  'image/gif',
  'image/bmp',
  'image/x-ms-bmp',
  'application/octet-stream',
  undefined,
]
const refused = ['image/svg+xml', 'text/html', 'multipart/form-data; boundary=b']

const post = (bytes: Uint8Array, declared: string | undefined): Promise<Response> =>
  waymark.fetch('/Trails/4711/Images', {
    method: 'POST',
    token: person.token,
    headers: declared === undefined ? {} : { 'content-type': declared },
    body: Buffer.from(bytes),
  })

let tail = 0

void test('trust 25, C15: of twelve kinds of bytes under twelve declared types, four are accepted, each as its real type', async () => {
  let [seen, accepted] = [0, 0]
  for (const [kind, bytes] of [...Object.entries(photos), ...Object.entries(others)]) {
    for (const declared of [...taken, ...refused]) {
      seen += 1
      // Trailing bytes make each upload a new one.
      const answer = await post(Buffer.concat([bytes, Buffer.from(String((tail += 1)))]), declared)
      if (declared !== undefined && refused.includes(declared)) {
        await assertProblem(answer, 'unsupported-image-type', `${kind} as ${declared}`)
      } else if (kind in photos) {
        assert.equal(answer.status, 201, `${kind} as ${declared}`)
        const details = await waymark.fetch(new URL(answer.headers.get('location') ?? '').pathname, {
          token: person.token,
        })
        assert.equal(((await details.json()) as { mimeType: string }).mimeType, kind)
        accepted += 1
      } else await assertProblem(answer, 'unsupported-image-type', `${kind} as ${declared}`)
    }
  }
  assert.deepEqual([seen, accepted], [144, 36])
})

const script = '<html><script>alert(document.domain)</script><!--'
const code = '*/=1;alert(document.domain)/*'
const php = "<?php system($_GET['c']); ?>"
const pdf = '%PDF-1.7\n1 0 obj<</OpenAction<</S/JavaScript/JS(app.alert(1))>>>>endobj'
const zip = Buffer.from('PK\x03\x04\x14\0\0\0\0\0evil.exePK\x05\x06', 'latin1')
const text = (word: string): Buffer => pngChunk('tEXt', `Comment\0${word}`)
const paletteEnd = (gif: Buffer): number => 13 + 3 * 2 ** (((gif[10] ?? 0) % 8) + 1)
const commented = (word: string): Buffer =>
  insertAt(photos['image/gif'], paletteEnd(photos['image/gif']), gifExtension(0xfe, Buffer.from(word)))

/** The canvas width spells the start of a JavaScript comment. */
function gifAndScript(): Buffer {
  const gif = commented(code)
  gif.write('/*', 6, 'latin1')
  return gif
}

/** The file size and reserved fields of a BMP, which readers ignore, also spell the start of a comment. */
function bmpAndScript(): Buffer {
  const file = makeBmp({
    ...shape,
    headerBytes: 40,
    gap: Buffer.from(code),
    pixels: packRows(shape, () => 0),
  })
  const bytes = Buffer.from(file)
  bytes.write('=1/*', 2, 'latin1')
  bytes.write('*/;1', 6, 'latin1')
  return bytes
}

const { 'image/jpeg': jpeg, 'image/png': png, 'image/gif': gif } = photos
const polyglots: readonly (readonly [
  name: string,
  mimeType: string,
  bytes: Buffer,
  payload: string | Buffer,
])[] = [
  [
    'a JPEG with a page in a comment',
    'image/jpeg',
    insertSegments(jpeg, [jpegSegment(0xfe, script)]),
    script,
  ],
  ['a JPEG with a page behind it', 'image/jpeg', Buffer.concat([jpeg, Buffer.from(script)]), script],
  ['a JPEG with an archive behind it', 'image/jpeg', Buffer.concat([jpeg, zip]), zip],
  ['a JPEG with another photo behind it', 'image/jpeg', Buffer.concat([jpeg, png]), png],
  ['a JPEG that is a PDF', 'image/jpeg', insertSegments(jpeg, [jpegSegment(0xfe, pdf)]), pdf],
  [
    'a JPEG with code in its EXIF',
    'image/jpeg',
    insertSegments(jpeg, [jpegSegment(0xe1, `Exif\0\0MM${php}`)]),
    php,
  ],
  ['a PNG with code in a text', 'image/png', insertAt(png, 33, text(php)), php],
  ['a PNG with a page in a text', 'image/png', insertAt(png, 33, text(script)), script],
  ['a PNG with a PDF before its picture', 'image/png', insertAt(png, 33, pngChunk('prVt', pdf)), pdf],
  ['a PNG with an archive behind it', 'image/png', Buffer.concat([png, zip]), zip],
  ['a GIF that is a script', 'image/gif', gifAndScript(), code],
  ['a GIF with a page in a comment', 'image/gif', commented(script), script],
  ['a GIF with an archive behind it', 'image/gif', Buffer.concat([gif, zip]), zip],
  ['a BMP that is a script', 'image/bmp', bmpAndScript(), code],
  ['a BMP with a page behind it', 'image/bmp', Buffer.concat([bmp, Buffer.from(script)]), script],
]

for (const [name, mimeType, bytes, payload] of polyglots) {
  void test(`trust 26: ${name} is served only as ${mimeType}, and the rest is removed`, async () => {
    assert.ok(bytes.includes(payload))
    const imageId = await waymark.upload(person, 4711, bytes, 'application/octet-stream')
    for (const view of [...imageSizes, 'sm&f=webp']) {
      const answer = await waymark.fetch(`/ImageHandler?id=${imageId}&t=${view}`, {
        headers: { accept: 'text/html' },
      })
      assert.equal(answer.status, 200)
      const small = view.endsWith('webp') ? 'image/webp' : 'image/jpeg'
      assert.equal(answer.headers.get('content-type'), view === 'lg' ? mimeType : small)
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
      assert.equal(answer.headers.get('content-security-policy'), "default-src 'none'; sandbox")
      const served = Buffer.from(await answer.arrayBuffer())
      assert.equal(served.includes(payload), false, view)
      if (mimeType !== 'image/bmp' || view !== 'lg') await openPicture(served).stats()
    }
  })
}

void test('trust 26: pixels that spell code stay pixels: the type is still the sniffed one, and nothing runs it', async () => {
  const palette = [...Buffer.from(php.padEnd(48))]
  const colours = Array.from({ length: 16 }, (_, index) => palette.slice(3 * index, 3 * index + 3))
  const pixels = Buffer.from(Array.from({ length: 256 }, (_, at) => colours[at % 16] ?? []).flat())
  const spelled = await sharp(pixels, { raw: { width: 16, height: 16, channels: 3 } })
    .png()
    .toBuffer()
  const imageId = await waymark.upload(person, 4711, spelled)
  const answer = await waymark.fetch(`/ImageHandler?id=${imageId}&t=lg`)
  assert.equal(answer.headers.get('content-type'), 'image/png')
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
})
