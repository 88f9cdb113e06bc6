// The commands of contract D4: output as JSON and as text, and exit codes.
import assert from 'node:assert/strict'
import path from 'node:path'
import { describe, test } from 'node:test'
import { openDatabase } from '../../src/database/open-database.ts'
import { migrationNames } from '../database/database-suite.ts'
import { newFolder } from '../helpers/folders.ts'
import { assertOneSentence, done, run, runJson } from './run-waymark.ts'

/** One field of an answer, for use in a later step. */
function field(document: unknown, name: string): string {
  assert.ok(typeof document === 'object' && document !== null && name in document)
  return String((document as Record<string, unknown>)[name])
}

const keyForm = /^wm_[A-Za-z0-9_-]{43}$/

void describe('commands', { concurrency: 2 }, () => {
  void test('migrate creates a fresh installation, and then has nothing to do', async (t) => {
    const options = { dataDir: await newFolder(t) }
    const first = await done(['migrate'], options)
    assert.deepEqual(first, { applied: migrationNames, schema: migrationNames.at(-1) })
    const again = await done(['migrate'], options)
    assert.deepEqual(again, { applied: [], schema: migrationNames.at(-1) })
  })

  void test('trails add prints {"trails": 1}, with --json before or after, and a sentence for people', async (t) => {
    const options = { dataDir: await newFolder(t) }
    const args = ['trails', 'add', '--id', '4711', '--name', 'Rim Trail']
    const before = await run(['--json', ...args], options)
    assert.deepEqual(before, { exitCode: 0, stdout: '{"trails":1}\n', stderr: '' })
    assert.deepEqual(await done(['--json', ...args], options), { trails: 1 })
    const plain = await run([...args, '--slug', 'rim'], options)
    assert.deepEqual(plain, {
      exitCode: 0,
      stdout: 'Trail 4711 is "Rim Trail", with the slug rim.\n',
      stderr: '',
    })
  })

  void test('a failed migration is rolled back completely, so that the next attempt can apply it', async (t) => {
    const dataDir = await newFolder(t)
    const database = await openDatabase({ engine: 'sqlite', file: path.join(dataDir, 'waymark.sqlite') })
    t.after(() => database.close())
    await database.db.schema.createTable('signing_key').addColumn('id', 'text').execute()
    const failed = await run(['migrate'], { dataDir })
    assert.equal(failed.exitCode, 2)
    assertOneSentence(failed.stderr)
    await database.db.schema.dropTable('signing_key').execute()
    assert.deepEqual(await done(['migrate'], { dataDir }), {
      applied: migrationNames,
      schema: migrationNames.at(-1),
    })
  })

  void test('several simultaneous first commands all find a complete schema', async (t) => {
    const options = { dataDir: await newFolder(t) }
    const ids = ['1', '2', '3', '4']
    const answers = await Promise.all(
      ids.map((id) => runJson(['trails', 'add', '--id', id, '--name', `Trail ${id}`], options)),
    )
    for (const answer of answers)
      assert.deepEqual(answer, { exitCode: 0, document: { trails: 1 }, stderr: '' })
  })

  void test('accounts create keeps a given ID and assigns one otherwise', async (t) => {
    const options = { dataDir: await newFolder(t) }
    const ann = ['accounts', 'create', '--email', 'ann@trails.example', '--name', 'Ann', '--id', '42']
    assert.deepEqual(await done(ann, options), { acctID: 42 })
    const plain = await run(['accounts', 'create', '--email', 'ben@trails.example', '--name', 'Ben'], options)
    const id = Number(/^Created account (\d+)\.\n$/.exec(plain.stdout)?.[1])
    assert.ok(id > 0 && Number.isSafeInteger(id), plain.stdout)

    const taken = ['accounts', 'create', '--email', 'ANN@trails.example', '--name', 'Ann']
    const refused = await runJson(taken, options)
    assert.equal(refused.exitCode, 2)
    const message = 'An account with this email address already exists: 42.'
    assert.deepEqual(refused.document, { error: { code: 'invalid-field', message } })
    assert.equal(refused.stderr, `${message}\n`)
  })

  void test('--password-stdin takes one line; an empty one is refused', async (t) => {
    const dataDir = await newFolder(t)
    const create = (email: string) => [
      'accounts',
      'create',
      '--email',
      email,
      '--name',
      'A',
      '--password-stdin',
    ]
    const good = await run(create('a@trails.example'), { dataDir, stdin: 'correct horse\r\nno more of it\n' })
    assert.equal(good.exitCode, 0, good.stderr)
    const refused = await run(create('b@trails.example'), { dataDir, stdin: '\r\n' })
    assert.equal(refused.exitCode, 2)
    assertOneSentence(refused.stderr)
    assert.match(refused.stderr, /password/)
  })

  void test('keys: created and shown once, listed by prefix, revoked once', async (t) => {
    const options = { dataDir: await newFolder(t) }
    await done(['accounts', 'create', '--email', 'a@trails.example', '--name', 'A', '--id', '42'], options)
    const create = ['keys', 'create', '--account', '42', '--name', 'Web site']
    const key = await done(create, options)
    assert.match(field(key, 'apiKey'), keyForm)
    const prefix = field(key, 'prefix')
    assert.deepEqual(Object.keys(key as object), ['apiKey', 'prefix'])
    assert.ok(field(key, 'apiKey').startsWith(prefix))

    const plain = await run([...create, '--expires', '90d'], options)
    const lines = plain.stdout.split('\n')
    assert.equal(lines.filter((line) => keyForm.test(line)).length, 1, 'the key stands on a line of its own')
    assert.match(plain.stdout, /cannot be shown again/)

    assert.deepEqual(await done(['keys', 'revoke', prefix], options), { prefix, revoked: true })
    const again = await runJson(['keys', 'revoke', prefix], options)
    assert.equal(again.exitCode, 2)
    assertOneSentence(again.stderr)

    const listed = (await done(['keys', 'list', '--account', '42'], options)) as {
      keys: Record<string, string>[]
    }
    assert.deepEqual(
      listed.keys.map(({ name, status, expiresAt }) => [name, status, expiresAt !== null]),
      [
        ['Web site', 'revoked', false],
        ['Web site', 'live', true],
      ],
    )
    const days =
      Date.parse(listed.keys[1]?.['expiresAt'] ?? '') - Date.parse(listed.keys[1]?.['createdAt'] ?? '')
    assert.equal(days / 86_400_000, 90)
    const table = await run(['keys', 'list', '--account', '42'], options)
    assert.match(table.stdout, new RegExp(`^PREFIX .*\\n${prefix}  revoked .*Web site\\n`))
    assert.ok(!table.stdout.includes(field(key, 'apiKey')))
  })

  void test('clients: a secret for a confidential one, none for a public one', async (t) => {
    const options = { dataDir: await newFolder(t) }
    await done(['accounts', 'create', '--email', 'a@trails.example', '--name', 'A', '--id', '42'], options)
    const create = [
      'clients',
      'create',
      '--account',
      '42',
      '--name',
      'Uploader',
      '--scope',
      'images:write routes:read',
    ]
    const confidential = await done(create, options)
    assert.deepEqual(Object.keys(confidential as object), ['clientId', 'clientSecret'])
    const plain = await run(create, options)
    assert.match(plain.stdout, /\nclientId {5}wmc_\S+\nclientSecret wms_\S+\n\nStore the secret now/)

    const uris = ['--redirect-uri', 'https://app.example/back', '--redirect-uri', 'http://127.0.0.1/back']
    const isPublic = await done([...create, '--public', ...uris], options)
    assert.deepEqual(Object.keys(isPublic as object), ['clientId'])

    const forDevices = await done([...create, '--public'], options)
    assert.deepEqual(Object.keys(forDevices as object), ['clientId'])
    const ofSite = await done([...create, ...uris], options)
    assert.deepEqual(Object.keys(ofSite as object), ['clientId', 'clientSecret'])

    for (const [more, exitCode] of [
      [['--redirect-uri', 'http://app.example/back'], 2],
      [['--scope', 'images:write bogus'], 2],
    ] as const) {
      const refused = await run([...create, ...more], options)
      assert.deepEqual([refused.exitCode, refused.stdout], [exitCode, ''], more.join(' '))
      assertOneSentence(refused.stderr)
    }
  })

  void test('an unknown account is refused, as JSON and as a sentence', async (t) => {
    const options = { dataDir: await newFolder(t) }
    const refused = await runJson(['keys', 'create', '--account', '43', '--name', 'Web'], options)
    assert.equal(refused.exitCode, 2)
    assertOneSentence(refused.stderr)
    const error = { code: 'invalid-account-id', message: refused.stderr.trimEnd() }
    assert.deepEqual(refused.document, { error })
  })
})
