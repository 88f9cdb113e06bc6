// Runs the test files that share a process, each in its own suite.
import path from 'node:path'
import { describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { folderOfTests, sharing, type Suite } from './suites.ts'

/** @param part which of the suite's processes, from 0. */
export async function importPart(suite: Suite, part: number): Promise<void> {
  // Between two files, nothing else keeps the process alive, and pending work would never finish.
  const awake = setInterval(() => undefined, 1_000)
  for (const file of sharing(suite, part)) {
    const { href } = pathToFileURL(path.join(folderOfTests, file))
    // A separate suite, so that hooks of a file apply only to its tests.
    await describe(file, async () => {
      await import(href)
    })
  }
  void test(`the ${suite} tests of process ${part} have run`, () => clearInterval(awake)) // tests run in order
}
