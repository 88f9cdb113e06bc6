// Scheduled backups of a running server: schedule, retention, reports, and failures.
import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { openZip } from '../../../../src/operations/backup/zip-reader.ts'
import { verifyBackup } from '../../../../src/operations/backup/scheduled/verify-backup.ts'
import { readManifest } from '../../../../src/operations/backup/manifest.ts'
import { readZip, restoreInto, writeZip } from '../../../helpers/backups.ts'
import { filesBelow, newFolder } from '../../../helpers/folders.ts'
import { parseScrape } from '../../../helpers/metrics.ts'
import { jpegPicture } from '../../../helpers/pictures.ts'
import { addSignedIn } from '../../../helpers/visitor.ts'
import { startWaymark, type Waymark } from '../../../helpers/waymark.ts'

const hour = 3_600_000
const day = 24 * hour

async function startScheduled(t: TestContext, environment: Record<string, string> = {}) {
  const folder = await newFolder(t)
  const to = path.join(folder, 'backups')
  await mkdir(to)
  const dataDir = path.join(folder, 'data')
  const start = () =>
    startWaymark({
      dataDir,
      environment: { BACKUP_SCHEDULE: '15 3 * * *', BACKUP_TO: to, BACKUP_KEEP: '3', ...environment },
    })
  return { folder, to, dataDir, start }
}

function backupsOf({ app }: Waymark) {
  const { backups } = app.services
  assert.ok(backups)
  return backups
}

async function readMetric(waymark: Waymark, name: string): Promise<number | undefined> {
  const response = await waymark.fetch('/metrics')
  return parseScrape(await response.text()).samples.get(name)
}

const runIfDue = (waymark: Waymark): Promise<void> => backupsOf(waymark).job.runIfDue()

async function assertWhole(file: string): Promise<void> {
  const [first] = await readZip(file)
  assert.ok(first)
  const zip = await openZip(file)
  const { signal } = new AbortController()
  const rest = async (): Promise<void> => {}
  await verifyBackup(zip, {
    file,
    written: readManifest(first[1], file),
    photosToRead: Infinity,
    signal,
    rest,
  })
  zip.close()
}

void test('a backup is made once when it is due, and after a restart only if due', async (t) => {
  const { to, dataDir, folder, start } = await startScheduled(t)
  const waymark = await start() // at 09:08
  const ann = await waymark.addPerson()
  await waymark.addTrail(7, 'Rim Trail')
  await waymark.upload(ann, 7, await jpegPicture())
  await runIfDue(waymark)
  assert.deepEqual(await readdir(to), [], 'not before 03:15')
  assert.equal(await readMetric(waymark, 'waymark_backup_last_success_timestamp_seconds'), 0)
  const { dueAt } = await backupsOf(waymark).status()
  assert.equal(new Date(dueAt).toISOString(), '2026-05-15T03:15:00.000Z')

  waymark.system.advance(dueAt - waymark.system.now())
  await runIfDue(waymark)
  await runIfDue(waymark)
  const [name = '', ...others] = await readdir(to)
  assert.match(name, /^waymark-[0-9a-f]{8}-20260515T031500Z\.zip$/)
  assert.deepEqual(others, [])
  await assertWhole(path.join(to, name))
  const seconds = await readMetric(waymark, 'waymark_backup_last_success_timestamp_seconds')
  assert.equal(seconds, waymark.system.now() / 1_000)
  assert.ok(((await readMetric(waymark, 'waymark_backup_last_bytes')) ?? 0) > 10_000)
  const next = await readMetric(waymark, 'waymark_backup_due_timestamp_seconds')
  assert.equal(next, Date.UTC(2026, 4, 16, 3, 15) / 1_000)
  await waymark.close()

  const again = await start()
  again.system.advance(dueAt + hour - again.system.now())
  await runIfDue(again)
  assert.equal((await readdir(to)).length, 1)
  assert.equal(await readMetric(again, 'waymark_backup_last_success_timestamp_seconds'), seconds)
  // After several nights without a server, the next start makes one backup.
  again.system.advance(3 * day)
  await runIfDue(again)
  await runIfDue(again)
  assert.equal((await readdir(to)).length, 2)
  await again.close()
  // What was read back is distinguished from what was written.
  const bytes = await readFile(path.join(to, name))
  const damaged = path.join(folder, 'damaged.zip')
  for (const at of [1_000, Math.floor(bytes.length / 2)]) {
    const copy = Buffer.from(bytes)
    copy[at] = (copy[at] ?? 0) ^ 1
    await writeFile(damaged, copy)
    await assert.rejects(assertWhole(damaged), /is damaged/)
  }
  const files = await readZip(path.join(to, name))
  for (const lost of ['secret', 'database.sqlite', files.at(-1)?.[0]]) {
    await writeZip(
      damaged,
      files.filter(([one]) => one !== lost),
    )
    await assert.rejects(assertWhole(damaged), /is damaged/)
  }
  const restored = await restoreInto(path.join(folder, 'restored'), path.join(to, name))
  assert.deepEqual([restored.manifest.images, restored.secret], [1, 'restored'])
  assert.ok((await filesBelow(dataDir)).every((file) => !file.includes('backup-work')))
})

