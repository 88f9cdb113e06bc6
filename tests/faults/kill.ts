// SIGKILL at random times under load (trust 1, 3). By hand: node tests/faults/kill.ts --cycles 200 --uploads 10000
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { runCycles, type CycleOptions, type CycleReport } from './harness/cycles.ts'
import { sweepADayLater } from './harness/day-later.ts'
import { prepare } from './harness/installation.ts'
import { count, finish, summaryOf } from './harness/summary.ts'
import { findProblemsInStore } from './harness/verify.ts'

export async function runKills(dataDir: string, options: CycleOptions): Promise<CycleReport> {
  const authorization = await prepare(dataDir)
  return runCycles(options, {
    dataDir,
    authorization,
    strike: async (server) => {
      await server.end('SIGKILL')
      return Infinity // responses already sent count whenever they are read
    },
  })
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      cycles: { type: 'string', default: '200' },
      uploads: { type: 'string', default: '10000' },
      folder: { type: 'string', default: tmpdir() },
    },
  })
  const dataDir = await mkdtemp(path.join(values.folder, 'waymark-kill-'))
  const begun = performance.now()
  try {
    const report = await runKills(dataDir, { cycles: Number(values.cycles), uploads: Number(values.uploads) })
    const { left, swept, faults: unswept } = await sweepADayLater(dataDir)
    const inStore = await findProblemsInStore(dataDir)
    const lines = summaryOf('kill -9 under 16 uploading clients (trust 1, 3)', {
      kills: count(report.strikes),
      'uploads acknowledged': count(report.acknowledged),
      'uploads whose answer a kill took': count(report.unanswered),
      'acknowledged uploads lost or changed': count(report.lost.length),
      'ids given twice': count(report.repeatedIds),
      'restarts with a sound store': `${report.goodRestarts} of ${report.strikes}`,
      'problems that waymark check --store found at the end': count(inStore.length),
      'unreferenced blobs left by all kills': count(left.unreferencedBlobs),
      'left after a sweep a day later': `${swept.unreferencedBlobs} unreferenced blobs, ${swept.temporaryFiles} temporary files`,
      'images, of which without a blob': `${count(swept.images)}, ${swept.rowsWithoutBlob}`,
    })
    const faults = [...report.lost, ...report.problems, ...inStore, ...unswept]
    await finish({ lines, faults, folder: dataDir, begun })
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

if (import.meta.main) await main()
