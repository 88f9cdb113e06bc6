// Whether an account exists is not revealed: by responses, by their timing, or by side effects of faults.
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import type { Environment } from '../../src/settings/config.ts'
import { fileOf } from '../../src/settings/database-settings.ts'
import { switchReadOnlyOn } from '../../src/database/read-only.ts'
import { startMailServer } from '../helpers/mail-server.ts'
import { addMember, createVisitor } from '../helpers/visitor.ts'
import { startWaymark } from '../helpers/waymark.ts'

async function started(t: TestContext, environment: Environment = {}) {
  const mail = await startMailServer()
  t.after(() => mail.close())
  const waymark = await startWaymark({ environment: { SIGN_UP: 'open', SMTP_URL: mail.url, ...environment } })
  t.after(() => waymark.close())
  const { email } = await addMember(waymark)
  return { mail, waymark, known: email, visitor: createVisitor(waymark) }
}

for (const path of ['/reset', '/sign-up']) {
  for (const who of ['somebody with an account', 'a stranger']) {
    void test(`${path}: ${who} is refused before anything is looked up or written`, async (t) => {
      const { mail, waymark, known, visitor } = await started(t)
      const email = who === 'a stranger' ? 'stranger@trails.example' : known
      // Another process holds the write lock: everything that must write before responding does not respond.
      const other = new DatabaseSync(fileOf(waymark.installation.config.databasePlace))
      other.exec('begin immediate')
      const late = new Promise<'late'>((resolve) => setTimeout(resolve, 3_000, 'late').unref())
      const outcome = await Promise.race([visitor.post(path, { email }), late])
      other.exec('rollback')
      other.close()
      assert.equal(outcome === 'late' ? outcome : outcome.status, 200)
      const isMailed = path === '/sign-up' || who !== 'a stranger'
      if (isMailed) await mail.linkFor(email)
    })
  }

  void test(`${path}: in read-only mode both addresses get the same refusal`, async (t) => {
    const { waymark, known, visitor } = await started(t)
    await switchReadOnlyOn(waymark.installation.database.db, 0, '')
    for (const email of [known, 'stranger@trails.example'])
      assert.equal((await visitor.post(path, { email })).status, 503, email)
  })
}

void test('an address that is taken is reported without the ID of its account', async (t) => {
  const waymark = await startWaymark({ environment: { SIGN_UP: 'open' } })
  t.after(() => waymark.close())
  const { email, accountId } = await addMember(waymark)
  const form = { email: email.toUpperCase(), name: 'Ann', password: 'a long walk home' }
  const answer = await createVisitor(waymark).post('/sign-up', form)
  assert.equal(answer.status, 400)
  assert.match(answer.text, /already exists. Sign in/)
  assert.doesNotMatch(answer.text, new RegExp(String(accountId)))
})
