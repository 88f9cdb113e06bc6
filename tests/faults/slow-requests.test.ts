// Slow uploads, stalled readers, and clients waiting for the server: the timeouts in the settings, lowered here (trust
// 16, 17).
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import path from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import sharp from 'sharp'
import { filesBelow, parentOfFolders } from '../helpers/folders.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { assertTimeout, dribble } from '../helpers/slow-client.ts'
import { startWaymark, type Person, type Waymark, type WaymarkOptions } from '../helpers/waymark.ts'
import { send } from '../helpers/wire.ts'

/** More than a socket buffers, with nothing to remove. */
function noisePng(): Promise<Buffer> {
  const raw = { width: 1_500, height: 1_200, channels: 3 } as const
  return sharp(randomBytes(1_500 * 1_200 * 3), { raw })
    .png()
    .toBuffer()
}

async function enrol(waymark: Waymark): Promise<Person> {
  await waymark.addTrail(4711, 'Rim Trail')
  return waymark.addPerson()
}

const noise = await noisePng()
const folder = await mkdtemp(path.join(parentOfFolders(), 'waymark-idle-'))

/**
 * A server that ends idle connections after a second, and a photo. It is uploaded before, without this setting: on a busy
 * machine, an upload may stand still for so long.
 */
async function startRestless(name: string, options: WaymarkOptions) {
  const dataDir = path.join(folder, name)
  const patient = await startWaymark({ dataDir })
  const person = await enrol(patient)
  const image = await patient.upload(person, 4711, noise)
  await patient.close()
  const environment = { IDLE_TIMEOUT: '1', ...options.environment }
  return { waymark: await startWaymark({ ...options, dataDir, environment }), person, image }
}

const hasty = await startWaymark({
  environment: { REQUEST_TIMEOUT: '1', UPLOAD_TIMEOUT: '2', UPLOAD_MIN_BYTES_PER_SECOND: '0' },
})
// An upload is checked after a twelfth of its time: 1 s.
const strict = await startWaymark({
  environment: { UPLOAD_TIMEOUT: '12', UPLOAD_MIN_BYTES_PER_SECOND: '8192' },
})
/** Blocks storing until it is resolved. */
const gate = Promise.withResolvers<void>()
// The minimum rate would end what IDLE_TIMEOUT must.
const {
  waymark: restless,
  person: atRestless,
  image,
} = await startRestless('restless', {
  environment: { DOWNLOAD_MIN_BYTES_PER_SECOND: '0' },
  wrapBlobs: (blobs) => ({ ...blobs, put: (...args) => gate.promise.then(() => blobs.put(...args)) }),
})
after(async () => {
  for (const waymark of [hasty, strict, restless]) await waymark.close()
  await rm(folder, { recursive: true, force: true })
})
const [atHasty, atStrict] = [await enrol(hasty), await enrol(strict)]

const startUpload = ({ token }: Person): string =>
  `POST /Trails/4711/Images HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nTransfer-Encoding: chunked\r\n\r\n`

const openSocket = (url: string) => connect(Number(new URL(url).port), new URL(url).hostname)

describe('trust 16: uploads', { concurrency: true }, () => {
  it('have a time limit of their own, and one that takes longer leaves nothing', async () => {
    const before = await filesBelow(`${hasty.dataDir}/blobs`)
    const ended = await dribble(hasty.url, startUpload(atHasty), '1\r\na\r\n')
    await assertTimeout(ended, 2, /within 2 seconds/)
    assert.deepEqual(await filesBelow(`${hasty.dataDir}/blobs`), before)
  })

  it('slower than the minimum rate are ended after a grace period', async () => {
    const slow = `190\r\n${'a'.repeat(400)}\r\n`
    const ended = await dribble(strict.url, startUpload(atStrict), slow)
    await assertTimeout(ended, 1, /slower than 8192 bytes per second/)
  })

  it('faster than the minimum rate continue, however often they are checked', async () => {
    const socket = openSocket(strict.url)
    socket.write(startUpload(atStrict))
    let said = ''
    socket.on('data', (heard) => (said += heard.toString('latin1')))
    for (let chunk = 0; chunk < 35; chunk += 1) {
      socket.write(`800\r\n${'a'.repeat(2_048)}\r\n`)
      await wait(100)
    }
    assert.equal(said, '')
    assert.ok(!socket.closed)
    socket.destroy()
  })
})

