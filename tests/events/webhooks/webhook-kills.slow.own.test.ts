// SIGKILL of the server between and during webhook attempts: nothing is lost, and each delivery is made once (issue 6).
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { test } from 'node:test'
import { leaseMs } from '../../../src/events/webhooks/deliver.ts'
import type { DeliverySet, MadeWebhook } from '../../../src/shared/v2/webhook-schemas.ts'
import { done, startServer } from '../../cli/run-waymark.ts'
import { newFolder } from '../../helpers/folders.ts'
import { isSigned, startReceiver } from './receiver.ts'

const events = 4
const failures = 5

/** An attempt that a kill breaks off is repeated once its lease has expired. */
const patienceMs = leaseMs + 30_000

async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = performance.now() + patienceMs
  while (!(await isSo())) {
    assert.ok(performance.now() < end, `waited in vain for ${what}`)
    await pause(50)
  }
}

void test('a receiver that fails five times, and a server killed after each: one completed delivery of each event', async (t) => {
  const options = {
    dataDir: await newFolder(t),
    settings: { WEBHOOK_ALLOW: '127.0.0.0/8', WEBHOOK_BACKOFF: '1 '.repeat(15).trim() },
  }
  await done(['accounts', 'create', '--email', 'ann@trails.example', '--name', 'Ann', '--id', '42'], options)
  const client = [
    'clients',
    'create',
    '--account',
    '42',
    '--name',
    'Test',
    '--scope',
    'routes:read routes:write',
  ]
  const { clientId, clientSecret } = (await done(client, options)) as Record<string, string>
  let server = await startServer(t, options)
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
  const granted = await fetch(`${server.url}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  })
  const { access_token: token } = (await granted.json()) as { access_token: string }
  const call = async (path: string, body?: object): Promise<unknown> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) }
    const answer = await fetch(server.url + path, init)
    assert.ok(answer.ok, `${path} answered ${answer.status}`)
    return answer.json()
  }

  const taken: string[] = []
  // Responses are held until the server is killed: after a 200 that was not stored, it would send again, as
  // docs/webhooks.md says.
  const held = new Set<string>()
  let phase: 'failing' | 'silent' | 'taking' = 'failing'
  const receiver = await startReceiver((work) => t.after(work))
  receiver.answer = (response) => {
    const id = String(receiver.received.at(-1)?.headers['webhook-id'])
    if (phase === 'failing') return void response.writeHead(500).end()
    if (phase === 'silent') return void held.add(id)
    taken.push(id)
    response.end()
  }
  const { id, secret } = (await call('/v2/webhooks', { url: receiver.url, events: ['*'] })) as MadeWebhook
  const deliveries = async () => ((await call(`/v2/webhooks/${id}/deliveries`)) as DeliverySet).items

  for (let made = 0; made < events; made += 1) {
    await call('/v2/accounts/42/routes', { name: `Route ${made}`, visibility: 'private' })
  }
  for (let round = 1; round <= failures; round += 1) {
    const isTried = async () => {
      const all = await deliveries()
      return all.length === events && all.every(({ attempts }) => attempts.length >= round)
    }
    await until(isTried, `attempt ${round} at all`)
    if (round === failures) phase = 'silent'
    await server.kill()
    held.clear()
    server = await startServer(t, options)
  }
  await until(() => held.size === events, 'the attempts that are not answered')
  await server.kill()
  phase = 'taking'
  server = await startServer(t, options)
  await until(async () => (await deliveries()).every(({ state }) => state === 'delivered'), 'all to be done')

  const all = await deliveries()
  assert.equal(all.length, events)
  assert.ok(all.every(({ attempts }) => attempts.length > failures))
  assert.equal(new Set(all.map(({ position }) => position)).size, events)
  assert.deepEqual(
    taken.toSorted(),
    all.map((delivery) => `msg_${delivery.id}`).toSorted(),
    'each was taken once',
  )
  assert.ok(receiver.received.every((received) => isSigned(received, secret)))
  const before = receiver.received.length
  await pause(2_500)
  assert.equal(receiver.received.length, before, 'and nothing comes after')
})
