// Scheduled backups of real server processes: killed in between, several nodes, PostgreSQL and S3.
import assert from 'node:assert/strict'
import { watch } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { openDatabase } from '../../../../src/database/open-database.ts'
import { readConfig } from '../../../../src/settings/config.ts'
import { openBackupTarget } from '../../../../src/operations/backup/scheduled/backup-target.ts'
import { verifyBackup } from '../../../../src/operations/backup/scheduled/verify-backup.ts'
import { readManifest } from '../../../../src/operations/backup/manifest.ts'
import { openZip } from '../../../../src/operations/backup/zip-reader.ts'
import { readZip } from '../../../helpers/backups.ts'
import { newFolder } from '../../../helpers/folders.ts'
import { startPostgres, whyNoPostgres } from '../../../helpers/postgres.ts'
import { blobUrlBelow, startSwift, whyNoSwift } from '../../../helpers/swift.ts'
import { done, runJson, startServer } from '../../../cli/run-waymark.ts'
import {
  backupProcessesOf,
  fill,
  killIfThere,
  makeDue,
  sampleOf,
  successOf,
  untilFailed,
  untilMade,
  type Settings,
} from './servers.ts'

async function assertWhole(file: string): Promise<void> {
  const [first] = await readZip(file)
  assert.ok(first)
  const zip = await openZip(file)
  const { signal } = new AbortController()
  const written = readManifest(first[1], file)
  await verifyBackup(zip, { file, written, photosToRead: Infinity, signal, rest: async () => {} })
  zip.close()
}

const appears = (folder: string, ending: string) => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const watcher = watch(folder, (_, name) => {
    if (name?.endsWith(ending) === true) resolve()
  })
  return { promise, end: () => watcher.close() }
}

async function newTarget(t: TestContext) {
  const folder = await newFolder(t)
  const to = path.join(folder, 'backups')
  await mkdir(to)
  return { folder, to, dataDir: path.join(folder, 'data') }
}

void test('killed midway, a backup leaves nothing that looks complete, and the next start makes it again', async (t) => {
  const { to, dataDir } = await newTarget(t)
  const settings = { BACKUP_SCHEDULE: '15 3 * * *', BACKUP_TO: to }
  await fill(dataDir, {}, 25)
  const victims = ['server', 'process', 'server', 'process', 'both', 'stop'] as const
  let interrupted = 0
  for (const victim of victims) {
    await makeDue(dataDir, {})
    const before = (await readdir(to)).filter((name) => name.endsWith('.zip')).length
    const partial = appears(to, '.partial')
    const server = await startServer(t, { dataDir, settings })
    await partial.promise
    partial.end()
    const pids = await backupProcessesOf(server.pid)
    if (victim !== 'server' && victim !== 'stop') pids.forEach(killIfThere)
    if (victim === 'stop') assert.equal(await server.stop(), 0)
    else await server.kill()
    const whole = (await readdir(to)).filter((name) => name.endsWith('.zip'))
    if (whole.length === before) interrupted += 1
    for (const name of whole) await assertWhole(path.join(to, name))
  }
  t.diagnostic(`${interrupted} of ${victims.length} were interrupted`)
  assert.ok(interrupted >= 3, `${interrupted} of ${victims.length} were interrupted`)
  await makeDue(dataDir, {})
  const server = await startServer(t, { dataDir, settings })
  await untilMade(server.url)
  assert.equal(await server.stop(), 0)
  const names = await readdir(to)
  assert.ok(
    names.every((name) => name.endsWith('.zip')),
    `left: ${names.join(' ')}`,
  )
  for (const name of names) await assertWhole(path.join(to, name))
  // The last success survives a restart, so no other backup is due.
  const again = await startServer(t, { dataDir, settings })
  assert.ok((await successOf(again.url)) > 0)
  assert.equal(await again.stop(), 0)
  assert.deepEqual(await readdir(to), names)
})

void test('of two nodes on PostgreSQL, only one makes the backup', { skip: whyNoPostgres() }, async (t) => {
  const { to, folder } = await newTarget(t)
  const postgres = await startPostgres()
  t.after(() => postgres.end())
  const DATABASE_URL = await postgres.createDatabase({ isEmpty: true })
  const shared = { DATABASE_URL, BLOB_URL: '', SECRET_FILE: path.join(folder, 'secret') }
  const one = path.join(folder, 'one')
  const first = await startServer(t, { dataDir: one, settings: shared })
  assert.equal(await first.stop(), 0)
  await makeDue(one, shared)
  const settings = { ...shared, BACKUP_SCHEDULE: '15 3 * * *', BACKUP_TO: to }
  const nodes = await Promise.all(
    ['one', 'two', 'three'].map((name) => startServer(t, { dataDir: path.join(folder, name), settings })),
  )
  for (const { url } of nodes) await untilMade(url)
  const runs = await Promise.all(
    nodes.map(({ url }) => sampleOf(url, 'waymark_job_last_run_timestamp_seconds{name="backup"}')),
  )
  assert.equal(runs.filter((at) => at > 0).length, 1, `ran at ${runs.join(' ')}`)
  for (const node of nodes) assert.equal(await node.stop(), 0)
  const names = await readdir(to)
  assert.equal(names.length, 1)
  await assertWhole(path.join(to, names[0] ?? ''))
  const drilled = await done(['drill', 'latest'], {
    dataDir: path.join(folder, 'elsewhere'),
    settings: { BACKUP_TO: to },
  })
  assert.match(JSON.stringify(drilled), /"ok":true.*"secret":"included"/)
})

