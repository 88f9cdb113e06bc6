// Colours of the small sizes: the colour information of PNG and BMP is applied, compared with formulas and with another
// program.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { makeBase } from '../../src/imaging/resize.ts'
import { makeBmp, makeProfile } from '../helpers/bmp-builder.ts'
import { ihdrChunk, insertAt, makePng, pngChunk, words } from '../helpers/containers-fixtures.ts'
import { inspect } from '../helpers/imaging.ts'

/** What the small sizes are generated from. */
async function shown(file: Uint8Array): Promise<number[]> {
  const { source } = await inspect(file)
  return [...(await makeBase(source)).data]
}

function encode(light: number): number {
  const value = Math.min(1, Math.max(0, light))
  return Math.round(255 * (value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055))
}

function assertNear(actual: readonly number[], expected: readonly number[], max: number): void {
  assert.equal(actual.length, expected.length)
  for (const [at, value] of actual.entries()) {
    const off = Math.abs(value - (expected[at] ?? NaN))
    assert.ok(off <= max, `sample ${at} is ${value}, not ${expected[at]}`)
  }
}

const gamma = (value: number): Buffer => pngChunk('gAMA', words([Math.round(value * 100_000)]))
const samples = [0, 1, 5, 20, 64, 100, 128, 180, 220, 250, 254, 255]

/** A row of samples as a PNG with these chunks before its image data. */
function rowPng(
  row: readonly number[],
  shape: { colourType: number; bitDepth?: number },
  ...chunks: readonly Buffer[]
) {
  const { colourType, bitDepth = 8 } = shape
  const perPixel = { 0: 1, 2: 3, 4: 2, 6: 4 }[colourType] ?? 1
  const bytes = bitDepth === 16 ? row.flatMap((value) => [value >> 8, value & 255]) : row
  const header = ihdrChunk({ width: row.length / perPixel, height: 1, bitDepth, colourType })
  return makePng(header, ...chunks, pngChunk('IDAT', deflateSync(Buffer.from([0, ...bytes]))))
}

void test('gamma is applied in every kind of PNG', async () => {
  for (const value of [1, 0.55, 0.3]) {
    const expected = samples.map((sample) => encode((sample / 255) ** (1 / value)))
    assertNear(await shown(rowPng(samples, { colourType: 2 }, gamma(value))), expected, 1)
    const grey = await shown(rowPng(samples, { colourType: 0 }, gamma(value)))
    assertNear(
      grey,
      expected.flatMap((one) => [one, one, one]),
      1,
    )
    const alpha = await shown(rowPng(samples, { colourType: 6 }, gamma(value)))
    assertNear(
      alpha,
      expected.map((one, at) => (at % 4 === 3 ? (samples[at] ?? 0) : one)),
      1,
    )
    const deep = samples.map((sample) => sample * 257)
    assertNear(await shown(rowPng(deep, { colourType: 2, bitDepth: 16 }, gamma(value))), expected, 1)
  }
  // Dark 16-bit tones stay distinct, which 8 bits of linear light could not represent.
  const dark = await shown(rowPng([0, 60, 120, 180, 240, 300], { colourType: 2, bitDepth: 16 }, gamma(1)))
  assert.equal(new Set(dark).size, 6)
})

void test('a gamma close to that of sRGB, or one that no display has, changes nothing', async () => {
  for (const chunks of [
    [gamma(0.45455)],
    [gamma(0.46)],
    [gamma(0)],
    [gamma(40_000)],
    [pngChunk('sRGB', Buffer.of(0)), gamma(1)],
    [pngChunk('cHRM', Buffer.alloc(32, 9))],
    [gamma(0.45455), pngChunk('cHRM', words([31_270, 32_900, 64_000, 33_000, 30_000, 60_000, 15_000, 6000]))],
    [gamma(0.45455), pngChunk('cHRM', Buffer.alloc(32))],
    [pngChunk('cICP', Buffer.of(1, 13, 0, 1))],
    [pngChunk('cICP', Buffer.of(9, 16, 9, 1))],
    [pngChunk('cICP', Buffer.of(99, 99, 0, 1))],
  ]) {
    assert.deepEqual(await shown(rowPng(samples, { colourType: 2 }, ...chunks)), samples)
  }
})

const p3Primaries = [31_270, 32_900, 68_000, 32_000, 26_500, 69_000, 15_000, 6000]

