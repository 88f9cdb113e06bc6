// HEIC and AVIF (contract C55): the first picture, upright, in sRGB, with its position; inconsistent files and bombs are
// refused before decoding.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp, { type Sharp } from 'sharp'
import { Refusal } from '../../../../src/errors.ts'
import { examine } from '../../../../src/imaging/examine.ts'
import { writeBox, writeNumber } from '../../../../src/imaging/formats/heif/heif-boxes.ts'
import { walkHeif } from '../../../../src/imaging/formats/heif/heif-container.ts'
import { standardLimits } from '../../../../src/imaging/image-limits.ts'
import { buildPrivateExif, buildXmp } from '../../../helpers/exif-fixtures.ts'
import {
  coded,
  encodeHeic,
  gridData,
  isOfType,
  makeHeif,
  sizeBox,
  tinyHeic,
  type MadeItem,
  type MadeProperty,
} from '../../../helpers/heif-fixtures.ts'
import { inspect } from '../../../helpers/imaging.ts'
import { openPicture, pngPicture } from '../../../helpers/pictures.ts'

const size = { width: 96, height: 64 }
const png = await pngPicture(size)
const tinyAvif = await sharp(png).avif({ effort: 0, quality: 80 }).toBuffer()
const heic = coded(tinyHeic)
const avif = coded(tinyAvif)

const refusal = (code: string, detail?: RegExp) => (error: unknown) =>
  error instanceof Refusal &&
  error.code === code &&
  (detail === undefined || (typeof error.detail === 'string' && detail.test(error.detail)))

const walk = (bytes: Uint8Array) => walkHeif(bytes, standardLimits)

async function pixelsOf(bytes: Uint8Array) {
  const { data, info } = await openPicture(bytes).raw().toBuffer({ resolveWithObject: true })
  return { data, ...info }
}

/** Mean difference over all channels. */
async function difference(one: Uint8Array, other: Uint8Array): Promise<number> {
  const [a, b] = [await pixelsOf(one), await pixelsOf(other)]
  assert.deepEqual([a.width, a.height, a.channels], [b.width, b.height, b.channels])
  return a.data.reduce((sum, value, at) => sum + Math.abs(value - (b.data[at] ?? 0)), 0) / a.data.length
}

/** Without blue, like the HEIC. */
const reference = await sharp(png).linear([1, 1, 0], [0, 0, 0]).png().toBuffer()

void test('C55: a HEIC is shown as a full-size JPEG, with every small size', async () => {
  const outcome = await examine(tinyHeic, standardLimits)
  assert.ok(outcome.ok)
  const { mimeType, width, height, renditions, position } = outcome.examined
  assert.deepEqual([mimeType, width, height, position], ['image/jpeg', 96, 64, undefined])
  assert.deepEqual(
    renditions.map(({ name }) => name),
    ['lg', '640.jpeg', 'md.jpeg', '150.jpeg', 'sm.jpeg', 'base.jpeg'],
  )
  const { data } = await pixelsOf(renditions[0]?.bytes ?? new Uint8Array())
  assert.ok((data[0] ?? 0) > 230, 'the corner is bright')
})

void test('C55: an AVIF is shown as a full-size JPEG', async () => {
  const { mimeType, width, height, large } = await inspect(tinyAvif)
  assert.deepEqual([mimeType, width, height], ['image/jpeg', 96, 64])
  assert.ok((await difference(large, png)) < 4)
  assert.deepEqual(
    await sharp(large)
      .metadata()
      .then(({ exif, icc, xmp }) => [exif, icc, xmp]),
    [undefined, undefined, undefined],
  )
})

