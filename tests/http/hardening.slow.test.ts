// Regressions of a security review: connections, log lines and credentials.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, describe, it } from 'node:test'
import sharp from 'sharp'
import { loggerTo } from '../../src/http/server.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { startWaymark, type Person, type Waymark } from '../helpers/waymark.ts'

describe('hardening', () => {
  const lines: string[] = []
  let waymark: Waymark
  let reviewer: Person
  let imageId: number

  before(async () => {
    waymark = await startWaymark({ logger: loggerTo({ write: (line) => lines.push(line) }, 'info') })
    await waymark.addTrail(7, 'Trail')
    reviewer = await waymark.addPerson({ role: 'reviewer' })
    imageId = await waymark.upload(reviewer, 7, await jpegPicture())
    await waymark.review(reviewer, imageId, 'approve')
  })
  after(() => waymark.close())

  it('C28: a token without the scope does not invalidate the key beside it', async () => {
    const key = await waymark.addKey(reviewer.accountId)
    const token = await waymark.tokenFor(reviewer.accountId, 'images:write')
    const withBoth = await waymark.fetch(`/Trails/7/Images?api_key=${key}`, { token })
    assert.equal(withBoth.status, 200)
    assert.equal((await waymark.fetch('/Trails/7/Images', { token })).status, 403)
    assert.equal((await waymark.fetch('/Trails/7/Images?api_key=wm_wrong', { token })).status, 403)
  })

  it('C28: a key that is in the path by mistake is not logged', async () => {
    const key = await waymark.addKey(reviewer.accountId)
    for (const path of [
      `/Trails/7/Images&api_key=${key}`,
      `/nope/${key}`,
      `/Trails/7/Images%3Fapi_key=${key}`,
    ]) {
      assert.equal((await waymark.fetch(path)).status, 404)
    }
    assert.ok(lines.some((line) => line.includes('wm_…')))
    assert.ok(!lines.join('').includes(key.slice(3)))
  })

  it('an unreadable request is answered and its connection closed, even if the client never closes its side', async () => {
    const { hostname, port } = new URL(waymark.url)
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
    let said = ''
    socket.on('data', (chunk) => (said += chunk.toString('latin1')))
    socket.on('error', () => undefined) // the server's reset after its timeout
    const count = () =>
      new Promise<number>((resolve) => {
        waymark.app.server.server.getConnections((_error, open) => resolve(open))
      })
    socket.write('no request at all\r\n\r\n')
    await once(socket, 'end')
    assert.match(said, /^HTTP\/1\.1 400 Bad Request\r\n/)
    assert.match(said, /"status":400/)
    waymark.app.server.server.closeIdleConnections()
    const until = Date.now() + 10_000
    while ((await count()) > 0 && Date.now() < until) await new Promise((resolve) => setImmediate(resolve))
    assert.equal(await count(), 0)
    socket.destroy()
  })

  it('garbage behind a request never appears within its response', async () => {
    // Random pixels do not compress, so the response is far larger than a socket buffer.
    const raw = { width: 1500, height: 1200, channels: 3 } as const
    const noise = await sharp(randomBytes(1500 * 1200 * 3), { raw })
      .png()
      .toBuffer()
    const large = await waymark.upload(reviewer, 7, noise)
    const { hostname, port } = new URL(waymark.url)
    const socket = connect(Number(port), hostname)
    socket.on('error', () => undefined)
    socket.write(`GET /ImageHandler?id=${large} HTTP/1.1\r\nHost: a\r\n\r\n`)
    await once(socket, 'readable') // the response has started, and waits for the reader
    socket.write('GARBAGE\r\n\r\n')
    const chunks: Uint8Array[] = []
    for await (const chunk of socket as AsyncIterable<Uint8Array>) chunks.push(chunk)
    const said = Buffer.concat(chunks)
    assert.ok(said.toString('latin1', 0, 20).startsWith('HTTP/1.1 200'))
    const length = Number(/content-length: (\d+)/i.exec(said.toString('latin1', 0, 2_000))?.[1])
    assert.equal(said.indexOf('HTTP/1.1 400'), said.indexOf('\r\n\r\n') + 4 + length, 'behind the answer')
  })
})
