// Third-party files that were once handled wrongly: ../shared/corpus/found, if available.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import sharp from 'sharp'
import { cleanIccProfile } from '../../../src/imaging/formats/icc/icc-profile.ts'
import { examine } from '../../../src/imaging/examine.ts'
import type { Examined } from '../../../src/imaging/outcome.ts'
import { standardLimits } from '../../../src/imaging/image-limits.ts'
import { makeBase } from '../../../src/imaging/resize.ts'
import { readIcc } from '../../helpers/icc-fixtures.ts'
import { inspect } from '../../helpers/imaging.ts'
import { corpusUrl } from '../../helpers/corpus.ts'

const corpus = corpusUrl('found/')
const skip = existsSync(corpus) ? false : `no corpus at ${corpus.pathname}`

function read(name: string): Buffer {
  return readFileSync(new URL(name, corpus))
}

async function accept(name: string): Promise<{ examined: Examined; large: Buffer }> {
  const outcome = await examine(read(name), standardLimits)
  assert.ok(outcome.ok, outcome.ok ? name : `${name}: ${outcome.detail}`)
  const large = outcome.examined.renditions.find((one) => one.name === 'lg')
  return { examined: outcome.examined, large: Buffer.from(large?.bytes ?? []) }
}

async function shown(name: string): Promise<Buffer> {
  return (await makeBase((await inspect(read(name))).source)).data
}

const encode = (light: number): number =>
  Math.round(255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * Math.min(1, light) ** (1 / 2.4) - 0.055))

function furthest(actual: Uint8Array, expected: readonly number[]): number {
  assert.equal(actual.length, expected.length)
  return actual.reduce((max, value, at) => Math.max(max, Math.abs(value - (expected[at] ?? NaN))), 0)
}

for (const name of ['chunk_no_fctl.png', 'chunk_multi_actl.png', 'syntax_num_frames_high.png']) {
  void test(`corpus found/${name}: the still image is served`, { skip }, async () => {
    const { large } = await accept(name)
    assert.ok(!large.includes('acTL') && !large.includes('fcTL') && !large.includes('fdAT'))
    assert.deepEqual(await sharp(large).raw().toBuffer(), await sharp(read(name)).raw().toBuffer())
  })
}

void test('corpus found/basn0g08.png: its gamma of 1 is applied', { skip }, async () => {
  const name = 'basn0g08.png'
  const { large } = await accept(name)
  assert.deepEqual(large, read(name))
  const samples = await sharp(large).toColourspace('b-w').raw().toBuffer()
  const expected = [...samples].flatMap((value) => Array<number>(3).fill(encode(value / 255)))
  assert.ok(furthest(await shown(name), expected) <= 1)
})

void test('corpus found/jpg-cmyk-1.jpg: its CMYK colours are mixed as browsers do', { skip }, async () => {
  const name = 'jpg-cmyk-1.jpg'
  const { large } = await accept(name)
  assert.deepEqual(await sharp(large).metadata(), await sharp(read(name)).metadata())
  const inks = await sharp(large).pipelineColourspace('cmyk').toColourspace('cmyk').raw().toBuffer()
  const light = (at: number): number => 255 - (inks[at] ?? 0)
  const expected = [...inks].flatMap((_, at) =>
    at % 4 === 3 ? [3, 2, 1].map((before) => Math.floor((light(at - before) * light(at)) / 255)) : [],
  )
  assert.equal(furthest(await shown(name), expected), 0)
})

void test(
  'corpus found/rgb24prof2.bmp: its profile is applied, converted to sRGB by formula',
  { skip },
  async () => {
    const name = 'rgb24prof2.bmp'
    const { large } = await accept(name)
    const file = read(name)
    const profile = file.subarray(14 + file.readUInt32LE(126))
    assert.deepEqual(
      large.subarray(14 + large.readUInt32LE(126)),
      Buffer.from(cleanIccProfile(profile) ?? []),
    )
    const tags = new Map(
      readIcc(profile.subarray(0, profile.readUInt32BE(0))).map((tag) => [tag.name, tag.data]),
    )
    const column = (tag: string): number[] =>
      [8, 12, 16].map((at) => Buffer.from(tags.get(tag) ?? []).readInt32BE(at) / 65_536)
    const gamma = Buffer.from(tags.get('rTRC') ?? []).readUInt16BE(12) / 256
    const [red, green, blue] = [column('rXYZ'), column('gXYZ'), column('bXYZ')]
    // From the connection space, whose white is D50, to linear sRGB.
    const toSrgb = [
      [3.1338561, -1.6168667, -0.4906146],
      [-0.9787684, 1.9161415, 0.033454],
      [0.0719453, -0.2289914, 1.4052427],
    ]
    const [width, height, stride] = [127, 64, 384]
    const expected: number[] = []
    for (let y = 0; y < height; y += 1) {
      for (let x = 0; x < width; x += 1) {
        const at = file.readUInt32LE(10) + (height - 1 - y) * stride + 3 * x
        const [b = 0, g = 0, r = 0] = [0, 1, 2].map((channel) => ((file[at + channel] ?? 0) / 255) ** gamma)
        const xyz = [0, 1, 2].map(
          (axis) => r * (red[axis] ?? 0) + g * (green[axis] ?? 0) + b * (blue[axis] ?? 0),
        )
        for (const row of toSrgb) {
          expected.push(
            encode(
              Math.max(
                0,
                row.reduce((sum, factor, axis) => sum + factor * (xyz[axis] ?? 0), 0),
              ),
            ),
          )
        }
      }
    }
    assert.ok(furthest(await shown(name), expected) <= 3)
  },
)

void test(
  'corpus found/jp2-47102787.png: the serial number of the display is removed',
  { skip },
  async () => {
    const name = 'jp2-47102787.png'
    const { large } = await accept(name)
    const { icc } = await sharp(large).metadata()
    const { icc: original } = await sharp(read(name)).metadata()
    assert.ok(original?.includes('mmod') === true && icc?.includes('mmod') === false)
    const raw = { resolveWithObject: true } as const
    const [before, after] = [
      await sharp(read(name)).raw().toBuffer(raw),
      await sharp(large).raw().toBuffer(raw),
    ]
    assert.deepEqual(after, before)
  },
)

void test('corpus found/test_extents_transparency.gif: the first frame is served', { skip }, async () => {
  const name = 'test_extents_transparency.gif'
  const { large } = await accept(name)
  // Another file follows the first, which lacks its trailer.
  const second = read(name).lastIndexOf('GIF89a')
  assert.ok(second > 0)
  const first = Buffer.concat([read(name).subarray(0, second), Uint8Array.of(0x3b)])
  assert.equal(large.length, first.length)
  assert.deepEqual(await sharp(large).raw().toBuffer(), await sharp(first).raw().toBuffer())
})

void test('corpus found/zero-loop-count.gif: a GIF without a frame is refused', { skip }, async () => {
  const outcome = await examine(read('zero-loop-count.gif'), standardLimits)
  assert.ok(!outcome.ok && outcome.code === 'broken-image')
})

void test(
  'corpus found/hopper_rle8_row_overflow.bmp: runs stop at the end of their row',
  { skip },
  async () => {
    const { examined, large } = await accept('hopper_rle8_row_overflow.bmp')
    assert.deepEqual([examined.width, examined.height], [128, 128])
    const served = (await makeBase((await inspect(large)).source)).data
    assert.deepEqual(served, await shown('hopper_rle8_row_overflow.bmp'))
  },
)
