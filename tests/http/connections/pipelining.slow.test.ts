// Pipelined requests on one connection: processed one at a time, and limited in number (trust 17, 58).
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import sharp from 'sharp'
import { startWaymark } from '../../helpers/waymark.ts'
import { say } from '../../helpers/wire.ts'

/** Photo files that are open now, and at most. */
const files = { open: 0, max: 0 }
const waymark = await startWaymark({
  // Without the image cache, every view of size lg opens a file, which can be counted.
  environment: { KEEP_ALIVE_TIMEOUT: '1', HEADERS_TIMEOUT: '1', IMAGE_CACHE_MEGABYTES: '0' },
  wrapBlobs: (blobs) => ({
    ...blobs,
    open: async (key) => {
      const blob = await blobs.open(key)
      if (blob === undefined) return undefined
      files.open += 1
      files.max = Math.max(files.max, files.open)
      const onClose = (): void => void (files.open -= 1)
      return {
        ...blob,
        stream: (start, end) => blob.stream(start, end).once('close', onClose),
        close: () => blob.close().finally(onClose),
      }
    },
  }),
})
after(() => waymark.close())
await waymark.addTrail(4711, 'Rim Trail')
const ana = await waymark.addPerson()
const raw = { width: 1_500, height: 1_200, channels: 3 } as const
const noise = await sharp(randomBytes(1_500 * 1_200 * 3), { raw })
  .png()
  .toBuffer()
const image = await waymark.upload(ana, 4711, noise, 'image/png')

const host = 'Host: a\r\n'
const health = `GET /health/live HTTP/1.1\r\n${host}\r\n`
const nothing = `GET /nothing HTTP/1.1\r\n${host}\r\n`
const view = `GET /ImageHandler?id=${image}&t=lg HTTP/1.1\r\n${host}\r\n`
const put = `PUT /Trails/4711/Images/${image} HTTP/1.1\r\n${host}Authorization: Bearer ${ana.token}\r\nContent-Type: application/json\r\n`

const statusesIn = (said: string): string[] =>
  [...said.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status = '']) => status)

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value)

/** @returns a connection that has sent this, and reads nothing until told to. */
async function sendUnread(bytes: string): Promise<Socket> {
  const { port, hostname } = new URL(waymark.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined).pause()
  await once(socket, 'connect')
  socket.write(bytes)
  return socket
}

async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const patience = Date.now() + 10_000
  while (!(await isSo())) {
    assert.ok(Date.now() < patience, `waited in vain until ${what}`)
    await wait(20)
  }
}

async function inFlight(): Promise<number> {
  const text = await (await waymark.fetch('/metrics')).text()
  return Number(/^http_requests_in_flight (\d+)$/m.exec(text)?.[1]) - 1 // including this one
}

const connections = (): Promise<number> =>
  new Promise((resolve) => {
    waymark.app.server.server.getConnections((_error, open) => resolve(open))
  })

void test('trust 17: pipelined requests for files are opened one at a time, and all arrive once they are read', async () => {
  files.max = 0
  const asked = 6
  const sockets = await Promise.all(times(3, view.repeat(asked)).map(sendUnread))
  await until(() => files.open === sockets.length, 'each connection has its first file open')
  await once(waymark.app.server.server, 'connection', { signal: AbortSignal.timeout(50) }).catch(() => 0)
  assert.deepEqual([files.open, await inFlight()], [sockets.length, sockets.length])
  for (const socket of sockets) {
    let bytes = 0
    socket.on('data', (chunk: Buffer) => (bytes += chunk.length)).resume()
    await until(() => bytes > asked * noise.length, 'all have come')
    socket.destroy()
  }
  assert.equal(files.max, sockets.length)
  await until(() => files.open === 0, 'every file is closed')
})

void test('trust 17: if a client disconnects while its requests wait, none of their files is opened', async () => {
  const socket = await sendUnread(view.repeat(12))
  await until(() => files.open === 1, 'the first is open')
  files.max = 0
  socket.destroy()
  await until(async () => files.open === 0 && (await inFlight()) === 0, 'nothing is under way')
  assert.equal(files.max, 0)
})

void test('trust 58: seventeen pipelined requests are answered, the last one closing the connection', async () => {
  const said = await say(waymark.url, health.repeat(40))
  assert.deepEqual(statusesIn(said), times(17, '200'))
  const ends = [...said.matchAll(/^connection: (\S+)\r$/gim)].map(([, word = '']) => word.toLowerCase())
  assert.deepEqual(ends, [...times(16, 'keep-alive'), 'close'])
})

void test('trust 17: a flood of requests behind a response that is not read closes its connection', async () => {
  const socket = await sendUnread(view + health.repeat(400))
  const closed = once(socket, 'close')
  await until(async () => (await connections()) === 0, 'the server has let go')
  socket.destroy()
  await closed
})

void test('trust 58: responses keep their order, and the one to an unreadable request comes last', async () => {
  const slow = `${view}${nothing}`
  const rows: readonly (readonly [string, string[]])[] = [
    [`${slow}${health}G`, ['200', '404', '200', '408']],
    [`${slow}${health}garbage\r\n\r\n${health}`, ['200', '404', '200', '400']],
    [`${slow}${put}Content-Length: 2\r\n\r\nzz${health}`, ['200', '404', '400', '200']],
    [`${slow}${put}Transfer-Encoding: chunked\r\n\r\nzz\r\n${health}`, ['200', '404', '400']],
    [`${slow}${health.replace(host, `${host}Connection: close\r\n`)}${health}`, ['200', '404', '200']],
  ]
  await Promise.all(
    rows.map(async ([bytes, expected]) => {
      const said = (await say(waymark.url, bytes)).replaceAll(noise.toString('latin1'), '')
      assert.deepEqual(statusesIn(said), expected, bytes)
    }),
  )
})

void test('trust 58: an unknown Upgrade is the last request of its connection, and its response says so', async () => {
  for (const upgrade of ['Upgrade: h2c\r\nConnection: upgrade\r\n', 'Upgrade: websocket\r\n']) {
    const said = await say(waymark.url, `${health.replace(host, host + upgrade)}${nothing}`)
    assert.deepEqual(statusesIn(said), ['200'], upgrade)
    assert.match(said, /^connection: close\r$/im)
  }
})
