// Every image limit is a setting, and a lower value takes effect for clients.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { deflateSync } from 'node:zlib'
import type { Environment } from '../../src/settings/config.ts'
import type { RefusalCode } from '../../src/errors.ts'
import { gifFrame, makeGif, makeGreyPng, pngChunk } from '../helpers/containers-fixtures.ts'
import { buildPrivateExif } from '../helpers/exif-fixtures.ts'
import { newFolder } from '../helpers/folders.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { assertProblem } from '../helpers/problems.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { scanBomb } from './bombs.ts'

async function serviceWith(t: TestContext, environment: Environment) {
  const waymark = await startWaymark({ environment, dataDir: await newFolder(t) })
  t.after(() => waymark.close())
  await waymark.addTrail(4711, 'Rim Trail')
  const person = await waymark.addPerson()
  const post = (bytes: Uint8Array): Promise<Response> =>
    waymark.fetch('/Trails/4711/Images', {
      method: 'POST',
      token: person.token,
      headers: { 'content-type': 'application/octet-stream' },
      body: Buffer.from(bytes),
    })
  return {
    post,
    /** Uploads a photo that must be accepted, and returns its lat. */
    latOf: async (bytes: Uint8Array): Promise<string> => {
      const imageId = await waymark.upload(person, 4711, bytes)
      const answer = await waymark.fetch(`/Trails/4711/Images/${imageId}`, { token: person.token })
      return ((await answer.json()) as { lat: string }).lat
    },
  }
}

const jpeg = await jpegPicture({ width: 400, height: 300 })
const frames = (count: number): Buffer => makeGif(Array<Buffer>(count).fill(gifFrame()))

interface Case {
  readonly environment: Environment
  readonly taken: Uint8Array
  readonly refused: Uint8Array
  readonly code: RefusalCode
  readonly detail: RegExp
}

const tooLarge = 'image-dimensions-too-large'
const cases: readonly Case[] = [
  {
    environment: { MAX_IMAGE_BYTES: String(jpeg.length) },
    taken: jpeg,
    refused: Buffer.concat([jpeg, Buffer.of(0)]),
    code: 'image-too-large',
    detail: new RegExp(`at most ${jpeg.length} bytes`),
  },
  {
    environment: { MAX_IMAGE_SIDE: '400' },
    taken: jpeg,
    refused: await jpegPicture({ width: 401, height: 10 }),
    code: tooLarge,
    detail: /401 × 10 pixels; the limits are 400 pixels per side/,
  },
  {
    environment: { MAX_IMAGE_MEGAPIXELS: '1' },
    taken: await jpegPicture({ width: 1000, height: 1000 }),
    refused: await jpegPicture({ width: 1001, height: 1000 }),
    code: tooLarge,
    detail: /1001 × 1000 pixels; .* 1 megapixels /,
  },
  {
    environment: { MAX_DECODED_MEGABYTES: '1' },
    taken: await jpegPicture({ width: 600, height: 500 }),
    refused: await jpegPicture({ width: 700, height: 500 }),
    code: tooLarge,
    detail: /700 × 500 pixels; .* 1 MB decoded/,
  },
  {
    environment: { MAX_IMAGE_FRAMES: '3' },
    taken: frames(3),
    refused: frames(4),
    code: tooLarge,
    detail: /more than 3 frames/,
  },
  {
    environment: { IMAGE_JOB_SECONDS: '1' },
    taken: jpeg,
    refused: scanBomb(10_000, 100),
    code: 'broken-image',
    detail: /took longer than 1 second/,
  },
]

for (const { environment, taken, refused, code, detail } of cases) {
  void test(`C14 C15: ${Object.entries(environment).join().replace(',', '=')} is enforced`, async (t) => {
    const { post } = await serviceWith(t, environment)
    assert.equal((await post(taken)).status, 201)
    const begun = performance.now()
    const problem = await assertProblem(await post(refused), code)
    assert.match(problem.detail ?? '', detail)
    assert.ok(performance.now() - begun < 5_000)
    // After any refusal, the next upload succeeds.
    assert.equal((await post(await jpegPicture({ width: 40, height: 30, seed: 2 }))).status, 201)
  })
}

const exif = buildPrivateExif({ position: { lat: 45.5231, lon: -122.6765 } })
const padded = Buffer.concat([exif, Buffer.alloc(3_000)])
const filling = pngChunk('eXIf', Buffer.concat([Buffer.from('II*\0\b\0\0\0'), Buffer.alloc(1_992)]))
const hexLines = padded.toString('hex').replaceAll(/(.{72})/g, '$1\n')
const compressed = pngChunk(
  'zTXt',
  Buffer.concat([
    Buffer.from('Raw profile type exif\0\0'),
    deflateSync(`\nexif\n${String(padded.length).padStart(8)}\n${hexLines}\n`),
  ]),
)

void test('C16: MAX_METADATA_BYTES is enforced: metadata beyond it is not read, and causes no failure', async (t) => {
  const behind = makeGreyPng([filling, pngChunk('eXIf', exif)])
  assert.equal(await (await serviceWith(t, {})).latOf(behind), '45.5231')
  assert.equal(await (await serviceWith(t, { MAX_METADATA_BYTES: '2000' })).latOf(behind), '0')
})

void test('C16: MAX_INFLATED_METADATA_BYTES is enforced: metadata that inflates to more is not read', async (t) => {
  const png = makeGreyPng([compressed])
  assert.equal(await (await serviceWith(t, {})).latOf(png), '45.5231')
  assert.equal(await (await serviceWith(t, { MAX_INFLATED_METADATA_BYTES: '4096' })).latOf(png), '0')
})

void test('IMAGE_JOBS and IMAGE_QUEUE are enforced: one works, one waits, the third is told to retry later', async (t) => {
  const { post } = await serviceWith(t, { IMAGE_JOBS: '1', IMAGE_QUEUE: '1', IMAGE_JOB_SECONDS: '1' })
  const busy = [0, 1, 2].map((tail) => post(Buffer.concat([scanBomb(10_000, 100), Buffer.of(tail)])))
  const statuses = (await Promise.all(busy)).map(({ status }) => status)
  const refused = statuses.filter((status) => status === 422)
  assert.deepEqual([refused.length, statuses.includes(503)], [2, true])
})
