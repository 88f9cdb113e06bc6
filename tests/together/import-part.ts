// Runs the tests of a folder in one process, or a part of them, since every process pays a second to load the server.
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'

/**
 * Those that replace what a whole process shares, such as the clock or a function of node's, or measure it, or take longer
 * than a part: each has its own process.
 */
export const alone: ReadonlySet<string> = new Set([
  'auth/oauth-clock.test.ts',
  'auth/oauth-quiet.test.ts',
  'auth/sign-in-limits.test.ts',
  'browser/every-page.test.ts',
  'browser/gallery-5000.test.ts',
  'browser/journey.test.ts',
  'browser/route-import-50mb.test.ts',
])

const folderOfTests = path.resolve(import.meta.dirname, '..')

/** The folders of npm test whose tests run together, and in how many processes each. */
export const parts: Readonly<Record<string, number>> = {
  'account-routes': 2,
  auth: 2,
  backends: 1,
  bench: 1,
  cli: 2,
  client: 1,
  contract: 1,
  deploy: 1,
  events: 1,
  hostile: 1,
  http: 3,
  images: 1,
  imaging: 1,
  leaving: 1,
  maps: 1,
  openapi: 1,
  review: 1,
  'supply-chain': 1,
  tracing: 1,
  trails: 1,
  web: 1,
  'web-app': 1,
  webhooks: 1,
}

/** Those of test:full: all that is in a browser, and the folders of tests/full, whose own files have a process each. */
export const fullParts: Readonly<Record<string, number>> = { browser: 3, full: 4 }

const isDeep = (folder: string): boolean => folder === 'full'

/** Paths below tests/ of a folder's tests, in order. */
export function testsIn(folder: string): string[] {
  return readdirSync(path.join(folderOfTests, folder), { recursive: isDeep(folder), encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.test.ts') && !name.startsWith('together/'))
    .filter((name) => !isDeep(folder) || name.includes('/'))
    .map((name) => `${folder}/${name}`)
    .toSorted()
}

/** @param part which of the folder's parts, from 0. */
export async function importPart(folder: string, part: number): Promise<void> {
  const count = parts[folder] ?? fullParts[folder] ?? 1
  // Between two files nothing else may keep the process, and what one of them still waits for would never come.
  const awake = setInterval(() => undefined, 1_000)
  const together = testsIn(folder).filter((file) => !alone.has(file))
  for (const [at, file] of together.entries())
    if (at % count === part) {
      const { href } = pathToFileURL(path.join(folderOfTests, file))
      // A suite of its own, so that what a file does before and after its tests is done there alone.
      await describe(file, async () => {
        await import(href)
      })
    }
  void test(`the tests of ${folder} have run, part ${part}`, () => clearInterval(awake)) // tests run in order
}
