// Runs test files as node --test does, but those that take longest first: it goes by name, and what is long and begun last
// then runs alone, on one core of two. Called as: longest-first.ts <files at once> <pattern>...
import { globSync } from 'node:fs'
import path from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'

/** Below tests/, from the longest; what only waits for most of its time is here too, as others run beside it. */
export const longest: readonly string[] = [
  'browser/every-page.test.ts',
  'browser/journey.test.ts',
  'browser/together/0.test.ts',
  'browser/together/1.test.ts',
  'browser/together/2.test.ts',
  'full/sweep-races.test.ts',
  'full/redemption-races.test.ts',
  'full/together/2.test.ts',
  'full/together/3.test.ts',
  'full/together/1.test.ts',
  'full/together/0.test.ts',
  'nodes/cluster.test.ts',
  'full/webhook-kills.test.ts',
  'full/corpus.test.ts',
  'full/anonymous-cost.test.ts',
  'faults/backup.test.ts',
  'faults/syscalls.test.ts',
  'nodes/surfaces.test.ts',
  'nodes/dockerfile.test.ts',
  'full/demo.test.ts',
  'full/matrix.test.ts',
  'nodes/engines.test.ts',
  'faults/double-start.test.ts',
  'faults/power-cut.test.ts',
  'faults/clock.test.ts',
]

const folderOfTests = path.resolve(import.meta.dirname, '..')

/** Begun first at the front; what is in no list comes after them by name. */
export function inOrder(files: readonly string[]): string[] {
  const rankOf = (file: string): number => {
    const rank = longest.indexOf(path.relative(folderOfTests, file).replaceAll('\\', '/'))
    return rank === -1 ? longest.length : rank
  }
  return files.toSorted().toSorted((one, other) => rankOf(one) - rankOf(other))
}

if (import.meta.main) {
  const [concurrency, ...patterns] = process.argv.slice(2)
  const files = patterns.flatMap((pattern) => globSync(pattern)).map((file) => path.resolve(file))
  if (files.length === 0) throw new Error(`No test is named by ${patterns.join(' ')}.`)
  const events = run({ files: inOrder([...new Set(files)]), concurrency: Number(concurrency) })
  events.on('test:fail', ({ todo }) => {
    if (todo === undefined || todo === false) process.exitCode = 1
  })
  events.compose(spec).pipe(process.stdout)
}
