// Inconsistent HEIC and AVIF files (contract C15, C55): sizes, offsets, tiles, codings; refused before decoding.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { Refusal } from '../../../../src/errors.ts'
import { writeBox, writeFullBox } from '../../../../src/imaging/formats/heif/heif-boxes.ts'
import { walkHeif } from '../../../../src/imaging/formats/heif/heif-container.ts'
import { standardLimits } from '../../../../src/imaging/image-limits.ts'
import {
  coded,
  encodeHeic,
  gridData,
  isOfType,
  makeHeif,
  sizeBox,
  tinyHeic,
  type MadeItem,
} from '../../../helpers/heif-fixtures.ts'
import { inspect } from '../../../helpers/imaging.ts'
import { pngPicture } from '../../../helpers/pictures.ts'
import { cpuMs } from '../../../shared/contract-helpers.ts'

const tinyAvif = await sharp(await pngPicture({ width: 96, height: 64 }))
  .avif({ effort: 0 })
  .toBuffer()
const heic = coded(tinyHeic)
const avif = coded(tinyAvif)

const refusal = (code: string, detail?: RegExp) => (error: unknown) =>
  error instanceof Refusal &&
  error.code === code &&
  (detail === undefined || (typeof error.detail === 'string' && detail.test(error.detail)))

const walk = (bytes: Uint8Array) => walkHeif(bytes, standardLimits)

const withSize = (item: typeof heic, width: number, height: number): MadeItem => ({
  ...item,
  properties: item.properties.map((one) => (isOfType('ispe')(one) ? { box: sizeBox(width, height) } : one)),
})

void test('C15: a false size is refused before anything is decoded', () => {
  for (const item of [heic, avif]) {
    for (const [width, height] of [
      [16_385, 1],
      [1, 16_385],
      [10_001, 10_000],
      [0xffff_ffff, 0xffff_ffff],
    ] as const)
      assert.throws(
        () => walk(makeHeif([withSize(item, width, height)])),
        refusal('image-dimensions-too-large'),
      )
    assert.throws(() => walk(makeHeif([withSize(item, 0, 32)])), refusal('broken-image', /of 0/))
  }
  const grid = {
    type: 'grid',
    data: gridData(1, 1, 60_000, 60_000),
    properties: [{ box: sizeBox(60_000, 60_000) }],
  }
  assert.throws(() => walk(makeHeif([grid])), refusal('image-dimensions-too-large'))
})

void test('C15: an untiled AVIF is limited to the largest AV1 level, since decoders take 23 bytes per pixel', () => {
  const stated = (width: number, height: number) => () => walk(makeHeif([withSize(avif, width, height)]))
  assert.equal(stated(8_192, 4_352)().width, 8_192)
  assert.throws(
    stated(8_192, 4_353),
    refusal('image-dimensions-too-large', /; larger than 35 megapixels, it must be in tiles\.$/),
  )
})

void test('C15: coded data larger than the file declares is refused before anything is decoded', async (t) => {
  const large = await pngPicture({ width: 400, height: 300 })
  const big = coded(await sharp(large).avif({ effort: 0 }).toBuffer())
  const stated = big.properties.map((one) => (isOfType('ispe')(one) ? { box: sizeBox(64, 64) } : one))
  const lie = makeHeif([{ ...big, properties: stated }], { brand: 'avif' })
  assert.throws(() => walk(lie), refusal('broken-image', /two sizes/))
  const made = await encodeHeic(t, large)
  if (made === undefined) return
  assert.throws(() => walk(makeHeif([withSize(coded(made), 64, 64)])), refusal('broken-image', /two sizes/))
})

void test('C15: a picture truncated anywhere is refused, and bytes after it are ignored', () => {
  for (const bytes of [tinyHeic, tinyAvif]) {
    for (let end = 24; end < bytes.length; end += 1)
      assert.throws(
        () => walk(bytes.subarray(0, end)),
        (error: unknown) => error instanceof Refusal && error.code === 'broken-image',
        `cut at ${end}`,
      )
    assert.equal(walk(Buffer.concat([bytes, Buffer.from('PK\x03\x04 a tail')])).width, 96)
  }
})