void test(
  'to S3: uploaded in parts, verified, pruned, and read back by a drill',
  { skip: whyNoSwift() },
  async (t) => {
    const { dataDir } = await newTarget(t)
    const swift = await startSwift()
    t.after(() => swift.end())
    Object.assign(process.env, swift.environment) // for the target that this test opens
    const to = blobUrlBelow(swift.blobUrl, 'backups')
    const settings = { ...swift.environment, BACKUP_SCHEDULE: '15 3 * * *', BACKUP_TO: to, BACKUP_KEEP: '2' }
    await fill(dataDir, {}, 30)
    const { backupPlace } = readConfig({ BACKUP_TO: to })
    assert.ok(backupPlace)
    const target = await openBackupTarget(backupPlace)
    t.after(() => target.close())
    let seen: string[] = []
    for (let night = 1; night <= 3; night += 1) {
      await makeDue(dataDir, {})
      const server = await startServer(t, { dataDir, settings })
      await untilMade(server.url)
      assert.equal(await server.stop(), 0)
      seen = [...new Set([...seen, ...(await target.list())])].toSorted()
      assert.equal(seen.length, night)
    }
    assert.deepEqual((await target.list()).toSorted(), seen.slice(-2))
    const drilled = await done(['drill', 'latest'], { dataDir, settings })
    assert.match(JSON.stringify(drilled), /"ok":true.*"images":30.*"secret":"included"/)
    // An unfinished upload is not a backup, and is removed by the next one.
    await assert.rejects(
      target.write(seen.at(-1) ?? '', 0, async (sink) => {
        await sink(Buffer.alloc(9_000_000))
        throw new Error('cut off')
      }),
      /cut off/,
    )
    assert.deepEqual((await target.list()).toSorted(), seen.slice(-2))
  },
)

interface Checked {
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly detail: string }[]
}

void test('doctor and metrics report a success, a failure, and a disk without space', async (t) => {
  const { to, dataDir } = await newTarget(t)
  const settings = { BACKUP_SCHEDULE: '15 3 * * *', BACKUP_TO: to }
  const backupCheck = async (others: Settings = settings) => {
    const { document } = await runJson(['doctor'], { dataDir, settings: others })
    const found = (document as Checked).checks.find(({ name }) => name === 'backup')
    return [found?.ok, found?.detail ?? '']
  }
  const [isOff, off] = await backupCheck({})
  assert.deepEqual([isOff, /BACKUP_SCHEDULE is off/.test(String(off))], [true, true])
  await fill(dataDir, {}, 1)
  await makeDue(dataDir, {})
  const [isOkBefore, before] = await backupCheck()
  assert.deepEqual([isOkBefore, /A backup has been due since 1970/.test(String(before))], [false, true])
  const server = await startServer(t, { dataDir, settings })
  await untilMade(server.url)
  assert.equal(await server.stop(), 0)
  const [isOk, detail] = await backupCheck()
  assert.equal(isOk, true)
  assert.match(
    String(detail),
    /The last backup was made at .*waymark-[0-9a-f]{8}-.*The next one is due at .*same disk/,
  )
  const [isThere, missing] = await backupCheck({ ...settings, BACKUP_TO: `${to}-not-mounted` })
  assert.deepEqual(
    [isThere, /is not a folder: create it, or mount its disk/.test(String(missing))],
    [false, true],
  )

  // As with a petabyte of photos.
  const { databasePlace } = readConfig({ DATA_DIR: dataDir })
  const { db, close } = await openDatabase(databasePlace)
  await db.updateTable('content').set({ bytes: 1e15, original: 'whole' }).execute()
  await close()
  await makeDue(dataDir, {})
  const full = await startServer(t, { dataDir, settings })
  await untilFailed(full.url)
  assert.equal(await full.stop(), 0)
  const [isGood, reported] = await backupCheck()
  assert.equal(isGood, false)
  assert.match(
    String(reported),
    /The disk of \S+ has [\d,]+ MB free, but a backup needs [\d,]+ MB: free up space, for example by deleting old backups, and/,
  )
  assert.equal((await readdir(to)).length, 1)
})
