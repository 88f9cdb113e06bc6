// Thousands of malformed requests: each gets at most one response that is not a refusal, none gets 500, and the server
// survives (trust 58, contract C37). WAYMARK_LONG=1 sends ten times as many.
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { jpegPicture } from '../helpers/pictures.ts'
import { createDie } from '../helpers/turns.ts'
import { startWaymark } from '../helpers/waymark.ts'

const mutants = process.env['WAYMARK_LONG'] === undefined ? 2_500 : 25_000
/** Many wait for a timeout. */
const atOnce = 250

/** Inserted into requests: input that has fooled parsers before. */
const morsels = [
  '\r\n',
  '\n',
  '\r',
  ' ',
  '\t',
  '\0',
  '\x0b',
  '\xa0',
  ':',
  ';',
  ',',
  '0',
  '\r\n\r\n',
  '\r\n ',
  'Host: b\r\n',
  'Content-Length: 0\r\n',
  'Content-Length: 7\r\n',
  'content-length : 5\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Transfer-Encoding: identity\r\n',
  'Transfer-Encoding:\tchunked\r\n',
  'Transfer-Encoding\r\n : chunked\r\n',
  'Connection: close\r\n',
  'Connection: keep-alive, transfer-encoding\r\n',
  'Expect: 100-continue\r\n',
  'Upgrade: h2c\r\n',
  'HTTP/1.0',
  'HTTP/2.0',
  '0\r\n\r\n',
  'ffffffffffffffff\r\n',
  '1;a=b\r\n',
  'x'.repeat(9_000),
]

type Die = () => number
const pick = <T>(die: Die, list: readonly T[]): T => list[Math.floor(die() * list.length)] as T

function mutate(die: Die, request: string): string {
  let text = request
  const times = 1 + Math.floor(die() * 3)
  for (let time = 0; time < times; time += 1) {
    const at = Math.floor(die() * (text.length + 1))
    const kinds: readonly (() => string)[] = [
      () => text.slice(0, at) + pick(die, morsels) + text.slice(at),
      () => text.slice(0, at) + text.slice(at + 1 + Math.floor(die() * 4)),
      () => text.slice(0, at) + String.fromCharCode(Math.floor(die() * 256)) + text.slice(at + 1),
      () => text.slice(0, at),
      // Moves or duplicates a line.
      () => {
        const lines = text.split('\r\n')
        lines.splice(Math.floor(die() * lines.length), Math.floor(die() * 2), pick(die, lines))
        return lines.join('\r\n')
      },
      () => text.replace(/\r\n/g, () => (die() < 0.3 ? '\n' : '\r\n')),
    ]
    text = pick(die, kinds)()
  }
  return text
}

/** Everything received until the server closed the connection. */
function tell(url: string, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    let said = ''
    socket.on('data', (chunk) => (said += chunk.toString('latin1')))
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(said))
    socket.write(Buffer.from(bytes, 'latin1'))
  })
}

void test('trust 58: a malformed request is one request, or none', async (t) => {
  const waymark = await startWaymark({
    environment: { HEADERS_TIMEOUT: '1', REQUEST_TIMEOUT: '1', UPLOAD_TIMEOUT: '1', KEEP_ALIVE_TIMEOUT: '1' },
  })
  t.after(() => waymark.close())
  await waymark.addTrail(4711, 'Rim Trail')
  const ana = await waymark.addPerson()
  const image = await waymark.upload(ana, 4711, await jpegPicture({ width: 12, height: 9 }))
  const authorization = `Host: trails.example\r\nAuthorization: Bearer ${ana.token}\r\n`
  const seeds = [
    `GET /Trails/4711/Images HTTP/1.1\r\n${authorization}Accept: */*\r\n\r\n`,
    `GET http://trails.example/v2/images?limit=1 HTTP/1.1\r\n${authorization}\r\n`,
    `HEAD /ImageHandler?id=${image}&t=sm HTTP/1.1\r\n${authorization}Range: bytes=0-1\r\n\r\n`,
    `PUT /Trails/4711/Images/${image} HTTP/1.1\r\n${authorization}Content-Type: application/json\r\nContent-Length: 13\r\n\r\n{"title":"x"}`,
    `PUT /Trails/4711/Images/${image} HTTP/1.1\r\n${authorization}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n6\r\n{"titl\r\n7;a=b\r\ne":"x"}\r\n0\r\nX: y\r\n\r\n`,
    `POST /Trails/4711/Images HTTP/1.1\r\n${authorization}Content-Type: image/png\r\nContent-Length: 8\r\n\r\n\x89PNG\r\n\x1a\n`,
    `POST /oauth/token HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 29\r\n\r\ngrant_type=client_credentials`,
    `DELETE /Trails/4711/Images HTTP/1.1\r\n${authorization}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
  ]
  const die = createDie(58)
  const counts = new Map<string, number>()
  const cases = Array.from({ length: mutants }, () => mutate(die, pick(die, seeds)))
  while (cases.length > 0) {
    const asked = cases.splice(0, atOnce).map(async (bytes) => {
      const said = await tell(waymark.url, bytes)
      const statuses = [...said.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status = '']) => Number(status))
      const finals = statuses.filter((status) => status !== 100)
      const message = `${JSON.stringify(bytes.slice(0, 600))} → ${finals.join()}`
      assert.ok(
        finals.every((status) => status < 500),
        message,
      )
      // The rest after a shorter body is not a request.
      assert.ok(
        finals.slice(1).every((status) => [400, 405, 408, 431].includes(status)),
        message,
      )
      assert.ok(finals.length <= 2 && statuses.length - finals.length <= 1, message)
      const first = String(finals[0] ?? 'none')
      counts.set(first, (counts.get(first) ?? 0) + 1)
    })
    await Promise.all(asked)
  }
  assert.equal((await waymark.fetch('/health/live')).status, 200)
  t.diagnostic([...counts].map(([status, times]) => `${times} × ${status}`).join(', '))
})