const turns: readonly (readonly [string, Uint8Array, (picture: Sharp) => Sharp])[] = [
  ['a quarter', Uint8Array.of(1), (picture) => picture.rotate(270)],
  ['a half', Uint8Array.of(2), (picture) => picture.rotate(180)],
  ['three quarters', Uint8Array.of(3), (picture) => picture.rotate(90)],
]
for (const [name, angle, turn] of turns) {
  void test(`C55: an image to be rotated by ${name} is upright, and its EXIF does not rotate it again`, async () => {
    const exif: MadeItem = {
      type: 'Exif',
      data: Buffer.concat([writeNumber(0, 4), buildPrivateExif({ orientation: 6 })]),
    }
    for (const [item, brand] of [
      [heic, 'heic'],
      [avif, 'avif'],
    ] as const) {
      const turned = {
        ...item,
        properties: [...item.properties, { box: writeBox('irot', angle), isEssential: true }],
      }
      const { large, width, height } = await inspect(makeHeif([turned, exif], { brand }))
      const expected = await turn(sharp(item === avif ? png : reference))
        .png()
        .toBuffer()
      assert.deepEqual([width, height], angle[0] === 2 ? [96, 64] : [64, 96])
      const [a, b] = [await pixelsOf(large), await pixelsOf(expected)]
      const differs = a.data.reduce((sum, value, at) => sum + Math.abs(value - (b.data[at] ?? 0)), 0)
      assert.ok(differs / a.data.length < (item === avif ? 4 : 30), `${brand}: ${differs / a.data.length}`)
    }
  })
}

void test('C55, C16: the position is taken from the EXIF of this picture, else from its XMP', () => {
  const place = { lat: 46.5212345, lon: -7.2598765 }
  const exif: MadeItem = {
    type: 'Exif',
    data: Buffer.concat([writeNumber(6, 4), Buffer.from('Exif\0\0'), buildPrivateExif({ position: place })]),
  }
  const xmp: MadeItem = {
    type: 'mime',
    contentType: 'application/rdf+xml',
    data: Buffer.from(buildXmp('50,17.976167N', '14,49.2176667E')),
  }
  const kinds = (items: readonly MadeItem[], to = 1) =>
    walk(
      makeHeif([heic, ...items], {
        references: items.map((_, index) => ({ type: 'cdsc', from: index + 2, to: [to] })),
      }),
    ).metadata.map(({ kind }) => kind)
  assert.deepEqual(kinds([exif, xmp]), ['exif', 'xmp'])
  assert.deepEqual(kinds([xmp]), ['xmp'])
  assert.deepEqual(kinds([exif], 9), [], 'of another picture')
  const broken = { ...exif, place: { at: 0xffff_0000, length: 99 } }
  assert.deepEqual(kinds([broken]), [], 'C16: broken metadata fails no upload')
})

void test('C55: a grid of tiles is one picture, and its rotation applies to the whole', async () => {
  for (const [tile, brand] of [
    [heic, 'heic'],
    [avif, 'avif'],
  ] as const) {
    const tiles = Array.from({ length: 6 }, () => tile)
    const grid = (width: number, height: number, properties: readonly MadeProperty[] = []): MadeItem => ({
      type: 'grid',
      data: gridData(2, 3, width, height),
      properties: [{ box: sizeBox(width, height) }, ...properties],
    })
    const references = [{ type: 'dimg', from: 1, to: [2, 3, 4, 5, 6, 7] }]
    const { width, height, large } = await inspect(
      makeHeif([grid(260, 120, [{ box: writeBox('irot', Uint8Array.of(1)) }]), ...tiles], {
        brand,
        references,
      }),
    )
    assert.deepEqual([width, height], [120, 260])
    assert.ok(large.length > 500)
    const refused = (items: readonly MadeItem[], to: number[], detail: RegExp) =>
      assert.throws(
        () => walk(makeHeif(items, { references: [{ type: 'dimg', from: 1, to }] })),
        refusal('broken-image', detail),
      )
    refused([grid(260, 120), ...tiles], [2, 3, 4, 5, 6], /missing/)
    refused([grid(260, 120), ...tiles], [2, 3, 4, 5, 6, 9], /missing/)
    refused([grid(290, 120), ...tiles], [2, 3, 4, 5, 6, 7], /do not fit/)
    refused([grid(190, 120), ...tiles], [2, 3, 4, 5, 6, 7], /do not fit/)
    refused(
      [{ ...grid(260, 120), data: gridData(2, 3, 261, 120) }, ...tiles],
      [2, 3, 4, 5, 6, 7],
      /two sizes/,
    )
  }
})

