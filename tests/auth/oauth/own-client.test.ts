// The command line's client exists once there is an admin, and not before (C29, D4).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownClientId } from '../../../src/auth/oauth/own-client.ts'
import { switchReadOnlyOn } from '../../../src/database/read-only.ts'
import { startWaymark, type Waymark } from '../../helpers/waymark.ts'

const begin = (waymark: Waymark) =>
  waymark.fetch('/oauth/device', {
    method: 'POST',
    body: new URLSearchParams({ client_id: ownClientId, scope: 'images:read' }),
  })

const ownerOf = (waymark: Waymark) =>
  waymark.installation.database.db
    .selectFrom('oauth_client')
    .select(['account_id as owner', 'secret_hash as secretHash', 'redirect_uris as redirectUris'])
    .where('id', '=', ownClientId)
    .execute()
    .then((rows) => rows.map((row) => ({ ...row })))

void test('it is created at the first sign-in that names it, once, for the longest-standing admin', async (t) => {
  const waymark = await startWaymark()
  t.after(() => waymark.close())
  assert.equal((await begin(waymark)).status, 401) // there is no admin, so no client
  assert.deepEqual(await ownerOf(waymark), [])
  const first = await waymark.addPerson({ role: 'admin' })
  waymark.system.advance(1_000)
  await waymark.addPerson({ role: 'admin' })
  const answers = await Promise.all([begin(waymark), begin(waymark), begin(waymark)])
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200],
  )
  assert.deepEqual(await ownerOf(waymark), [{ owner: first.accountId, secretHash: null, redirectUris: '[]' }])
})

void test('in read-only mode it is not created, and nothing fails', async (t) => {
  const waymark = await startWaymark()
  t.after(() => waymark.close())
  await waymark.addPerson({ role: 'admin' })
  await switchReadOnlyOn(waymark.installation.database.db, waymark.system.now(), 'moving')
  assert.ok((await begin(waymark)).status < 504)
  assert.deepEqual(await ownerOf(waymark), [])
})
