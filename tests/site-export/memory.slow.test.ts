// What an export needs of memory: as much for many photos as for few.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { addPhotos } from '../account-data/many-photos.ts'
import { startChild } from '../cli/run-waymark.ts'
import { newFolder } from '../helpers/folders.ts'
import { databaseSettingFor } from '../helpers/test-database.ts'
import { startWaymark } from '../helpers/waymark.ts'

const maxGrowthMegabytes = 64

/** Megabytes; undefined once it has ended. */
async function peakOf(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const kilobytes = /VmHWM:\s+(\d+) kB/.exec(status)?.[1]
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1_024
}

/** Everything of a site with so many photos of 4 MB. */
async function exportMany(t: TestContext, count: number) {
  const waymark = await startWaymark()
  t.after(() => waymark.close())
  await waymark.addTrail(4711, 'Rim Trail')
  const { accountId } = await waymark.addPerson()
  await addPhotos(waymark.installation, { accountId, trailId: 4711, count, bytes: 4_000_000 })
  // No photo of these can be shown: of those that are published, only the original is exported.
  const { db } = waymark.installation.database
  await db.updateTable('image').set({ state: 'pending' }).execute()
  const file = path.join(await newFolder(t), 'site.zip')
  const settings = await databaseSettingFor(waymark.dataDir)
  const child = startChild(['export', '--site', file, '--everything'], { dataDir: waymark.dataDir, settings })
  child.stdout.resume()
  const closed = once(child, 'close')
  let peak = 0
  while (child.exitCode === null) {
    peak = Math.max(peak, (await peakOf(child.pid ?? 0)) ?? 0)
    await Promise.race([closed, pause(20)])
  }
  await closed
  assert.equal(child.exitCode, 0)
  return { peak, bytes: (await stat(file)).size }
}

void test(
  'the memory used by an export of 480 MB does not grow with its size',
  { skip: process.platform !== 'linux' },
  async (t) => {
    const few = await exportMany(t, 12)
    const many = await exportMany(t, 120)
    assert.ok(many.bytes > 480_000_000, String(many.bytes))
    const growth = many.peak - few.peak
    t.diagnostic(`${many.peak.toFixed(0)} MB at the peak, ${growth.toFixed(0)} MB more than for a tenth`)
    assert.ok(growth < maxGrowthMegabytes, `${growth.toFixed(0)} MB more`)
  },
)