void test('C15: pictures that cannot be decoded here are refused, naming their coding', () => {
  for (const type of ['avc1', 'j2k1', 'unci', 'vvc1', 'iovl', 'iden', 'jpeg'])
    assert.throws(
      () => walk(makeHeif([{ ...heic, type }])),
      refusal('unsupported-image-type', new RegExp(`“${type}”`)),
    )
  const unknown = { box: writeBox('abcd', Uint8Array.of(1)) }
  assert.throws(
    () => walk(makeHeif([{ ...heic, properties: [...heic.properties, { ...unknown, isEssential: true }] }])),
    refusal('unsupported-image-type', /“abcd”/),
  )
  assert.equal(walk(makeHeif([{ ...heic, properties: [...heic.properties, unknown] }])).width, 96)
  assert.throws(() => walk(makeHeif([heic], { primary: 2 })), refusal('broken-image'))
})

void test('C15: the alpha image must have the size and the depth of the picture', () => {
  const auxiliary = writeFullBox('auxC', 0, 0, Buffer.from('urn:mpeg:hevc:2015:auxid:1\0'))
  const withAlpha = (alpha: MadeItem): Buffer =>
    makeHeif([heic, { ...alpha, properties: [...(alpha.properties ?? []), { box: auxiliary }] }], {
      references: [{ type: 'auxl', from: 2, to: [1] }],
    })
  const deep = heic.properties.map((one) => {
    if (!isOfType('hvcC')(one)) return one
    const box = Buffer.from(one.box)
    box.writeUInt8(box.readUInt8(8 + 17) | 2, 8 + 17)
    return { box }
  })
  assert.equal(walk(withAlpha(heic)).hasAlpha, true)
  for (const alpha of [withSize(heic, 95, 64), withSize(heic, 96, 63), { ...heic, properties: deep }])
    assert.throws(
      () => walk(withAlpha(alpha)),
      refusal('unsupported-image-type', /another size or depth than the picture/),
    )
})

void test('work and memory are bounded by the size of the upload', () => {
  const padded = { ...heic, data: Buffer.concat([heic.data, Buffer.alloc(2_000_000)]) }
  const { type, properties } = padded
  const grid = {
    type: 'grid',
    data: gridData(30, 50, 4_800, 1_920),
    properties: [{ box: sizeBox(4_800, 1_920) }],
  }
  const build = (at: number): Buffer => {
    const place = { at, length: padded.data.length }
    const tiles = Array.from({ length: 1_500 }, () => ({ type, properties, data: new Uint8Array(0), place }))
    return makeHeif([grid, padded, ...tiles], {
      references: [{ type: 'dimg', from: 1, to: Array.from({ length: 1_500 }, (_, index) => index + 3) }],
    })
  }
  const bomb = build(build(0).length - padded.data.length)
  const ms = cpuMs(() => assert.throws(() => walk(bomb), refusal('broken-image', /overlap/)))
  assert.ok(ms < 1_000, `${ms} ms`)
})

void test('overlapping metadata items hold no more memory than the metadata limit', () => {
  const data = Buffer.alloc(2_000_000)
  data.writeUInt32BE(data.length - 44, 0)
  data.write('MM\0*\0\0\0\x08', data.length - 40, 'latin1')
  const exif = { type: 'Exif', data }
  const build = (at: number): Buffer => {
    const place = { at, length: data.length }
    const others = Array.from({ length: 63 }, () => ({ ...exif, data: new Uint8Array(0), place }))
    return makeHeif([heic, ...others, exif])
  }
  const { metadata } = walk(build(build(0).length - data.length))
  assert.equal(metadata.length, 1)
  const held = new Set(metadata.map(({ bytes }) => bytes.buffer))
  const bytes = [...held].reduce((sum, { byteLength }) => sum + byteLength, 0)
  assert.ok(bytes <= standardLimits.maxMetadataBytes, `${bytes} bytes are held`)
})

void test('C15: a truncation hidden by the item locations is refused, too', async () => {
  for (const [item, brand] of [
    [heic, 'heic'],
    [avif, 'avif'],
  ] as const)
    for (const missing of [1, 20, 60]) {
      const data = item.data.subarray(0, item.data.length - missing)
      await assert.rejects(inspect(makeHeif([{ ...item, data }], { brand })), refusal('broken-image'))
    }
})
