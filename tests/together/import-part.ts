// Runs the test files that share a process, each in a suite of its own.
import path from 'node:path'
import { describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { folderOfTests, sharing, type Suite } from './suites.ts'

/** @param part which of the suite's processes, from 0. */
export async function importPart(suite: Suite, part: number): Promise<void> {
  // Between two files nothing else may keep the process, and what one of them still waits for would never come.
  const awake = setInterval(() => undefined, 1_000)
  for (const file of sharing(suite, part)) {
    const { href } = pathToFileURL(path.join(folderOfTests, file))
    // A suite of its own, so that what a file does before and after its tests is done there alone.
    await describe(file, async () => {
      await import(href)
    })
  }
  void test(`the ${suite} tests of process ${part} have run`, () => clearInterval(awake)) // tests run in order
}
