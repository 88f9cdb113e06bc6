// Size limits of URL, headers and details: each is a setting, exact to the byte, and named in the refusal.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { jpegPicture } from '../../helpers/pictures.ts'
import { assertProblem } from '../../helpers/problems.ts'
import { startWaymark, type Waymark } from '../../helpers/waymark.ts'
import { parseAnswer, say } from '../../helpers/wire.ts'

const usual = await startWaymark()
const lowered = await startWaymark({
  environment: {
    MAX_URL_BYTES: '100',
    MAX_HEADER_BYTES: '500',
    MAX_HEADERS: '10',
    MAX_DETAILS_BYTES: '60',
    MAX_IMAGE_BYTES: '3000',
  },
})
after(async () => {
  await usual.close()
  await lowered.close()
})

interface Figures {
  readonly url: number
  readonly headerBytes: number
  readonly headers: number
  readonly details: number
  readonly image: number
}
const servers: readonly (readonly [Waymark, Figures])[] = [
  [usual, { url: 8_192, headerBytes: 16_384, headers: 100, details: 65_536, image: 8_388_608 }],
  [lowered, { url: 100, headerBytes: 500, headers: 10, details: 60, image: 3_000 }],
]

async function ask(server: Waymark, lines: readonly string[], body = ''): Promise<Response> {
  return parseAnswer(await say(server.url, `${lines.join('\r\n')}\r\n\r\n${body}`))
}

const fixed = ['Host: a', 'Connection: close']
const health = 'GET /health/live HTTP/1.1'

void test('trust, limits: the URL', async () => {
  for (const [server, { url }] of servers) {
    const path = (length: number) => '/health/live?'.padEnd(length, 'x')
    assert.equal((await ask(server, [`GET ${path(url)} HTTP/1.1`, ...fixed])).status, 200)
    const { detail } = await assertProblem(
      await ask(server, [`GET ${path(url + 1)} HTTP/1.1`, ...fixed]),
      'uri-too-long',
    )
    assert.match(detail ?? '', new RegExp(`longer than ${url} bytes`))
  }
})

void test('trust, limits: the headers, in bytes and in number', async () => {
  for (const [server, { headerBytes, headers }] of servers) {
    const used = fixed.join('\r\n').length + '\r\n'.length
    const long = (bytes: number) => `X: ${'x'.repeat(bytes - used - 'X: \r\n'.length)}`
    assert.equal((await ask(server, [health, ...fixed, long(headerBytes)])).status, 200)
    const over = await ask(server, [health, ...fixed, long(headerBytes + 1)])
    assert.match(
      (await assertProblem(over, 'headers-too-large')).detail ?? '',
      new RegExp(`${headerBytes} bytes`),
    )
    const many = (count: number) => Array.from({ length: count - fixed.length }, (_, index) => `X${index}: y`)
    assert.equal((await ask(server, [health, ...fixed, ...many(headers)])).status, 200)
    const tooMany = await ask(server, [health, ...fixed, ...many(headers + 1)])
    assert.match(
      (await assertProblem(tooMany, 'headers-too-large')).detail ?? '',
      new RegExp(`${headers} headers`),
    )
    const huge = await ask(server, [health, ...fixed, `X: ${'x'.repeat(40_000)}`])
    await assertProblem(huge, 'headers-too-large', 'what the parser itself refuses')
  }
})

void test('trust, limits: details and images', async () => {
  for (const [server, { details, image }] of servers) {
    await server.addTrail(4711, 'Rim Trail')
    const ana = await server.addPerson()
    const picture = await jpegPicture({ width: 12, height: 9 })
    const imageId = await server.upload(ana, 4711, picture)
    const put = (body: string) =>
      server.fetch(`/Trails/4711/Images/${imageId}`, {
        method: 'PUT',
        token: ana.token,
        headers: { 'content-type': 'application/json' },
        body,
      })
    const body = (length: number) => '{"title":"x"}'.padEnd(length)
    assert.equal((await put(body(details))).status, 200)
    const { detail } = await assertProblem(await put(body(details + 1)), 'body-too-large')
    assert.match(detail ?? '', new RegExp(`at most ${details} bytes`))
    const post = (length: number) =>
      server.fetch('/Trails/4711/Images', {
        method: 'POST',
        token: ana.token,
        body: Buffer.concat([picture, Buffer.alloc(length - picture.length)]),
      })
    assert.equal((await post(image)).status, 201)
    const tooLarge = await assertProblem(await post(image + 1), 'image-too-large')
    assert.match(tooLarge.detail ?? '', new RegExp(`${image} bytes`))
  }
})
