// Runs a suite, longest files first: a long file started last would run alone, on one of two cores. Usage: run.ts
// fast|slow|browser
import path from 'node:path'
import { runStep } from './step.ts'
import { folderOfTests, processes, runsAlone, testsOf, type Suite } from './suites.ts'

/** Below tests/, longest first. Files that mostly wait are here too, since others run beside them. */
export const longest: readonly string[] = [
  'browser/every-page.own.test.ts',
  'browser/journey.own.test.ts',
  'together/browser-0.test.ts',
  'together/browser-1.test.ts',
  'together/browser-2.test.ts',
  'deploy/install.slow.own.test.ts',
  'together/slow-1.test.ts',
  'together/slow-3.test.ts',
  'together/slow-2.test.ts',
  'together/slow-0.test.ts',
  'nodes/ten-thousand.test.ts',
  'deploy/package.slow.own.test.ts',
  'images/storage/rebuilding-killed.slow.own.test.ts',
  'images/storage/sweep-races.slow.own.test.ts',
  'deploy/image.slow.own.test.ts',
  'nodes/failover.test.ts',
  'http/openapi/fuzz-0.slow.own.test.ts',
  'http/openapi/fuzz-1.slow.own.test.ts',
  'nodes/cluster.test.ts',
  'auth/redemption-races.slow.own.test.ts',
  'nodes/numbering.test.ts',
  'images/capture/back-fill-killed.slow.own.test.ts',
  'nodes/surfaces.test.ts',
  'nodes/cut-off.test.ts',
  'events/webhooks/webhook-kills.slow.own.test.ts',
  'imaging/corpus/corpus.slow.own.test.ts',
  'http/anonymous-cost.slow.own.test.ts',
  'faults/backup.test.ts',
  'faults/syscalls.test.ts',
  'demo/demo.slow.own.test.ts',
  'auth/matrix/matrix.slow.own.test.ts',
  'nodes/engines.test.ts',
  'faults/double-start.test.ts',
  'faults/power-cut.test.ts',
  'faults/clock.test.ts',
]

/** The steps of a suite, and the number of parallel files: measurements in the browser run alone. */
export function stepsOf(
  suite: Suite,
): readonly { readonly files: readonly string[]; readonly atOnce: number }[] {
  const alone = testsOf(suite).filter(runsAlone)
  const together = Array.from({ length: processes[suite] }, (_, part) => `together/${suite}-${part}.test.ts`)
  if (suite !== 'browser') return [{ files: [...together, ...alone], atOnce: suite === 'fast' ? 3 : 4 }]
  const measuring = new Set(['browser/gallery-5000.own.test.ts', 'browser/route-import-50mb.own.test.ts'])
  return [
    { files: [...measuring], atOnce: 2 },
    { files: [...together, ...alone.filter((file) => !measuring.has(file))], atOnce: 3 },
  ]
}

/** Listed files first, the others by name. */
export function inOrder(files: readonly string[]): string[] {
  const rankOf = (file: string): number => {
    const rank = longest.indexOf(file)
    return rank === -1 ? longest.length : rank
  }
  return files.toSorted().toSorted((one, other) => rankOf(one) - rankOf(other))
}

const suites: readonly Suite[] = ['fast', 'slow', 'browser']

if (import.meta.main) {
  const suite = suites.find((name) => name === process.argv[2])
  if (suite === undefined) throw new Error(`Name a suite: ${suites.join(', ')}.`)
  for (const { files, atOnce } of stepsOf(suite)) {
    const paths = inOrder(files).map((file) => path.join(folderOfTests, file))
    if (await runStep(paths, atOnce)) continue
    process.exitCode = 1
    break
  }
}
