// The authorization server on a full disk: 507 as an OAuth error, never 500 (C37, trust 5).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { basic, startOauth } from '../../helpers/oauth-harness.ts'

/** More tokens than fit into the database's free pages. */
const maxTokens = 100

void test('C37: a token request while the disk is full gets 507, and succeeds once there is room', async (t) => {
  const oauth = await startOauth()
  t.after(() => oauth.close())
  const { clientId, clientSecret } = await oauth.registerConfidential()
  const ask = (accept = 'application/json') =>
    oauth.post(
      '/oauth/token',
      { grant_type: 'client_credentials' },
      { ...basic(clientId, clientSecret), accept },
    )

  // No additional pages: SQLite reports it like a full disk.
  await sql`pragma max_page_count = 1`.execute(oauth.db)
  let answer = await ask()
  for (let tokens = 0; answer.status === 200 && tokens < maxTokens; tokens += 1) answer = await ask()
  assert.equal(answer.status, 507)
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  assert.deepEqual(await answer.json(), {
    error: 'temporarily_unavailable',
    error_description: 'Insufficient Storage',
  })
  const page = await ask('text/html')
  assert.deepEqual([page.status, page.headers.get('content-type')], [507, 'text/html; charset=utf-8'])
  assert.match(await page.text(), /Insufficient Storage/)
  assert.equal(oauth.faults.length, 2) // both are reported to the operator

  await sql`pragma max_page_count = 1000000`.execute(oauth.db)
  assert.equal((await ask()).status, 200)
})
