// Settings for the time to receive headers and body (trust 16). More in tests/faults/.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { loggerTo } from '../../../src/http/server.ts'
import { jpegPicture } from '../../helpers/pictures.ts'
import { assertOneAnswer, assertTimeout, dribble } from '../../helpers/slow-client.ts'
import { startWaymark } from '../../helpers/waymark.ts'

const lines: string[] = []
const waymark = await startWaymark({
  environment: { HEADERS_TIMEOUT: '1', REQUEST_TIMEOUT: '1' },
  logger: loggerTo({ write: (line) => lines.push(line) }, 'info'),
})
after(() => waymark.close())
await waymark.addTrail(4711, 'Rim Trail')
const ana = await waymark.addPerson()
const imageId = await waymark.upload(ana, 4711, await jpegPicture({ width: 12, height: 9 }))

const head = (line: string, ...headers: string[]): string =>
  [`${line} HTTP/1.1`, 'Host: a', `Authorization: Bearer ${ana.token}`, ...headers, '', ''].join('\r\n')
const put = head(`PUT /Trails/4711/Images/${imageId}`, 'Content-Type: text/xml', 'Transfer-Encoding: chunked')

describe(
  'trust 16: requests that do not arrive in time get 408 and their connection is closed',
  { concurrency: true },
  () => {
    it('headers, and a request line', async () => {
      const slow = [
        ['GET / HTTP/1.1\r\nHost: a\r\n', 'X: y\r\n'],
        ['GET /', 'a'],
      ] as const
      const ended = slow.map(([start, chunk]) => dribble(waymark.url, start, chunk))
      for (const one of ended) await assertTimeout(await one, 1, /headers/)
    })

    it('a body, of the first request and of a second', async () => {
      await assertTimeout(await dribble(waymark.url, put, '1\r\n \r\n'), 1, /within 1 second\./)
      const first = 'GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n'
      const { said, seconds } = await dribble(waymark.url, first + put, '1\r\n \r\n')
      assert.deepEqual(said.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 408'])
      assert.ok(seconds < 5, `after ${seconds} s`)
    })

    it('a body that the authorization server reads', async () => {
      const type = 'Content-Type: application/x-www-form-urlencoded'
      const start = head('POST /oauth/token', type, 'Transfer-Encoding: chunked')
      await assertTimeout(await dribble(waymark.url, start, '1\r\na\r\n'), 1, /within 1 second\./)
      const isSlow = (line: string) => line.includes('unreadable request') && line.includes('request-timeout')
      assert.ok(lines.some(isSlow), 'and the log tells')
    })

    it('but an unread body closes its connection without a second response', async () => {
      const nothing = 'POST /nothing'
      const slow = [
        [head(nothing, 'Transfer-Encoding: chunked'), '1\r\na\r\n'],
        [head(nothing, 'Content-Length: 1000'), 'a'],
        [head(nothing, 'Content-Length: 1000'), ''],
        [head(nothing, 'Content-Length: 1000', 'Connection: close'), 'a'],
        [head(nothing, 'Content-Length: 1000', 'Expect: 100-continue'), ''],
      ] as const
      const ended = slow.map(([start, chunk]) => dribble(waymark.url, start, chunk))
      for (const { said, seconds } of await Promise.all(ended)) {
        assertOneAnswer(said, 404)
        assert.ok(seconds < 5, `after ${seconds} s`)
      }
    })
  },
)
