// Images that claim or decompress to more than the limits: refused quickly by the header; metadata bombs cost little.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { examine } from '../../src/imaging/examine.ts'
import { standardLimits } from '../../src/imaging/image-limits.ts'
import { readHeader } from '../../src/imaging/containers.ts'
import { imageFormatOf } from '../../src/shared/formats/image-formats.ts'
import {
  gifApplication,
  gifFrame,
  jpegSegment,
  makeGif,
  makeGreyPng,
  pngChunk,
  subBlocks,
} from '../helpers/containers-fixtures.ts'
import { buildXmp, insertSegments, xmpSegment } from '../helpers/exif-fixtures.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { assertProblem } from '../helpers/problems.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { headerBombs, jpegOf, pngOf, zeros, type Bomb } from './bombs.ts'

const waymark = await startWaymark()
after(() => waymark.close())
await waymark.addTrail(4711, 'Rim Trail')
const person = await waymark.addPerson()
const photo = await jpegPicture({ width: 40, height: 30 })
await waymark.upload(person, 4711, photo)

const post = (bytes: Uint8Array): Promise<Response> =>
  waymark.fetch('/Trails/4711/Images', { method: 'POST', token: person.token, body: Buffer.from(bytes) })

/** The fastest of several runs, to exclude other load. */
async function quickestMs(run: () => Promise<unknown>, times = 12): Promise<number> {
  let quickest = Infinity
  for (let time = 0; time < times; time += 1) {
    const begun = performance.now()
    await run()
    quickest = Math.min(quickest, performance.now() - begun)
  }
  return quickest
}

for (const { name, bytes } of headerBombs) {
  void test(`trust 21, C15: ${name} is refused within 50 ms`, async () => {
    const problem = await assertProblem(await post(bytes), 'image-dimensions-too-large')
    assert.equal(problem.title, 'Image dimensions are too large')
    assert.match(
      problem.detail ?? '',
      /^(The image has \d+ × \d+ pixels; the limits are 16384 pixels per side, 100 megapixels and 400 MB decoded|The animation is larger than 400 MB when decoded|The animation has more than 1000 frames)\.$/,
    )
    assert.ok((await quickestMs(async () => (await post(bytes)).text())) < 50)
  })
}

void test('C15: images at the limit are not refused for their size', () => {
  for (const bytes of [
    pngOf(16_384, 1),
    jpegOf(1, 16_384),
    pngOf(10_000, 10_000, 6),
    jpegOf(10_000, 10_000),
  ]) {
    const type = imageFormatOf(bytes)
    assert.ok(type === 'png' || type === 'jpeg')
    const { width, height, channels, bytesPerSample } = readHeader(bytes, type)
    const { maxSide, maxPixels, maxDecodedBytes } = standardLimits
    assert.ok(Math.max(width, height) <= maxSide && width * height <= maxPixels)
    assert.ok(width * height * channels * bytesPerSample <= maxDecodedBytes)
  }
})

const megabytes8 = 8_000_000
const bomb = zeros(300_000_000)
const iTXt = (text: Uint8Array, isCompressed: boolean): Buffer => {
  const head = Buffer.from(`XML:com.adobe.xmp\0${isCompressed ? '\x01' : '\0'}\0\0\0`, 'latin1')
  return pngChunk('iTXt', Buffer.concat([head, text]))
}
const zTXt = (text: Uint8Array): Buffer =>
  pngChunk('zTXt', Buffer.concat([Buffer.from('Raw profile type exif\0\0'), text]))
const iCCP = (text: Uint8Array): Buffer => pngChunk('iCCP', Buffer.concat([Buffer.from('sRGB\0\0'), text]))
const extendedXmp = jpegSegment(
  0xe1,
  Buffer.concat([Buffer.from('http://ns.adobe.com/xmp/extension/\0'), Buffer.alloc(65_000, 'x')]),
)
const position = buildXmp('45,31.386N', '122,40.59W')

/** Each is a photo that is accepted: metadata never fails an upload (C16). */
const metadataBombs: readonly Bomb[] = [
  { name: '8 MB of XMP in a PNG', bytes: makeGreyPng([iTXt(Buffer.alloc(megabytes8, 'x'), false)]) },
  { name: 'XMP in a PNG that inflates to 300 MB', bytes: makeGreyPng([iTXt(bomb, true)]) },
  {
    name: 'eight EXIF profiles in a PNG that inflate to 300 MB each',
    bytes: makeGreyPng(Array<Buffer>(8).fill(zTXt(bomb))),
  },
  { name: 'a colour profile in a PNG that inflates to 300 MB', bytes: makeGreyPng([iCCP(bomb)]) },
  {
    name: '8 MB of extended XMP in a JPEG',
    bytes: insertSegments(photo, Array<Buffer>(120).fill(extendedXmp)),
  },
  {
    name: '120 packets of XMP in a JPEG',
    bytes: insertSegments(photo, Array<Buffer>(120).fill(xmpSegment(position.padEnd(60_000)))),
  },
  {
    name: '8 MB of XMP in a GIF',
    bytes: makeGif([gifApplication('XMP DataXMP', subBlocks(Buffer.alloc(megabytes8, 'x'))), gifFrame()]),
  },
]

for (const { name, bytes } of metadataBombs) {
  void test(`trust 30, C16: ${name} cost at most 100 ms and 64 MB`, async () => {
    const outcome = await examine(bytes, standardLimits)
    assert.ok(outcome.ok)
    assert.ok((outcome.examined.renditions[0]?.bytes.length ?? Infinity) < 2_000, 'lg still holds it')
    const before = process.memoryUsage.rss()
    assert.ok((await quickestMs(() => examine(bytes, standardLimits))) < 100)
    assert.ok(process.memoryUsage.rss() - before < 64_000_000)
  })
}
