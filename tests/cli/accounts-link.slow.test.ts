// waymark accounts link and unlink: output, refusals, and entries in the audit (C29, D4).
import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { openDatabase } from '../../src/database/open-database.ts'
import { newFolder } from '../helpers/folders.ts'
import { assertOneSentence, done, run } from './run-waymark.ts'

const issuer = 'https://id.example'

void test('D4: accounts link and unlink', async (t) => {
  const settings = { TRUSTED_ISSUERS: JSON.stringify([{ issuer, audience: 'trails' }]) }
  const options = { dataDir: await newFolder(t), settings }
  await done(['accounts', 'create', '--email', 'ann@trails.example', '--name', 'Ann', '--id', '42'], options)
  const who = ['--issuer', issuer, '--subject', 'a-1']
  const linked = { acctID: 42, issuer, subject: 'a-1' }
  assert.deepEqual(await done(['accounts', 'link', '--account', '42', ...who], options), linked)

  const [unknown, noUrl, elsewhere] = await Promise.all([
    run(['accounts', 'link', '--account', '44', ...who], options),
    run(['accounts', 'link', '--account', '42', '--issuer', 'id.example', '--subject', 'x'], options),
    run(['accounts', 'link', '--account', '42', '--issuer', `${issuer}/`, '--subject', 'x'], options),
  ])
  for (const { stderr } of [unknown, noUrl, elsewhere]) assertOneSentence(stderr)
  assert.deepEqual([unknown.exitCode, noUrl.exitCode, elsewhere.exitCode], [2, 1, 0])
  assert.match(noUrl.stderr, /^--issuer must be an https URL/)
  assert.match(elsewhere.stderr, /^TRUSTED_ISSUERS does not contain https:\/\/id\.example\/:/)
  assert.equal(elsewhere.stdout, `Linked account 42 to x of ${issuer}/.\n`)

  assert.deepEqual(await done(['accounts', 'unlink', ...who], options), linked)
  const again = await run(['accounts', 'unlink', ...who], options)
  assert.deepEqual(again, {
    exitCode: 2,
    stdout: '',
    stderr: `No account is linked to a-1 of ${issuer}.\n`,
  })

  const database = await openDatabase({
    engine: 'sqlite',
    file: path.join(options.dataDir, 'waymark.sqlite'),
  })
  t.after(() => database.close())
  const rows = await database.db
    .selectFrom('audit')
    .select(['action', 'via', 'account_id as accountId', 'detail'])
    .where('action', 'like', '%linked')
    .orderBy('position')
    .execute()
  const entry = (action: string, subject: string, from = issuer) => ({
    action,
    via: 'command',
    accountId: 42,
    detail: JSON.stringify({ issuer: from, subject }),
  })
  assert.deepEqual(
    rows.map(({ action, via, accountId, detail }) => ({ action, via, accountId, detail })),
    [
      entry('account.linked', 'a-1'),
      entry('account.linked', 'x', `${issuer}/`),
      entry('account.unlinked', 'a-1'),
    ],
  )
})