void test('primaries are applied: those of Display P3 give the same colours as its profile', async () => {
  const colours = [200, 40, 40, 40, 180, 60, 30, 60, 200, 128, 128, 128, 255, 255, 255, 90, 120, 30]
  const profiled = await sharp(Buffer.from(colours), { raw: { width: 6, height: 1, channels: 3 } })
    .withIccProfile('p3')
    .png()
    .toBuffer()
  const plain = await sharp(profiled, { ignoreIcc: true }).raw().toBuffer()
  const expected = await shown(profiled)
  const measured = rowPng([...plain], { colourType: 2 }, gamma(0.45455), pngChunk('cHRM', words(p3Primaries)))
  assertNear(await shown(measured), expected, 2)
  const coded = pngChunk('cICP', Buffer.of(12, 13, 0, 1))
  assertNear(await shown(rowPng([...plain], { colourType: 2 }, coded)), expected, 2)
  // cICP wins over a profile, which is for older decoders.
  const both = insertAt(profiled, 33, pngChunk('cICP', Buffer.of(1, 13, 0, 1)))
  assert.deepEqual(await shown(both), [...plain])
})

void test('HDR by cICP: its reference white is shown as white', async () => {
  const white = [0.58, 0.58, 0.58].map((value) => Math.round(value * 65_535))
  const shape = { colourType: 2, bitDepth: 16 }
  assertNear(await shown(rowPng(white, shape, pngChunk('cICP', Buffer.of(9, 16, 0, 1)))), [255, 255, 255], 1)
  const half = [0.75, 0.75, 0.75].map((value) => Math.round(value * 65_535))
  assertNear(await shown(rowPng(half, shape, pngChunk('cICP', Buffer.of(9, 18, 0, 1)))), [255, 255, 255], 3)
})

const embedded = 0x4d424544

void test('the profile of a BMP is applied', async () => {
  const pixels = Uint8Array.from(samples)
  const recipe = { headerBytes: 124, width: 4, height: 1, bits: 24, pixels }
  const bgr = (values: readonly number[]): number[] =>
    values.map((_, at) => values[at - (at % 3) + (2 - (at % 3))] ?? 0)
  const profile = makeProfile()
  const fields = { 70: embedded, 126: 124 + pixels.length, 130: profile.length }
  const linear = await shown(makeBmp({ ...recipe, tail: profile, fields }))
  // The primaries of the fixture are those of sRGB, rounded.
  assertNear(
    linear,
    bgr(samples).map((sample) => encode(sample / 255)),
    3,
  )
  const grey = profile.slice()
  grey.set(Buffer.from('GRAY'), 16)
  assert.deepEqual(await shown(makeBmp({ ...recipe, tail: grey, fields })), bgr(samples))
})

void test('the colour space in a version 4 BMP header is applied, unless it is sRGB or invalid', async () => {
  const pixels = Uint8Array.from(samples)
  const recipe = { headerBytes: 108, width: 4, height: 1, bits: 24, pixels }
  const plain = await shown(makeBmp({ ...recipe, fields: { 70: 0x73524742 } }))
  const xyz = [0.64, 0.33, 0.03, 0.3, 0.6, 0.1, 0.15, 0.06, 0.79]
  const scaled = [0.4124, 0.2126, 0.0193, 0.3576, 0.7152, 0.1192, 0.1805, 0.0722, 0.9505]
  const fieldsOf = (points: readonly number[], exponent: number): Record<number, number> => ({
    70: 0,
    ...Object.fromEntries(points.map((value, at) => [74 + 4 * at, Math.round(value * 2 ** 30)])),
    ...Object.fromEntries([110, 114, 118].map((at) => [at, Math.round(exponent * 65_536)])),
  })
  const linear = await shown(makeBmp({ ...recipe, fields: fieldsOf(scaled, 1) }))
  assertNear(
    linear,
    plain.map((sample) => encode(sample / 255)),
    1,
  )
  for (const fields of [fieldsOf(scaled, 2.2), fieldsOf(scaled, 0), fieldsOf([], 2.2), fieldsOf([], 4000)]) {
    assert.deepEqual(await shown(makeBmp({ ...recipe, fields })), plain)
  }
  // Chromaticities in place of endpoints, as some writers store them: all with the same weight.
  assert.deepEqual(await shown(makeBmp({ ...recipe, fields: fieldsOf(xyz, 2.2) })), plain)
})