void test('C55: colours defined by a profile or by colour numbers are converted to sRGB', async () => {
  const inP3 = await sharp(png).withIccProfile('p3').avif({ effort: 0, quality: 90 }).toBuffer()
  assert.ok((await difference((await inspect(inP3)).large, png)) < 4)
  const numbers = (primaries: number, transfer: number): MadeItem => ({
    ...avif,
    properties: [
      ...avif.properties.filter((one) => !isOfType('colr')(one)),
      {
        box: writeBox(
          'colr',
          Buffer.from('nclx'),
          ...[primaries, transfer, 6].map((value) => writeNumber(value, 2)),
          Uint8Array.of(128),
        ),
      },
    ],
  })
  const shown = async (primaries: number, transfer: number) =>
    (await inspect(makeHeif([numbers(primaries, transfer)], { brand: 'avif' }))).large
  assert.ok((await difference(await shown(1, 13), png)) < 4)
  for (const transfer of [1, 2, 6]) assert.ok((await difference(await shown(1, transfer), png)) < 4)
  assert.ok((await difference(await shown(12, 13), png)) > 5, 'Display P3 is brighter')
  assert.ok((await difference(await shown(9, 16), png)) > 20, 'PQ')
})

void test('C55: an image with transparent pixels becomes a PNG', async () => {
  const translucent = await sharp(png).ensureAlpha(0.5).png().toBuffer()
  const seen = await sharp(translucent).avif({ effort: 0, quality: 90 }).toBuffer()
  const { mimeType, large } = await inspect(seen)
  assert.equal(mimeType, 'image/png')
  assert.ok((await difference(large, translucent)) < 4)
  const opaque = await sharp(png).ensureAlpha(1).avif({ effort: 0 }).toBuffer()
  assert.equal((await inspect(opaque)).mimeType, 'image/jpeg')
})

void test('only the picture itself is passed to the decoder', () => {
  const exif: MadeItem = { type: 'Exif', data: Buffer.from('\0\0\0\0MM private words') }
  const second: MadeItem = { ...heic, data: Buffer.concat([heic.data, Buffer.from('second')]) }
  const file = Buffer.from(walk(makeHeif([heic, exif, second])).file)
  for (const word of ['Exif', 'private', 'second']) assert.ok(!file.includes(word), word)
  assert.ok(file.length <= tinyHeic.length + 100)
})

void test('C55: files written by heif-enc are shown like their source', async (t) => {
  const picture = await pngPicture({ width: 401, height: 299 })
  const cases: readonly (readonly [string, Buffer, readonly string[]])[] = [
    ['plain', picture, []],
    ['coded as RGB', picture, ['-L', '-p', 'chroma=444', '--matrix_coefficients=0']],
    ['with ten bits', await sharp(picture).toColourspace('rgb16').png().toBuffer(), ['-b', '10']],
    ['with a profile', await sharp(picture).withIccProfile('p3').png().toBuffer(), []],
    ['with a small picture', picture, ['-t', '100']],
    ['translucent', await sharp(picture).ensureAlpha(0.5).png().toBuffer(), []],
  ]
  for (const [name, source, options] of cases) {
    const bytes = await encodeHeic(t, source, options)
    if (bytes === undefined) return
    const { large, mimeType } = await inspect(bytes)
    assert.equal(mimeType, name === 'translucent' ? 'image/png' : 'image/jpeg', name)
    const expected = name === 'translucent' ? source : picture
    const mean = await difference(large, expected)
    assert.ok(mean < 4, `${name}: ${mean}`)
  }
})

void test('C15: a HEIC whose pixel data is damaged is refused or shown, and the next one is shown', async () => {
  const at = tinyHeic.indexOf(heic.data)
  for (let offset = 0; offset < heic.data.length; offset += 7) {
    const damaged = Buffer.from(tinyHeic)
    damaged[at + offset] = (damaged[at + offset] ?? 0) ^ 0x55
    const outcome = await examine(damaged, standardLimits)
    assert.ok(outcome.ok || (outcome.code === 'broken-image' && outcome.fault === undefined), `at ${offset}`)
  }
  assert.ok((await examine(tinyHeic, standardLimits)).ok)
})
