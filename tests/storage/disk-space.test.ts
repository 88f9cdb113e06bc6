// Free disk space: the threshold, and that it is logged once and not every minute (setting DISK_FREE_WARNING_MB).
import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { createDiskWatch, fileBytes, megabyteBytes, readDisk } from '../../src/storage/disk-space.ts'
import { newFolder } from '../helpers/folders.ts'
import { parseScrape } from '../helpers/metrics.ts'
import { run } from '../cli/run-waymark.ts'
import { loggerTo } from '../../src/http/server.ts'
import { testJobs } from '../helpers/jobs.ts'
import { startWaymark } from '../helpers/waymark.ts'

const places = { database: '/a', blobs: '/b' }

/** Monitors disks whose free space the test sets, and records its messages. */
function watchOver(free: Record<string, { megabytes: number; device: number }>, lowMegabytes: number) {
  const said: string[] = []
  const say = (level: string) => (facts: object, message: string) =>
    void said.push(`${level} ${message} ${JSON.stringify(facts)}`)
  const watch = createDiskWatch({
    places,
    lowMegabytes,
    jobs: testJobs(),
    log: { warn: say('warn'), info: say('info') },
    read: async (place) => {
      const { megabytes = 0, device = 0 } = free[place] ?? {}
      return { freeBytes: megabytes * megabyteBytes, device }
    },
  })
  return {
    /** The message of the next check, and the disks that are low. */
    look: async () => {
      const states = await watch.look()
      return { low: [states.database?.isLow, states.blobs?.isLow], said: said.splice(0) }
    },
  }
}

void test('the log warns once when a disk runs low, and reports once when it has space again', async () => {
  const free = { '/a': { megabytes: 100, device: 1 }, '/b': { megabytes: 100, device: 1 } }
  const { look } = watchOver(free, 50)
  const both = (megabytes: number) => {
    free['/a'].megabytes = megabytes
    free['/b'].megabytes = megabytes
  }
  const warned =
    'warn the disk is nearly full {"disk":["database","blobs"],"freeMegabytes":49,"lowMegabytes":50}'
  const recovered =
    'info the disk has enough free space again {"disk":["database","blobs"],"freeMegabytes":56,"lowMegabytes":50}'
  const course: readonly (readonly [number, boolean, string[]])[] = [
    [100, false, []],
    [50, false, []],
    [49, true, [warned]],
    [48, true, []],
    [51, true, []], // hovers around the threshold: nothing new
    [56, false, [recovered]],
    [51, false, []],
    [49, true, [warned]],
  ]
  for (const [megabytes, isLow, said] of course) {
    both(megabytes)
    assert.deepEqual(await look(), { low: [isLow, isLow], said }, String(megabytes))
  }
})

void test('two disks are reported separately; DISK_FREE_WARNING_MB 0 never warns', async () => {
  const free = { '/a': { megabytes: 10, device: 1 }, '/b': { megabytes: 100, device: 2 } }
  const first = await watchOver(free, 50).look()
  assert.deepEqual(first, {
    low: [true, false],
    said: ['warn the disk is nearly full {"disk":["database"],"freeMegabytes":10,"lowMegabytes":50}'],
  })
  assert.deepEqual(await watchOver(free, 0).look(), { low: [false, false], said: [] })
})

void test('a folder that does not exist yet is on the disk of its parent', async (t) => {
  const folder = await newFolder(t)
  const [there, notYet] = await Promise.all([folder, path.join(folder, 'a', 'b')].map(readDisk))
  assert.equal(there?.device, notYet?.device)
  assert.ok((there?.freeBytes ?? 0) > 0)
  assert.equal(await fileBytes(path.join(folder, 'a')), 0)
})

void test('DISK_FREE_WARNING_MB above the free space: a warning in the log, 1 in the metrics, and doctor warns', async (t) => {
  const dataDir = await newFolder(t)
  const lines: string[] = []
  const settings = { DISK_FREE_WARNING_MB: String(Number.MAX_SAFE_INTEGER) }
  const waymark = await startWaymark({
    dataDir,
    environment: settings,
    logger: loggerTo({ write: (line) => void lines.push(line) }, 'info'),
  })
  t.after(() => waymark.close())
  const warnings = () => lines.filter((line) => line.includes('the disk is nearly full')).length
  waymark.app.watchDisks()
  const until = Date.now() + 30_000
  while (warnings() === 0 && Date.now() < until) await new Promise((resolve) => setImmediate(resolve))
  const { samples } = parseScrape(await (await waymark.fetch('/metrics')).text())
  assert.equal(samples.get('waymark_disk_low{disk="database"}'), 1)
  assert.equal(samples.get('waymark_disk_low{disk="blobs"}'), 1)
  assert.equal(warnings(), 1)

  const doctor = await run(['doctor'], { dataDir, settings })
  assert.equal(doctor.exitCode, 0)
  assert.match(
    doctor.stdout,
    /^! The disk has \d+ MB free, below DISK_FREE_WARNING_MB \(\d+ MB\): free up space/m,
  )
})
