// CMYK without a profile: the small sizes look like the file in browsers, with red as cyan times black.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { imageSizes, sizeRules } from '../../src/shared/image-sizes.ts'
import { orientationTiff } from '../../src/imaging/container-parts.ts'
import { makeBase, makeSmallSizes, type Pixels } from '../../src/imaging/resize.ts'
import { inkJpeg, mixtures, type AdobeTransform, type Inks } from '../helpers/cmyk-fixtures.ts'
import { jpegSegment } from '../helpers/containers-fixtures.ts'
import { iccSegments } from '../helpers/icc-fixtures.ts'
import { inspect } from '../helpers/imaging.ts'

const base = async (file: Uint8Array): Promise<Pixels> => makeBase((await inspect(file)).source)

/** As in Chromium. */
const shownAs = ([cyan, magenta, yellow, black]: Inks): number[] =>
  [cyan, magenta, yellow].map((ink) => Math.floor((ink * black) / 255))

/** Maximum difference between the centre of a block and its expected colour. */
function furthest(
  { data, width, channels }: Pixels,
  rows: readonly (readonly Inks[])[],
  side: number,
): number {
  let max = 0
  for (const [row, colours] of rows.entries()) {
    for (const [column, inks] of colours.entries()) {
      const at = channels * ((row + 0.5) * side * width + (column + 0.5) * side)
      for (const [channel, value] of shownAs(inks).entries()) {
        max = Math.max(max, Math.abs((data[at + channel] ?? NaN) - value))
      }
    }
  }
  return max
}

async function profileOf(name: 'cmyk' | 'p3'): Promise<Uint8Array> {
  const picture = sharp({ create: { width: 8, height: 8, channels: 3, background: '#345' } })
  const carrier = picture.toColourspace(name === 'cmyk' ? 'cmyk' : 'srgb').withIccProfile(name)
  const { icc } = await sharp(await carrier.jpeg().toBuffer()).metadata()
  return icc ?? assert.fail('no profile')
}

const kinds: Readonly<Record<string, AdobeTransform>> = {
  "CMYK with Adobe's marker": 0,
  'CMYK without a marker': undefined,
  YCCK: 2,
}
for (const [kind, transform] of Object.entries(kinds)) {
  void test(`${kind} is shown as browsers do`, async () => {
    const pixels = await base(inkJpeg(mixtures, { transform }))
    assert.deepEqual([pixels.width, pixels.height, pixels.channels], [128, 128, 3])
    // Y, Cb and Cr are rounded twice.
    assert.ok(furthest(pixels, mixtures, 8) <= (transform === 2 ? 3 : 0))
  })
}

void test('CMYK colours are right when the image is shrunk during decoding, and when it is rotated', async () => {
  const larger = mixtures.flatMap((row) => {
    const wide = row.flatMap((inks) => Array<Inks>(16).fill(inks))
    return Array<readonly Inks[]>(16).fill(wide)
  })
  const pixels = await base(inkJpeg(larger, { transform: 0 }))
  const side = Math.max(...Object.values(sizeRules).map((rule) => ('sidePx' in rule ? rule.sidePx : 0)))
  assert.deepEqual([pixels.width, pixels.height], [side, side])
  assert.ok(furthest(pixels, mixtures, side / 16) <= 1)
  const exif = Buffer.concat([Buffer.from('Exif\0\0'), orientationTiff(6)])
  const turned = await base(
    inkJpeg(mixtures.slice(0, 8), { transform: 0, segments: [jpegSegment(0xe1, exif)] }),
  )
  assert.deepEqual([turned.width, turned.height], [64, 128])
})

void test('CMYK with its own profile is shown by that profile, and a profile for other colours is ignored', async () => {
  const [own, foreign] = [await profileOf('cmyk'), await profileOf('p3')]
  const profiled = inkJpeg(mixtures, { transform: 0, segments: iccSegments(own) })
  const expected = await sharp(profiled).toColourspace('srgb').raw().toBuffer()
  assert.ok((await base(profiled)).data.equals(expected))
  assert.ok(furthest(await base(profiled), mixtures, 8) > 20)
  const misled = inkJpeg(mixtures, { transform: 0, segments: iccSegments(foreign) })
  assert.equal(furthest(await base(misled), mixtures, 8), 0)
})

void test('C26: the small sizes of a CMYK image, and the source for WebP, are JPEG in sRGB', async () => {
  const { sizes } = await makeSmallSizes((await inspect(inkJpeg(mixtures, { transform: 2 }))).source)
  for (const { name, bytes } of sizes) {
    const { format, space, channels } = await sharp(bytes).metadata()
    assert.deepEqual([name, format, space, channels], [name, 'jpeg', 'srgb', 3])
  }
  assert.equal(sizes.length, imageSizes.length)
})
