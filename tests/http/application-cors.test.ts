// Which web pages may read responses (D2): those of registered applications for bearer tokens; those of any origin for
// API keys.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { registerClient, removeClient } from '../../src/auth/oauth/oauth-clients.ts'
import { byServer } from '../../src/accounts/audit/audit.ts'
import { startWaymark, type Waymark } from '../helpers/waymark.ts'

const app = 'https://gallery.example'
let waymark: Waymark
let clientId: string

before(async () => {
  waymark = await startWaymark()
  const { accountId } = await waymark.addPerson()
  const client = { accountId, name: 'Gallery', scope: 'images:read', isPublic: true, now: 0 }
  const redirectUris = [`${app}/back`, 'http://127.0.0.1/back']
  ;({ clientId } = await registerClient(waymark.installation.database.db, { ...client, redirectUris }))
})
after(() => waymark.close())

async function preflight(path: string, method: string, origin: string): Promise<string | null> {
  const headers = { origin, 'access-control-request-method': method }
  const answer = await waymark.fetch(path, { method: 'OPTIONS', headers })
  assert.equal(answer.status, 204)
  assert.equal(answer.headers.get('access-control-allow-credentials'), null)
  return answer.headers.get('access-control-allow-origin')
}

void test('D2: endpoints for tokens can be called by pages of registered applications and no others', async () => {
  for (const [path, method] of [
    ['/v2/images', 'GET'],
    ['/Trails/1/Images', 'POST'],
    ['/v2/images/1/review', 'POST'],
    ['/v2/me', 'GET'],
  ] as const) {
    assert.equal(await preflight(path, method, app), app, path)
    for (const other of [
      'https://evil.example',
      'https://gallery.example.evil',
      'http://gallery.example',
      'null',
    ])
      assert.equal(await preflight(path, method, other), null, `${path} ${other}`)
  }
})

void test('D2: a redirect URL on any loopback port does not allow the origins of every port', async () => {
  assert.equal(await preflight('/v2/images', 'GET', 'http://127.0.0.1'), 'http://127.0.0.1')
  assert.equal(await preflight('/v2/images', 'GET', 'http://127.0.0.1:5173'), null)
})

void test('D2: endpoints for browser sessions only cannot be called by any other page', async () => {
  for (const path of ['/v2/me/sessions', '/v2/admin/accounts', '/sign-in', '/sign-out'])
    assert.equal(await preflight(path, 'GET', app), null, path)
})

void test('D2: a response that a registered origin may read has Vary: Origin', async () => {
  const answer = await waymark.fetch('/v2/images', { headers: { origin: app } })
  assert.equal(answer.status, 401)
  assert.equal(answer.headers.get('access-control-allow-origin'), app)
  assert.match(answer.headers.get('vary') ?? '', /\bOrigin\b/)
})

void test('D2: reads by key and images stay open to any page', async () => {
  assert.equal(await preflight('/Trails/1/Images', 'GET', 'https://evil.example'), '*')
})

void test('D2: an application that is removed cannot call anything any more', async () => {
  const { db } = waymark.installation.database
  assert.equal(await preflight('/v2/images', 'GET', app), app)
  await removeClient(db, clientId, { by: byServer, now: 0 })
  assert.equal(await preflight('/v2/images', 'GET', app), null)
})
