// Buffers of readers of size lg are released, however the readers disconnect (trust 58).
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import sharp from 'sharp'
import { startWaymark, type Waymark } from '../../helpers/waymark.ts'
import { send } from '../../helpers/wire.ts'

/** @returns the response, and whether it came from the cache. */
async function view(to: Waymark, query: string) {
  const before = to.app.answersFromMemory()
  const answer = await send(to.url, { path: `/ImageHandler${query}` })
  await answer.arrayBuffer()
  return { answer, isKept: to.app.answersFromMemory() > before }
}

void test('trust 58: a client that disconnects while its photo is read leaves no buffer borrowed', async () => {
  const reading = { isHeld: false, begun: Promise.withResolvers<void>(), end: Promise.withResolvers<void>() }
  const waymarkHere = await startWaymark({
    environment: { IMAGE_CACHE_MEGABYTES: '3' }, // a third of it for size lg, enough for one such photo
    wrapBlobs: (blobs) => ({
      ...blobs,
      read: async (key) => {
        if (reading.isHeld) {
          reading.begun.resolve()
          await reading.end.promise
        }
        return blobs.read(key)
      },
    }),
  })
  after(() => waymarkHere.close())
  await waymarkHere.addTrail(4711, 'Rim Trail')
  const ana = await waymarkHere.addPerson()
  const rob = await waymarkHere.addPerson({ role: 'reviewer' })
  const raw = { width: 500, height: 400, channels: 3 } as const
  const noise = await sharp(randomBytes(500 * 400 * 3), { raw })
    .png()
    .toBuffer()
  assert.ok(noise.length > 550_000)
  const imageId = await waymarkHere.upload(ana, 4711, noise)
  assert.equal((await waymarkHere.review(rob, imageId, 'approve')).status, 200)
  reading.isHeld = true
  const { port, hostname } = new URL(waymarkHere.url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.write(`GET /ImageHandler?id=${imageId} HTTP/1.1\r\nHost: a\r\n\r\n`)
  await reading.begun.promise
  socket.destroy()
  const until = performance.now() + 30_000
  while (waymarkHere.app.requestsUnderWay() > 0 && performance.now() < until)
    await new Promise((resolve) => setImmediate(resolve))
  reading.isHeld = false
  reading.end.resolve()
  const seen = [await view(waymarkHere, `?id=${imageId}`), await view(waymarkHere, `?id=${imageId}`)]
  assert.deepEqual(
    seen.map(({ isKept, answer }) => [isKept, answer.status]),
    [
      [false, 200],
      [true, 200],
    ],
  )
})
