// Who may read GET /metrics (contract D3, setting METRICS_ALLOW).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertProblem } from '../helpers/problems.ts'
import { startWaymark, type Waymark } from '../helpers/waymark.ts'

const waymark = await startWaymark()
after(() => waymark.close())

const ask = async (
  from: Waymark,
  remoteAddress: string,
  headers: Record<string, string> = {},
): Promise<number> => (await from.app.server.inject({ url: '/metrics', remoteAddress, headers })).statusCode

void test('D3: by default, only the machine itself may read the metrics', async () => {
  for (const near of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'])
    assert.equal(await ask(waymark, near), 200, near)
  for (const far of ['10.0.0.1', '203.0.113.7', '2001:db8::1', '::ffff:10.0.0.1', '128.0.0.1'])
    assert.equal(await ask(waymark, far), 403, far)
})

void test('D3: a proxy on the same machine does not expose them to the world', async () => {
  const passedOn = {
    'x-forwarded-for': '127.0.0.1',
    forwarded: 'for=127.0.0.1',
    'x-real-ip': '127.0.0.1',
    via: '1.1 proxy',
    'x-forwarded-proto': 'https',
  }
  for (const [name, value] of Object.entries(passedOn))
    assert.equal(await ask(waymark, '127.0.0.1', { [name]: value }), 403, name)
  const answer = await waymark.fetch('/metrics', { headers: { 'x-forwarded-for': '127.0.0.1' } })
  const problem = await assertProblem(answer, 'forbidden')
  assert.equal(problem.detail, 'The setting METRICS_ALLOW does not list this address.')
})

void test('D3: a page of another origin, open on the operator’s machine, cannot read them', async () => {
  const page = await waymark.fetch('/metrics', { headers: { origin: 'https://evil.example' } })
  assert.equal(page.headers.get('access-control-allow-origin'), null)
})

void test('D3: behind a proxy that TRUST_PROXY lists, the address it reports decides', async (t) => {
  const proxied = await startWaymark({
    environment: { TRUST_PROXY: '127.0.0.1', METRICS_ALLOW: '10.1.0.0/16 2001:db8::7' },
  })
  t.after(() => proxied.close())
  const by = (address: string) => ask(proxied, '127.0.0.1', { 'x-forwarded-for': address })
  assert.equal(await by('10.1.2.3'), 200)
  assert.equal(await by('2001:db8::7'), 200)
  assert.equal(await by('10.2.2.3'), 403)
  assert.equal(await by('10.1.2.3, 203.0.113.9'), 403)
  assert.equal(await by('nonsense'), 403)
  assert.equal(await ask(proxied, '127.0.0.1'), 403)
  assert.equal(await ask(proxied, '10.1.2.3'), 200)
  assert.equal(await ask(proxied, '10.1.2.3', { 'x-forwarded-for': '10.1.2.3' }), 403)
})
