// A webhook attempt takes at most five seconds, whatever is slow (trust 56).
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { test } from 'node:test'
import { createAddressPolicy } from '../../../src/events/webhooks/addresses.ts'
import { createSender } from '../../../src/events/webhooks/send.ts'
import type { Resolve } from '../../../src/events/webhooks/target.ts'

const addressPolicy = createAddressPolicy(['127.0.0.0/8'])
const onLoopback: Resolve = async () => ['127.0.0.1']
const never: Resolve = (_host, signal) =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('cancelled'))))

void test('trust 56: a lookup, a connection or a response that does not complete ends after five seconds', async (t) => {
  const sockets = new Set<Socket>()
  /** Sends one byte at a time, and never the last. */
  const drip = (text: string) => (socket: Socket) => {
    sockets.add(socket.on('error', () => undefined).resume())
    let at = 0
    const timer = setInterval(() => socket.write(text[at++] ?? 'x'), 100)
    socket.on('close', () => clearInterval(timer))
  }
  const listen = async (speak: (socket: Socket) => void): Promise<number> => {
    const server = createServer(speak).listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.after(() => {
      for (const socket of sockets) socket.destroy()
      server.close()
    })
    return (server.address() as AddressInfo).port
  }
  const silent = await listen((socket) => void sockets.add(socket.on('error', () => undefined)))
  const slowHeaders = await listen(drip(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(500)}`))
  const slowBody = await listen((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n')
    drip('')(socket)
  })
  const cases = [
    [`http://127.0.0.1:${silent}/`, onLoopback, null],
    [`https://receiver.example:${silent}/`, onLoopback, null],
    [`http://127.0.0.1:${slowHeaders}/`, onLoopback, null],
    ['https://receiver.example/', never, null],
    // The status has arrived, and only the status counts.
    [`http://127.0.0.1:${slowBody}/`, onLoopback, 200],
  ] as const
  const outcomes = await Promise.all(
    cases.map(([url, resolve]) =>
      createSender({ addressPolicy, resolve, now: Date.now })({ url, headers: {}, body: '{}' }),
    ),
  )
  for (const [index, { status, error, milliseconds }] of outcomes.entries()) {
    const [url, , expected] = cases[index] ?? []
    assert.ok(milliseconds >= 4_900 && milliseconds < 10_000, `${url} took ${milliseconds} ms`)
    const sentence = expected === null ? 'No complete response within 5 seconds.' : null
    assert.deepEqual([status, error], [expected, sentence], String(url))
  }
})
