// The fingerprint of the server's secret is stored in its database, so every command notices another secret, no matter
// which user runs it.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { openDatabase } from '../../../src/database/open-database.ts'
import type { Database } from '../../../src/database/database.ts'
import { readZip } from '../../helpers/backups.ts'
import { newFolder } from '../../helpers/folders.ts'
import { takeSchemaBack } from '../../helpers/older-schema.ts'
import { whyNotAs } from '../../helpers/tools.ts'
import { startWaymark } from '../../helpers/waymark.ts'
import { assertOneSentence, done, run, runJson } from '../../cli/run-waymark.ts'

const line = (letter: string): string => `${letter.repeat(43)}\n`

async function startedInstallation(t: TestContext) {
  const folder = await newFolder(t)
  const dataDir = path.join(folder, 'data')
  const waymark = await startWaymark({ dataDir })
  await waymark.close()
  return { folder, dataDir, secretFile: path.join(dataDir, 'secret') }
}

async function withDatabase<T>(dataDir: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase({ engine: 'sqlite', file: path.join(dataDir, 'waymark.sqlite') })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

const noted = (dataDir: string): Promise<string | undefined> =>
  withDatabase(dataDir, async ({ db }) => {
    const row = await db
      .selectFrom('installation_fact')
      .select('value')
      .where('name', '=', 'secret-fingerprint')
      .executeTakeFirst()
    return row?.value
  })

function secretCheckOf(document: unknown): string {
  const { checks } = document as { checks: { name: string; ok: boolean; detail: string }[] }
  const found = checks.find(({ name }) => name === 'secret')
  return found?.ok === false ? found.detail : ''
}

const writeSecret = (file: string, content: string) => writeFile(file, content, { mode: 0o600 })

void test('a wrong secret is refused by serve, backup, check and doctor, even when nothing is sealed with it', async (t) => {
  const { folder, dataDir, secretFile } = await startedInstallation(t)
  const fingerprint = await noted(dataDir)
  assert.match(fingerprint ?? '', /^[0-9a-f]{64}$/)
  await withDatabase(dataDir, ({ db }) => db.deleteFrom('signing_key').execute())
  const own = await readFile(secretFile, 'utf8')
  assert.ok(!own.includes(fingerprint ?? ''))
  for (const content of [line('x'), undefined]) {
    if (content === undefined) await rm(secretFile)
    else await writeSecret(secretFile, content)
    const sentence =
      content === undefined ? /SECRET_FILE \S+ does not exist, but/ : /contains a different secret than/
    const start = await run(['serve'], { dataDir })
    assertOneSentence(start.stderr)
    assert.match(start.stderr, sentence)
    assert.equal(start.exitCode, 2)
    const backup = await runJson(['backup', path.join(folder, 'no.zip')], { dataDir })
    assert.deepEqual([backup.exitCode, existsSync(path.join(folder, 'no.zip'))], [2, false])
    assert.match(backup.stderr, sentence)
    const check = await run(['check'], { dataDir })
    assert.equal(check.exitCode, 2)
    assert.match(check.stdout, new RegExp(`PROBLEM .*${sentence.source}`))
    const doctor = await runJson(['doctor'], { dataDir })
    assert.equal(doctor.exitCode, 2)
    assert.ok(sentence.test(secretCheckOf(doctor.document)))
  }
  assert.equal(existsSync(secretFile), false, 'no command has made a secret')
  await writeSecret(secretFile, own)
  await done(['check'], { dataDir })
})

void test('a secret is rotated with a file of two lines, and then the old one is refused', async (t) => {
  const { folder, dataDir, secretFile } = await startedInstallation(t)
  const old = await readFile(secretFile, 'utf8')
  const before = await noted(dataDir)
  await writeSecret(secretFile, `${line('n')}${old}`)
  await done(['backup', path.join(folder, 'both.zip')], { dataDir })
  assert.equal(await noted(dataDir), before, 'a backup changes nothing')
  await (await startWaymark({ dataDir })).close()
  assert.notEqual(await noted(dataDir), before)
  await writeSecret(secretFile, line('n'))
  await done(['backup', path.join(folder, 'new.zip')], { dataDir })
  await (await startWaymark({ dataDir })).close()
  await writeSecret(secretFile, old)
  const refused = await runJson(['backup', path.join(folder, 'old.zip')], { dataDir })
  assert.deepEqual([refused.exitCode, existsSync(path.join(folder, 'old.zip'))], [2, false])
})

void test('an installation of an older version records its secret at the first start that opens its keys', async (t) => {
  const { folder, dataDir, secretFile } = await startedInstallation(t)
  const own = await readFile(secretFile, 'utf8')
  await withDatabase(dataDir, ({ db }) => takeSchemaBack(db, '0027-outbox-pending', folder))
  await done(['backup', path.join(folder, 'older.zip')], { dataDir })
  const [[, manifest] = []] = await readZip(path.join(folder, 'older.zip'))
  assert.match(String(manifest), /"secret": "included",\s+"secretFingerprint": "[0-9a-f]{64}"/)
  await writeSecret(secretFile, line('x'))
  const start = await run(['serve'], { dataDir })
  assertOneSentence(start.stderr)
  assert.match(start.stderr, /encrypted with a different secret/)
  assert.equal(await noted(dataDir), undefined, 'a secret that opens nothing is not noted')
  await writeSecret(secretFile, own)
  await (await startWaymark({ dataDir })).close()
  assert.match((await noted(dataDir)) ?? '', /^[0-9a-f]{64}$/)
})

void test('a restore beside a different secret is refused, and a backup without one says so in its manifest', async (t) => {
  const { folder, dataDir, secretFile } = await startedInstallation(t)
  const [whole, bare] = [path.join(folder, 'whole.zip'), path.join(folder, 'bare.zip')]
  await done(['backup', whole], { dataDir })
  const report = await done(['backup', bare, '--without-secret'], { dataDir })
  assert.match(JSON.stringify(report), /"hasSecret":false,"secret":"left-out"/)
  const [[, manifest] = []] = await readZip(bare)
  assert.match(String(manifest), /"secret": "left-out",\s+"secretFingerprint": "[0-9a-f]{64}"/)
  const other = path.join(folder, 'other-secret')
  await writeSecret(other, line('o'))
  const restoredDir = path.join(folder, 'restored')
  for (const file of [whole, bare]) {
    const settings = { SECRET_FILE: other }
    const refused = await runJson(['restore', file], { dataDir: restoredDir, settings })
    assert.equal(refused.exitCode, 2)
    assert.match(refused.stderr, /SECRET_FILE \S+ contains a different secret than/)
    assert.equal(existsSync(path.join(restoredDir, 'waymark.sqlite')), false)
    assert.equal(await readFile(other, 'utf8'), line('o'))
  }
  const fitting = path.join(folder, 'fitting-secret')
  await copyFile(secretFile, fitting)
  const kept = await done(['restore', bare], { dataDir: restoredDir, settings: { SECRET_FILE: fitting } })
  assert.match(JSON.stringify(kept), /"secret":"kept"/)
})

void test('a permanently lost secret is forgotten only by an explicit command', async (t) => {
  const { dataDir, secretFile } = await startedInstallation(t)
  const own = await runJson(['secret', 'forget'], { dataDir })
  assert.equal(own.exitCode, 2)
  assert.match(own.stderr, /is the secret of this installation/)
  await rm(secretFile)
  assert.equal((await run(['serve'], { dataDir })).exitCode, 2)
  assert.deepEqual(await done(['secret', 'forget'], { dataDir }), { forgotten: true })
  const again = await startWaymark({ dataDir })
  await again.close()
  assert.ok(existsSync(secretFile))
  await done(['check'], { dataDir })
})

const nobody = 65_534

void test(
  'a user who cannot read the secret gets an error and no file',
  { skip: whyNotAs(nobody) },
  async (t) => {
    const { folder, dataDir, secretFile } = await startedInstallation(t)
    const elsewhere = path.join(folder, 'handed-over')
    await copyFile(secretFile, elsewhere)
    await chmod(elsewhere, 0o600)
    await rm(secretFile)
    for (const place of [folder, dataDir]) await chmod(place, 0o755)
    for (const name of ['.', ...(await readdir(dataDir, { recursive: true }))])
      await chown(path.join(dataDir, name), nobody, nobody)
    const target = path.join(dataDir, 'backup.zip')
    const entry = path.resolve(import.meta.dirname, '../../../bin/waymark.cjs')
    const env = { PATH: process.env['PATH'], DATA_DIR: dataDir, SECRET_FILE: elsewhere }
    const child = spawn(process.execPath, [entry, 'backup', target], {
      env,
      uid: nobody,
      gid: nobody,
      cwd: '/',
    })
    const [stderr, [exitCode]] = await Promise.all([
      text(child.stderr),
      once(child, 'close') as Promise<[number | null]>,
    ])
    assertOneSentence(stderr)
    assert.match(stderr, /SECRET_FILE \S+ cannot be read by this user: run the command as root or/)
    assert.deepEqual([exitCode, existsSync(target), existsSync(`${target}.partial`)], [2, false, false])
  },
)
