// The suite of a test file, by its name and folder, and which files share a process.
import { readdirSync } from 'node:fs'
import path from 'node:path'

/**
 * `fast` is run by `npm test`. `*.slow.test.ts`, and everything in faults/ and nodes/, belong to `test:slow`: they take
 * long, or need system packages or the corpus. browser/ belongs to `test:browser`.
 */
export type Suite = 'fast' | 'slow' | 'browser'

export const folderOfTests = path.resolve(import.meta.dirname, '..')

/** Number of processes for the files of a suite that share one: loading the server takes a second per process. */
export const processes: Readonly<Record<Suite, number>> = { fast: 6, slow: 4, browser: 3 }

export function suiteOf(file: string): Suite {
  if (file.startsWith('browser/')) return 'browser'
  return /^(faults|nodes)\/|\.slow(\.own)?\.test\.ts$/.test(file) ? 'slow' : 'fast'
}

/** Whether a file needs its own process: it replaces or measures something global, such as the clock, or takes too long. */
export const runsAlone = (file: string): boolean =>
  /^(faults|nodes)\//.test(file) || file.endsWith('.own.test.ts')

/** Installed packages, and the files that only start others. */
export const isNoTest = (file: string): boolean =>
  /(^|\/)node_modules\/|^together\/\w+-\d+\.test\.ts$/.test(file)

/** Sorted paths below tests/ of a suite's files, without those that only start others. */
export function testsOf(suite: Suite): string[] {
  return readdirSync(folderOfTests, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.test.ts') && !isNoTest(name))
    .filter((name) => suiteOf(name) === suite)
    .toSorted()
}

/**
 * The files of one shared process of a suite.
 * @param part from 0.
 */
export const sharing = (suite: Suite, part: number): string[] =>
  testsOf(suite)
    .filter((file) => !runsAlone(file))
    .filter((_, at) => at % processes[suite] === part)
