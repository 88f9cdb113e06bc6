// Which test file belongs to which suite, by its name and folder alone, and which of them share a process.
import { readdirSync } from 'node:fs'
import path from 'node:path'

/**
 * `fast` is what `npm test` runs. `*.slow.test.ts`, and all of faults/ and nodes/, are of `test:slow`: they take long, or
 * need system packages or the corpus. browser/ is of `test:browser`.
 */
export type Suite = 'fast' | 'slow' | 'browser'

export const folderOfTests = path.resolve(import.meta.dirname, '..')

/** In how many processes the files of a suite run that share one: every process pays a second to load the server. */
export const processes: Readonly<Record<Suite, number>> = { fast: 6, slow: 4, browser: 3 }

export function suiteOf(file: string): Suite {
  if (file.startsWith('browser/')) return 'browser'
  return /^(faults|nodes)\/|\.slow(\.own)?\.test\.ts$/.test(file) ? 'slow' : 'fast'
}

/**
 * Whether a file has a process of its own: those that replace what a whole process shares, such as the clock, or measure
 * it, or take longer than their share.
 */
export const runsAlone = (file: string): boolean =>
  /^(faults|nodes)\//.test(file) || file.endsWith('.own.test.ts')

/** Paths below tests/ of a suite's files, in order; those that only start others are left out. */
export function testsOf(suite: Suite): string[] {
  return readdirSync(folderOfTests, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.test.ts') && !/(^|\/)(node_modules|together)\//.test(name))
    .filter((name) => suiteOf(name) === suite)
    .toSorted()
}

/** The files of one of the processes that a suite's files share. @param part from 0. */
export const sharing = (suite: Suite, part: number): string[] =>
  testsOf(suite)
    .filter((file) => !runsAlone(file))
    .filter((_, at) => at % processes[suite] === part)
