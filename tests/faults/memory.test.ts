// Memory of the server and its workers with bombs, photos and slow uploads, and what happens if it runs out.
import assert from 'node:assert/strict'
import { readdir, stat } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import sharp from 'sharp'
import { createRandom } from '../helpers/containers-fixtures.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { headerBombs } from '../hostile/bombs.ts'
import {
  memoryOf,
  startService,
  watchMemory,
  whyNoMemory,
  type Memory,
  type Service,
  type ServiceOptions,
} from '../hostile/service.ts'
import { trailId } from './harness/installation.ts'
import { until } from './harness/server.ts'

const skip = whyNoMemory()
const jobs = { IMAGE_JOBS: '2' }

async function start(t: TestContext, options: ServiceOptions): Promise<Service> {
  const service = await startService(options)
  t.after(() => service.end())
  return service
}

/** A photo of 12 megapixels and about 4 MB, as detailed as a real one. */
async function bigPhoto(options: { readonly progressive?: boolean } = {}): Promise<Buffer> {
  const [width, height] = [4_000, 3_000]
  const random = createRandom(12)
  const pixels = Buffer.alloc(width * height * 3)
  for (let at = 0; at < pixels.length; at += 1)
    pixels[at] = ((at % (width * 3)) / 60 + at / (width * 3 * 40) + random() * 24) & 255
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 82, ...options })
    .toBuffer()
}

const figures = ({ resident, proportional }: Memory): string =>
  `${Math.round(proportional)} MB with shared pages counted once, ${Math.round(resident)} MB resident`

/** Processes an ordinary photo first, to exclude the cost of starting a worker. */
async function warm(service: Service): Promise<Memory> {
  const { status } = await service.post(await jpegPicture({ width: 60, height: 40 }))
  assert.equal(status, 201)
  return memoryOf(service.server.pid)
}

void test('trust 21: a header bomb of any kind costs less than 20 MB', { skip }, async (t) => {
  const service = await start(t, { settings: jobs })
  for (const { bytes } of headerBombs) await service.post(bytes) // code is compiled once, whatever is sent
  const before = await warm(service)
  let max = 0
  for (const { name, bytes } of headerBombs) {
    const maxSeen = watchMemory(service.server.pid, 10)
    const { status } = await service.post(bytes)
    const { resident } = maxSeen()
    assert.equal(status, 422, name)
    max = Math.max(max, resident - before.resident)
    assert.ok(resident - before.resident < 20, `${name} cost ${resident - before.resident} MB`)
  }
  t.diagnostic(`${headerBombs.length} bombs, at most ${max.toFixed(1)} MB more than before`)
})

const batches = [
  { what: 'one photo', count: 1, max: 250 },
  { what: 'eight photos at once', count: 8, max: 500 },
]
for (const { what, count, max } of batches) {
  for (const progressive of [false, true]) {
    const kind = progressive ? 'progressive' : 'baseline'
    void test(`${what} of 12 megapixels, ${kind}: under ${max} MB at peak`, { skip }, async (t) => {
      const photo = await bigPhoto({ progressive })
      const service = await start(t, { settings: jobs })
      const idle = memoryOf(service.server.pid)
      const maxSeen = watchMemory(service.server.pid, 10)
      const answers = await Promise.all(
        Array.from({ length: count }, (_, tail) => service.post(Buffer.concat([photo, Buffer.of(tail)]))),
      )
      const peak = maxSeen()
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]))
      t.diagnostic(`${photo.length} bytes each; idle ${figures(idle)}; peak ${figures(peak)}`)
      assert.ok(peak.proportional < max, figures(peak))
    })
  }
}

async function bytesBelow(folder: string): Promise<number> {
  const sizes = (await readdir(folder)).map(async (name) => (await stat(path.join(folder, name))).size)
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

/** Sends the head and the first bytes of an 8 MB upload, then waits. */
function beginUpload({ server, token }: Service, sent: Buffer): Promise<Socket> {
  const { hostname, port } = new URL(server.url)
  const head = [
    `POST /Trails/${trailId}/Images HTTP/1.1`,
    'Host: waymark.example',
    `Authorization: Bearer ${token}`,
    'Content-Type: image/jpeg',
    'Content-Length: 8000000',
  ].join('\r\n')
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    socket.on('error', reject)
    socket.write(`${head}\r\n\r\n`)
    socket.write(sent, () => resolve(socket))
  })
}

void test('200 slow uploads at once cost less than 1 MB each', { skip }, async (t) => {
  const settings = { ...jobs, UPLOAD_MIN_BYTES_PER_SECOND: '0' }
  const service = await start(t, { settings })
  const before = await warm(service)
  const photo = await bigPhoto()
  const sockets = await Promise.all(
    Array.from({ length: 200 }, () => beginUpload(service, photo.subarray(0, 1_000_000))),
  )
  t.after(() => sockets.forEach((socket) => socket.destroy()))
  const stagedFolder = path.join(service.dataDir, 'blobs', 'tmp')
  await until(async () => (await bytesBelow(stagedFolder)) >= 200 * 1_000_000, 'all that was sent to arrive')
  const maxSeen = watchMemory(service.server.pid, 50)
  for (let round = 0; round < 20; round += 1) {
    for (const socket of sockets) socket.write(photo.subarray(0, 2_000))
    await until(
      async () => (await bytesBelow(stagedFolder)) >= 200 * (1_000_000 + round * 2_000),
      'a round of bytes',
    )
  }
  const peak = maxSeen()
  const each = (peak.resident - before.resident) / 200
  t.diagnostic(
    `before ${figures(before)}; with 200 uploads under way ${figures(peak)}: ${each.toFixed(2)} MB each`,
  )
  assert.ok(each < 1, `${each} MB each`)
  const { status } = await service.post(await jpegPicture({ width: 60, height: 41 }))
  assert.equal(status, 201)
})
