// Power cuts under load, on ext4 in a file (trust 2). By hand: node tests/faults/power-cut.ts --cycles 80 --uploads 5000
import path from 'node:path'
import { parseArgs } from 'node:util'
import { runCycles, type CycleOptions, type CycleReport } from './harness/cycles.ts'
import { createLoopDisk, whyNoLoopDisks } from './harness/disks.ts'
import { prepare } from './harness/installation.ts'
import { startServer } from './harness/server.ts'
import { count, finish, say, summaryOf } from './harness/summary.ts'
import { findProblemsInStore } from './harness/verify.ts'
import { variants } from './wrong/variants.ts'

export interface PowerCutOptions extends CycleOptions {
  /** Size of the disk. */
  readonly megabytes: number
}

export interface PowerCutReport extends CycleReport {
  /** Findings of `waymark check --store` at the end. */
  readonly problemsInStore: readonly string[]
}

export async function runPowerCuts({ megabytes, ...options }: PowerCutOptions): Promise<PowerCutReport> {
  const disk = await createLoopDisk({ megabytes })
  const dataDir = path.join(disk.folder, 'data')
  try {
    const authorization = await prepare(dataDir)
    // The first start, which creates secret and keys, is not tested here.
    await (await startServer({ dataDir })).end('SIGTERM')
    await disk.remount()
    const report = await runCycles(options, {
      dataDir,
      authorization,
      strike: async (server) => {
        const cutAt = await disk.cutPower()
        await server.end('SIGKILL')
        return cutAt
      },
      recover: () => disk.remount(),
    })
    return { ...report, problemsInStore: await findProblemsInStore(dataDir) }
  } finally {
    await disk.remove()
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      cycles: { type: 'string', default: '80' },
      uploads: { type: 'string', default: '5000' },
      megabytes: { type: 'string', default: '2048' },
      variant: { type: 'string', default: 'none' },
    },
  })
  const reason = whyNoLoopDisks()
  if (reason !== false) {
    say([`no power cuts here: ${reason}`])
    return
  }
  const program = variants[values.variant]
  const begun = performance.now()
  const report = await runPowerCuts({
    cycles: Number(values.cycles),
    uploads: Number(values.uploads),
    megabytes: Number(values.megabytes),
    ...(program && { program }),
  })
  const lines = summaryOf(
    'power cuts under 16 uploading clients, ext4 on a loop device, commit=300 (trust 2)',
    {
      'wrong on purpose': values.variant,
      'power cuts': count(report.strikes),
      'uploads acknowledged before a cut': count(report.acknowledged),
      'uploads answered during a cut, not counted': count(report.tooLate),
      'acknowledged uploads lost or changed': count(report.lost.length),
      'ids given twice': count(report.repeatedIds),
      'restarts with a sound store': `${report.goodRestarts} of ${report.strikes}`,
      'problems that waymark check --store found at the end': count(report.problemsInStore.length),
    },
  )
  const faults = [...report.lost, ...report.problems, ...report.problemsInStore]
  await finish({ lines, faults, folder: import.meta.dirname, begun })
}

if (import.meta.main) await main()