describe('trust 17: IDLE_TIMEOUT', () => {
  it('does not count while a client waits for the server', async () => {
    const answer = send(restless.url, {
      method: 'POST',
      path: '/Trails/4711/Images',
      headers: { authorization: `Bearer ${atRestless.token}` },
      body: await jpegPicture({ width: 12, height: 9 }),
    })
    // Three idle connections, one after another: each is closed.
    for (let count = 0; count < 3; count += 1) await once(openSocket(restless.url).resume(), 'close')
    gate.resolve()
    assert.equal((await answer).status, 201)
  })

  it('lets a slow reader continue, and every byte arrives', async () => {
    const read = async (): Promise<Buffer> => {
      const answer = await fetch(`${restless.url}/ImageHandler?id=${image}`)
      const chunks: Uint8Array[] = []
      for await (const chunk of answer.body ?? []) {
        chunks.push(chunk)
        if (chunks.length % 20 === 0) await wait(50)
      }
      return Buffer.concat(chunks)
    }
    for (const bytes of await Promise.all([read(), read(), read()])) assert.ok(bytes.equals(noise))
  })

  it('closes a connection whose reader has stopped in the middle of an image, and closes the file', async () => {
    const socket = openSocket(restless.url)
    socket.write(`GET /ImageHandler?id=${image} HTTP/1.1\r\nHost: a\r\n\r\n`)
    await once(socket, 'readable') // and then stops reading
    const { server } = restless.app.server
    const count = () =>
      new Promise<number>((resolve) => {
        server.getConnections((_error, open) => resolve(open))
      })
    const until = Date.now() + 10_000
    while ((await count()) > 0 && Date.now() < until) await wait(50)
    assert.equal(await count(), 0)
    socket.destroy()
  })
})

/**
 * Requests an image without reading it, while sending more.
 * @returns the seconds until the server closed the connection.
 */
async function stare(url: string, image: number, chunk: string): Promise<number> {
  const socket = openSocket(url)
  socket.on('error', () => undefined)
  socket.write(`GET /ImageHandler?id=${image} HTTP/1.1\r\nHost: a\r\n\r\n`)
  await once(socket, 'readable') // and then stops reading
  const startedAt = performance.now()
  const timer = setInterval(() => socket.writable && socket.write(chunk), 100)
  // A reset is only noticed by a write, and would reject `once`.
  await Promise.race([
    new Promise((resolve) => socket.once('close', resolve)),
    wait(15_000, undefined, { ref: false }),
  ])
  clearInterval(timer)
  socket.destroy()
  return (performance.now() - startedAt) / 1_000
}

describe('trust 17: a response in transfer', { concurrency: true }, () => {
  it('counts only what is read of it, not what the reader sends', async () => {
    const begun = 'GET /health/live HTTP/1.1\r\nHost: a\r\nX: '
    for (const chunk of ['\r\n', 'GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n', begun]) {
      const seconds = await stare(restless.url, image, chunk)
      assert.ok(seconds > 0.9 && seconds < 4, `${JSON.stringify(chunk)}: after ${seconds} s`)
    }
  })

  it('a reader below DOWNLOAD_MIN_BYTES_PER_SECOND is disconnected, and without a minimum it is not', async () => {
    const isCut = async (floor: string): Promise<boolean> => {
      // The kernel takes more only after a third of its buffer, which a busy machine may not read within a second.
      const environment = { IDLE_TIMEOUT: '2', DOWNLOAD_MIN_BYTES_PER_SECOND: floor }
      const own = await startRestless(`floor-${floor}`, { environment })
      const socket = openSocket(own.waymark.url)
      socket.on('error', () => undefined)
      const closed = new Promise((resolve) => socket.once('close', resolve)).then(() => true)
      const times = 8 // more than the kernel buffers, and than is read in the two seconds of IDLE_TIMEOUT
      socket.write(`GET /ImageHandler?id=${own.image} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(times))
      const arrived = new Promise<boolean>((resolve) => {
        let bytes = 0
        socket.on('data', (chunk) => {
          bytes += chunk.length
          if (bytes > times * noise.length) resolve(false)
          socket.pause()
          setTimeout(() => socket.resume(), 5)
        })
      })
      const wasCut = await Promise.race([closed, arrived])
      socket.destroy()
      await own.waymark.close()
      return wasCut
    }
    assert.deepEqual(await Promise.all([isCut('100000000'), isCut('0')]), [true, false])
  })
})

void it('trust 16: bytes that begin no request do not keep an idle connection open', async () => {
  const waymark = await startWaymark({ environment: { KEEP_ALIVE_TIMEOUT: '1', HEADERS_TIMEOUT: '1' } })
  const { said, seconds } = await dribble(waymark.url, 'GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n', '\r\n')
  await waymark.close()
  assert.match(said, /^HTTP\/1\.1 200/)
  assert.ok(seconds > 2 && seconds < 8, `after ${seconds} s`)
})

void it('trust 7: a server that stops waits for no client to which it owes nothing', async () => {
  const waymark = await startWaymark()
  const begun = 'POST /nothing HTTP/1.1\r\nHost: a\r\n'
  const sockets = [begun, `${begun}Content-Length: 5\r\n\r\n`, '', 'G'].map((start) => {
    const socket = openSocket(waymark.url)
    socket.on('error', () => undefined)
    socket.write(start)
    return socket
  })
  await once(sockets[1]?.resume() ?? openSocket(waymark.url), 'data')
  const startedAt = performance.now()
  await waymark.close()
  assert.ok(performance.now() - startedAt < 10_000)
  for (const socket of sockets) socket.destroy()
})