void test('the time of day is in the site’s time zone, also across clock changes', async (t) => {
  const { start } = await startScheduled(t, { SITE_TIME_ZONE: 'Europe/Zurich' })
  const waymark = await start()
  t.after(() => waymark.close())
  const { dueAt } = await backupsOf(waymark).status()
  assert.equal(new Date(dueAt).toISOString(), '2026-05-15T01:15:00.000Z')
})

void test('as many backups are kept as configured, and nothing else is deleted', async (t) => {
  const { to, start } = await startScheduled(t)
  const waymark = await start()
  t.after(() => waymark.close())
  const foreign = ['holiday.zip', 'waymark-2026-05-14.zip', 'waymark-00000000-20260101T000000Z.zip']
  for (const name of foreign) await writeFile(path.join(to, name), 'not ours')
  const made: string[] = []
  for (let night = 0; night < 5; night += 1) {
    waymark.system.advance(day)
    await runIfDue(waymark)
    const names = (await readdir(to)).filter((name) => !foreign.includes(name))
    made.push(...names.filter((name) => !made.includes(name)))
    assert.deepEqual(names.toSorted(), made.slice(-3))
  }
  assert.deepEqual(
    (await readdir(to)).filter((name) => foreign.includes(name)).toSorted(),
    foreign.toSorted(),
  )

  // A clock that was wrong by a year is corrected: backups continue, and those of the future are deleted first.
  waymark.system.advance(365 * day)
  await runIfDue(waymark)
  const future = (await readdir(to)).find((name) => /-2027/.test(name))
  assert.ok(future)
  waymark.system.advance(-364 * day)
  await runIfDue(waymark)
  const names = (await readdir(to)).filter((name) => !foreign.includes(name))
  assert.ok(!names.includes(future), `the one of the future is gone: ${names.join(' ')}`)
  assert.equal(names.length, 3)
})

void test('a failure is recorded, retried later, deletes nothing, and ends with the next success', async (t) => {
  const { to, start } = await startScheduled(t)
  const waymark = await start()
  t.after(() => waymark.close())
  const report = async () => {
    const admin = await addSignedIn(waymark, 'admin') // sign in again: sessions expire when the clock changes
    const { backup } = JSON.parse((await admin.call('GET', '/v2/admin/storage')).text) as {
      backup: { last: unknown; failure: { message: string } | null }
    }
    return backup
  }
  await runIfDue(waymark)
  waymark.system.advance(day)
  await runIfDue(waymark)
  waymark.system.advance(day)
  await rename(to, `${to}-unmounted`)
  await assert.rejects(runIfDue(waymark), /BACKUP_TO \S+ is not a folder: create it, or mount its disk\./)
  const { last, failure } = await report()
  assert.ok(last !== null && /is not a folder/.test(failure?.message ?? ''))
  const failedAt = await readMetric(waymark, 'waymark_backup_last_failure_timestamp_seconds')
  assert.equal(failedAt, waymark.system.now() / 1_000)
  const due = (await backupsOf(waymark).status()).dueAt
  assert.ok(due < waymark.system.now(), 'it stays due')
  await rename(`${to}-unmounted`, to)
  await runIfDue(waymark)
  assert.equal((await readdir(to)).length, 1, 'not at once')
  waymark.system.advance(hour / 6)
  await runIfDue(waymark)
  assert.equal((await readdir(to)).length, 2)
  assert.equal((await report()).failure, null)
})

void test('a backup that lacks an original counts as a failure, and older ones that may have it are kept', async (t) => {
  const { to, dataDir, start } = await startScheduled(t, { BACKUP_KEEP: '1' })
  const waymark = await start()
  t.after(() => waymark.close())
  const ann = await waymark.addPerson()
  await waymark.addTrail(7, 'Rim Trail')
  await waymark.upload(ann, 7, await jpegPicture())
  await runIfDue(waymark)
  waymark.system.advance(day)
  await runIfDue(waymark)
  const [whole = ''] = await readdir(to)
  const blobs = path.join(dataDir, 'blobs')
  for (const file of await filesBelow(blobs)) if (/\.lg|original/.test(file)) await rm(path.join(blobs, file))
  for (const _ of [1, 2]) {
    waymark.system.advance(day)
    await assert.rejects(runIfDue(waymark), /lacks 1 originals? that/)
  }
  const names = (await readdir(to)).toSorted()
  assert.equal(names.length, 2, 'of those that lack something, only the newest')
  assert.equal(names[0], whole)
})

void test('while the installation is read-only no backup is made or recorded', async (t) => {
  const { to, start } = await startScheduled(t)
  const waymark = await start()
  t.after(() => waymark.close())
  const { db } = waymark.installation.database
  await runIfDue(waymark)
  waymark.system.advance(day)
  await db.insertInto('read_only').values({ id: 1, since: 0, reason: 'moving' }).execute()
  await runIfDue(waymark)
  assert.deepEqual(await readdir(to), [])
  await db.deleteFrom('read_only').execute()
  await runIfDue(waymark)
  assert.equal((await readdir(to)).length, 1)
})
