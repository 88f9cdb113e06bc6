// HSTS_SUBDOMAINS: Strict-Transport-Security is the same, whichever code writes the response.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test, type TestContext } from 'node:test'
import { jpegPicture } from '../../helpers/pictures.ts'
import { startWaymark } from '../../helpers/waymark.ts'

/** From a hook, from a hot path, from the router, and for an unparsable request. */
async function rulesOf(t: TestContext, environment: Record<string, string>) {
  const waymark = await startWaymark({ environment })
  t.after(() => waymark.close())
  await waymark.addTrail(7, 'Trail')
  const reviewer = await waymark.addPerson({ role: 'reviewer' })
  const imageId = await waymark.upload(reviewer, 7, await jpegPicture())
  await waymark.review(reviewer, imageId, 'approve')
  const rules: (string | null)[] = []
  for (const path of ['/', `/ImageHandler?id=${imageId}&t=sm`, '/health/live', '/nowhere', '/%']) {
    const answer = await waymark.fetch(path)
    await answer.arrayBuffer()
    rules.push(answer.headers.get('strict-transport-security'))
  }
  const { hostname, port } = new URL(waymark.url)
  const socket = connect({ port: Number(port), host: hostname })
  let said = ''
  socket.on('data', (chunk: Buffer) => (said += chunk.toString('latin1')))
  socket.end('no request at all\r\n\r\n')
  await once(socket, 'close')
  rules.push(/^strict-transport-security: (.*)\r$/im.exec(said)?.[1] ?? null)
  return new Set(rules)
}

void test('subdomains of PUBLIC_URL get HSTS only if the operator says so, and only over HTTPS', async (t) => {
  assert.deepEqual(await rulesOf(t, {}), new Set(['max-age=31536000']))
  assert.deepEqual(
    await rulesOf(t, { HSTS_SUBDOMAINS: 'on' }),
    new Set(['max-age=31536000; includeSubDomains']),
  )
  const plain = { HSTS_SUBDOMAINS: 'on', PUBLIC_URL: 'http://trails.example' }
  assert.deepEqual(await rulesOf(t, plain), new Set([null]))
})
