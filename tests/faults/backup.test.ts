// Backups under load, killed, with power cuts, and on full disks, in limited numbers (trust 20); and a faulty backup that
// must be detected.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm, statfs, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { partialOf } from '../../src/operations/backup/backup-file.ts'
import { restoringFileOf } from '../../src/database/open-database.ts'
import { filesBelow } from '../helpers/folders.ts'
import { killBackups, killRestores, prepareStock } from './backup-kills.ts'
import { backUpUnderLoad } from './backup.ts'
import { createLoopDisk, createSmallDisk, whyNoLoopDisks, whyNoMounts } from './harness/disks.ts'
import { command, runWaymark, startProgram, until } from './harness/server.ts'
import { findProblemsInStore } from './harness/verify.ts'
import { backUpBlobsFirst } from './wrong/backup-blobs-first.ts'

async function newFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'waymark-backup-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

void test('trust 20: a backup made during uploads, reviews, deletions and sweeps is complete', async (t) => {
  const report = await backUpUnderLoad(await newFolder(t), { backups: 1 })
  assert.deepEqual(report.faults, [])
  assert.ok(report.owed >= 10, `only ${report.owed} uploads were owed`)
  assert.ok(report.reviews > 0 && report.swept > 0, 'reviews and sweeps went on')
  t.diagnostic(`${report.acknowledged} uploads, ${report.reviews} reviews, ${report.swept} blobs swept`)
})

void test('the test itself: if photos are copied before the database, it notices the missing ones', async (t) => {
  const folder = await newFolder(t)
  const report = await backUpUnderLoad(folder, {
    backups: 1,
    makeBackup: (file, { load }) => {
      const soFar = load.acknowledged.length
      const between = () => until(() => load.acknowledged.length > soFar + 5, 'uploads in between')
      return backUpBlobsFirst(path.join(folder, 'data'), folder, file, between)
    },
  })
  assert.match(report.faults.join('\n'), /of its photos are missing from it/)
})

void test('a backup that is killed leaves no file, and the next one cleans up', async (t) => {
  const report = await killBackups(await newFolder(t), 4, 150)
  assert.deepEqual(report.faults, [])
  t.diagnostic(`${report.kills} kills, ${report.whole} too late`)
})

void test('a restore that is killed leaves nothing, or is reported as incomplete and completed by the next', async (t) => {
  const report = await killRestores(await newFolder(t), 3, 150)
  assert.deepEqual(report.faults, [])
  assert.ok(report.half > 0, 'no kill fell into a restore')
  t.diagnostic(`${report.kills} kills, ${report.half} half done, ${report.whole} too late`)
})

/** Starts a command, stops it once the file exists, and waits for its end. */
async function stopAt(file: string, signal: 'SIGTERM' | 'SIGINT', args: readonly string[], dataDir: string) {
  const { child, said, ended } = startProgram([...command, ...args], { dataDir })
  await until(() => existsSync(file) || child.exitCode !== null, file)
  child.kill(signal)
  return { ...(await ended), ...said }
}

void test('a backup or a restore that is interrupted by a signal leaves nothing', async (t) => {
  const folder = await newFolder(t)
  const { dataDir, file } = await prepareStock(folder, 300)
  const backup = await stopAt(partialOf(file), 'SIGTERM', ['backup', file], dataDir)
  assert.deepEqual(
    [backup.code, backup.stderr],
    [2, 'The backup was cancelled; the incomplete file was removed.\n'],
  )
  assert.deepEqual(await readdir(folder), ['data'])
  assert.ok(!(await readdir(dataDir)).includes('waymark.sqlite.backup-work'))
  assert.equal((await runWaymark(['backup', file], { dataDir })).code, 0)

  const target = path.join(folder, 'target')
  const staged = restoringFileOf(path.join(target, 'waymark.sqlite'))
  const restore = await stopAt(staged, 'SIGINT', ['restore', file], target)
  assert.deepEqual([restore.code, restore.stderr], [2, 'The restore was cancelled; nothing was kept.\n'])
  assert.deepEqual(await filesBelow(target), ['blobs/server', 'waymark.sqlite.server'])
})

void test(
  'what backup and restore report as done survives a power cut',
  { skip: whyNoLoopDisks() },
  async (t) => {
    const { dataDir, file } = await prepareStock(await newFolder(t), 20)
    const disk = await createLoopDisk({ megabytes: 128 })
    t.after(() => disk.remove())
    const onDisk = path.join(disk.folder, 'waymark.zip')
    assert.equal((await runWaymark(['backup', onDisk], { dataDir })).code, 0)
    await disk.cutPower()
    await disk.remount()
    const restoredDir = path.join(disk.folder, 'restored')
    const restored = await runWaymark(['restore', onDisk], { dataDir: restoredDir })
    assert.deepEqual([restored.code, restored.stderr], [0, ''])
    await disk.cutPower()
    await disk.remount()
    assert.deepEqual(await findProblemsInStore(restoredDir), [])
    assert.equal(existsSync(file), false)
  },
)

/** What a command must print and leave behind if there is no space. */
async function assertNoRoom(args: readonly string[], dataDir: string): Promise<void> {
  const { code, stdout, stderr } = await runWaymark(args, { dataDir })
  assert.deepEqual([code, stdout], [2, ''])
  assert.match(stderr, /^[^\n]+(no space left on device|disk of the database is full|disk is full)\.\n$/)
}

void test('a backup on a disk that is too small leaves no file', { skip: whyNoMounts() }, async (t) => {
  const { dataDir } = await prepareStock(await newFolder(t), 100)
  const disk = await createSmallDisk({ megabytes: 2 })
  t.after(() => disk.remove())
  await assertNoRoom(['backup', path.join(disk.folder, 'waymark.zip')], dataDir)
  assert.deepEqual(await readdir(disk.folder), [])
  assert.deepEqual(
    (await readdir(dataDir)).filter((name) => name.endsWith('.backup-work')),
    [],
  )
})

void test('a restore onto a disk that is too small leaves nothing', { skip: whyNoMounts() }, async (t) => {
  const folder = await newFolder(t)
  const { dataDir, file } = await prepareStock(folder, 100)
  assert.equal((await runWaymark(['backup', file], { dataDir })).code, 0)
  for (const megabytes of [1, 3]) {
    const disk = await createSmallDisk({ megabytes })
    t.after(() => disk.remove())
    await assertNoRoom(['restore', file], disk.folder)
    assert.deepEqual(await filesBelow(disk.folder), ['blobs/server', 'waymark.sqlite.server'])
  }
})

void test(
  'if the database disk has no room for the copy, there is no backup, and no data is harmed',
  { skip: whyNoMounts() },
  async (t) => {
    const disk = await createSmallDisk({ megabytes: 16 })
    t.after(() => disk.remove())
    const { dataDir } = await prepareStock(disk.folder, 100)
    const file = path.join(await newFolder(t), 'waymark.zip')
    const { bavail, bsize } = await statfs(disk.folder)
    // Leaves the little space that SQLite needs to open the database.
    await writeFile(path.join(disk.folder, 'ballast'), Buffer.alloc(bavail * bsize - 100_000))
    await assertNoRoom(['backup', file], dataDir)
    assert.equal(existsSync(file), false)
    assert.ok(!(await readdir(dataDir)).includes('waymark.sqlite.backup-work'))
    assert.deepEqual(await findProblemsInStore(dataDir), [])
  },
)
