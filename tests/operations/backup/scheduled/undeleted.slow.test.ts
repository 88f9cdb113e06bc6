// If older backups cannot be deleted, a scheduled backup still succeeds, is not repeated, and reports it.
import assert from 'node:assert/strict'
import { mkdir, readdir } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { backupIdOf } from '../../../../src/operations/backup/scheduled/backup-state.ts'
import { run } from '../../../cli/run-waymark.ts'
import { newFolder } from '../../../helpers/folders.ts'
import { startWaymark } from '../../../helpers/waymark.ts'

const day = 24 * 3_600_000

void test('a backup that cannot be deleted is reported, and the other old backups are deleted', async (t) => {
  const folder = await newFolder(t)
  const [dataDir, to] = [path.join(folder, 'data'), path.join(folder, 'backups')]
  await mkdir(to)
  const settings = { BACKUP_SCHEDULE: '15 3 * * *', BACKUP_TO: to, BACKUP_KEEP: '1' }
  const waymark = await startWaymark({ dataDir, environment: settings })
  const { backups, db } = { ...waymark.app.services, db: waymark.installation.database.db }
  assert.ok(backups)
  // A folder, which cannot be deleted as a file, like a locked object in a bucket.
  const locked = `waymark-${await backupIdOf(db, 0)}-20260101T000000Z.zip`
  await mkdir(path.join(to, locked))
  await backups.job.runIfDue()
  for (const _ of [1, 2, 3]) {
    waymark.system.advance(day)
    await backups.job.runIfDue()
    const { success, failure } = await backups.status()
    assert.equal(failure, undefined)
    assert.equal(success?.endedAt, waymark.system.now())
    assert.match(
      success?.undeleted ?? '',
      /^1 older backup could not be deleted, such as \S+20260101T000000Z\.zip \(.+\)\.$/,
    )
    const names = await readdir(to)
    assert.deepEqual([names.length, names.includes(locked)], [2, true], 'the one before is gone')
  }
  await waymark.close()
  const doctor = await run(['doctor'], { dataDir, settings })
  assert.match(doctor.stdout, /1 older backup could not be deleted/)
})
