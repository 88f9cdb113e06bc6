// After a refusal, the sender can still read the response, and no more of the body is read than necessary (contract C14,
// C31, trust 4 and 16).
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { loggerTo } from '../../../src/http/server.ts'
import { jpegPicture } from '../../helpers/pictures.ts'
import { assertProblem } from '../../helpers/problems.ts'
import { startWaymark } from '../../helpers/waymark.ts'
import { parseAnswer, say } from '../../helpers/wire.ts'

const lines: string[] = []
const waymark = await startWaymark({ logger: loggerTo({ write: (line) => lines.push(line) }, 'info') })
after(() => waymark.close())
await waymark.addTrail(4711, 'Rim Trail')
const ana = await waymark.addPerson()
const imageId = await waymark.upload(ana, 4711, await jpegPicture({ width: 12, height: 9 }))
const { hostname, port } = new URL(waymark.url)
const limit = 8_388_608

const head = (line: string, ...headers: string[]): string =>
  [line, 'Host: a', `Authorization: Bearer ${ana.token}`, ...headers, '', ''].join('\r\n')
const upload = 'POST /Trails/4711/Images HTTP/1.1'

/** Reads the response only after sending everything, like simple clients. */
async function sendThenRead(bytes: Uint8Array): Promise<string> {
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject)
    socket.write(bytes, (error) => (error ? reject(error) : resolve()))
  })
  let said = ''
  socket.on('data', (piece) => {
    said += piece.toString('latin1')
    if (/\r\n\r\n\{.*\}$/s.test(said)) socket.end()
  })
  await once(socket, 'close')
  return said
}

void test('C14: a client that sends everything before it reads gets its 413, whether or not the connection stays open', async () => {
  const tooLarge: readonly (readonly [length: number, ...headers: string[]])[] = [
    [limit + 1],
    [limit + 1, 'Connection: close'],
    [limit + 3_000_000, 'Connection: close'],
    [15_000_000],
    [15_000_000, 'Connection: close'],
  ]
  const asked = tooLarge.flatMap(([length, ...headers]) => {
    const body = Buffer.alloc(length, 'p')
    const counted = [head(upload, ...headers, `Content-Length: ${length}`), body]
    const size = `${length.toString(16)}\r\n`
    const chunked = [head(upload, ...headers, 'Transfer-Encoding: chunked'), size, body, '\r\n0\r\n\r\n']
    return [counted, chunked].map(async (parts) => {
      const said = await sendThenRead(Buffer.concat(parts.map((part) => Buffer.from(part as string))))
      await assertProblem(parseAnswer(said), 'image-too-large', `${length} ${headers.join()}`)
    })
  })
  await Promise.all(asked)
})

/**
 * Sends as long as the server accepts data.
 * @returns the response, and the number of accepted bytes.
 */
async function sendWithoutEnd(start: string, piece: Buffer): Promise<{ said: string; bytes: number }> {
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
  let said = ''
  socket.on('data', (heard) => (said += heard.toString('latin1')))
  socket.on('error', () => undefined) // the reset at the end
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.write(start)
  const go = (): void => {
    while (!socket.destroyed && socket.write(piece));
  }
  socket.on('drain', go)
  go()
  await closed
  return { said, bytes: socket.bytesWritten - socket.writableLength }
}

void test('C14 trust 4: an endless body is cut off, after its sender has been told why', async () => {
  const piece = Buffer.alloc(1_000_000, 'p')
  const chunk = Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')])
  const chunked = 'Transfer-Encoding: chunked'
  const counted = 'Content-Length: 1000000000'
  const cases = [
    ['image-too-large', head(upload, counted), piece],
    ['image-too-large', head(upload, chunked), chunk],
    ['not-found', head('POST /nothing HTTP/1.1', chunked), chunk],
    ['method-not-allowed', head('DELETE /Trails/4711/Images HTTP/1.1', counted), piece],
    [
      'body-too-large',
      head(`PUT /Trails/4711/Images/${imageId} HTTP/1.1`, 'Content-Type: text/xml', chunked),
      chunk,
    ],
    ['bad-request', head(upload, 'Transfer-Encoding: gzip, chunked'), chunk],
  ] as const
  const check = async ([code, start, bytes]: (typeof cases)[number]): Promise<void> => {
    const sent = await sendWithoutEnd(start, bytes)
    await assertProblem(parseAnswer(sent.said), code, start)
    assert.equal(sent.said.match(/HTTP\/1\.1 /g)?.length, 1, 'one answer')
    // Twice the largest image, plus the buffers of two sockets.
    assert.ok(sent.bytes < 2 * limit + 14_000_000, `${code}: ${sent.bytes} bytes were taken`)
  }
  await Promise.all(cases.map(check))
})

void test('C14: a client that announces more than will be discarded is told at once that the connection closes', async () => {
  for (const [length, expected] of [
    [2 * limit, 'keep-alive'],
    [2 * limit + 1, 'close'],
  ] as const) {
    const said = await say(waymark.url, head(upload, `Content-Length: ${length}`), { until: /\}$/ })
    assert.equal(parseAnswer(said).headers.get('connection'), expected)
  }
})

void test('trust 40: a client that disconnects in the middle of its body is one log line, and no warning', async () => {
  const leave = {
    'ends its side': (socket: Socket) => socket.end(),
    'breaks off': (socket: Socket) => socket.resetAndDestroy(),
  }
  for (const [how, go] of Object.entries(leave)) {
    lines.length = 0
    const socket = connect(Number(port), hostname)
    socket.on('error', () => undefined)
    socket.write(head(upload, 'Content-Length: 5000') + 'p'.repeat(1_000), () => go(socket))
    const until = Date.now() + 10_000
    while (lines.length === 0 && Date.now() < until) await new Promise((resolve) => setImmediate(resolve))
    const [line = '{}', ...others] = lines
    const { level, msg, aborted } = JSON.parse(line) as Record<string, unknown>
    assert.deepEqual(
      { level, msg, aborted, others },
      { level: 30, msg: 'request', aborted: true, others: [] },
      how,
    )
    socket.destroy()
  }
})
