// Damaged HEIC, AVIF and WebP in worker processes: each is shown or refused, and none crashes a process or takes long.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import sharp from 'sharp'
import { Refusal } from '../../src/errors.ts'
import { inMemory } from '../../src/imaging/renditions.ts'
import { buildPrivateExif } from '../helpers/exif-fixtures.ts'
import { coded, gridData, makeHeif, sizeBox, tinyHeic } from '../helpers/heif-fixtures.ts'
import { startRenditions } from '../helpers/imaging.ts'
import { pngPicture } from '../helpers/pictures.ts'
import { makeMutants } from './mutations.ts'
import type { Seed } from './seeds.ts'

const count = 3_000
const maxMilliseconds = 5_000

const size = { width: 96, height: 64 }
const png = await pngPicture(size)
const picture = sharp(png).withExif({ IFD0: { Make: 'Acme' } })
const tinyAvif = await picture.clone().avif({ effort: 0 }).toBuffer()
const lossy = await picture.clone().webp().toBuffer()
const seeThrough = sharp(png).ensureAlpha(0.5)

const exif = {
  type: 'Exif',
  data: Buffer.concat([Buffer.alloc(4), buildPrivateExif({ position: { lat: 46, lon: 7 } })]),
}
const asGrid = (file: Uint8Array, brand: string): Buffer =>
  makeHeif(
    [
      { type: 'grid', data: gridData(1, 2, 180, 64), properties: [{ box: sizeBox(180, 64) }] },
      coded(file),
      coded(file),
      exif,
    ],
    { brand, references: [{ type: 'dimg', from: 1, to: [2, 3] }] },
  )

const files: Readonly<Record<string, Buffer>> = {
  heic: tinyHeic,
  'heic of tiles': asGrid(tinyHeic, 'heic'),
  avif: tinyAvif,
  'avif of tiles': asGrid(tinyAvif, 'avif'),
  'avif, translucent': await seeThrough.clone().avif({ effort: 0 }).toBuffer(),
  webp: lossy,
  'webp, lossless': await sharp(png).webp({ lossless: true }).toBuffer(),
  'webp, translucent': await seeThrough.clone().webp().toBuffer(),
}
// Mutated blindly like a BMP, without regard to the structure.
const seeds: Seed[] = Object.entries(files).map(([name, bytes]) => ({ name, type: 'bmp', bytes }))
/** Only the coded data is mutated, since most mutants of whole files fail at the box parser. */
const data: Seed[] = [
  { name: 'data of heic', type: 'bmp', bytes: Buffer.from(coded(tinyHeic).data) },
  { name: 'data of avif', type: 'bmp', bytes: Buffer.from(coded(tinyAvif).data) },
]

function* mutants(): Generator<{ name: string; bytes: Buffer }> {
  yield* makeMutants(seeds, count, 24)
  for (const { name, bytes } of makeMutants(data, count / 3, 25)) {
    const item = coded(name.startsWith('data of heic') ? tinyHeic : tinyAvif)
    yield {
      name,
      bytes: makeHeif([{ ...item, data: bytes }], { brand: name.includes('heic') ? 'heic' : 'avif' }),
    }
  }
}

const renditions = startRenditions(2, 100, { jobSeconds: 20 })
after(() => renditions.close())

const expected: ReadonlySet<string> = new Set([
  'broken-image',
  'unsupported-image-type',
  'image-dimensions-too-large',
])

void test(`C15, C55: each of ${count} mutants is shown or refused`, async (t) => {
  const ends = new Map<string, number>()
  const faults: string[] = []
  let slowest = 0
  const todo = mutants()
  const work = async (): Promise<void> => {
    for (const { name, bytes } of todo) {
      const began = performance.now()
      let end = 'shown'
      try {
        await renditions.examine(() => Promise.resolve(inMemory(bytes)))
      } catch (error) {
        if (!(error instanceof Refusal) || !expected.has(error.code) || error.cause !== undefined) {
          faults.push(`${name}: ${String(error)} ${String(error instanceof Error && error.cause)}`)
        }
        end = error instanceof Refusal ? error.code : 'fault'
      }
      slowest = Math.max(slowest, performance.now() - began)
      ends.set(end, (ends.get(end) ?? 0) + 1)
    }
  }
  await Promise.all([work(), work()])
  assert.deepEqual(faults, [])
  assert.ok(slowest < maxMilliseconds, `the slowest took ${Math.round(slowest)} ms`)
  for (const end of ['shown', 'broken-image']) assert.ok((ends.get(end) ?? 0) > 100, end)
  t.diagnostic(`${JSON.stringify(Object.fromEntries(ends))}, slowest ${Math.round(slowest)} ms`)
})
