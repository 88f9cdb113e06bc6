// Leftovers of faults, and those that remain after a start with garbage collection a day later (trust 3, 11).
import { readdir, utimes } from 'node:fs/promises'
import path from 'node:path'
import { startServer, until } from './server.ts'
import { countLeftovers, type Leftovers } from './verify.ts'

export interface DayLater {
  readonly left: Leftovers
  readonly swept: Leftovers
  /** A sentence for each violation. */
  readonly faults: readonly string[]
}

/** Backdates every file beyond the day that garbage collection waits. */
async function age(folder: string): Promise<void> {
  const longAgo = Date.now() / 1_000 - 25 * 3_600
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) await utimes(path.join(entry.parentPath, entry.name), longAgo, longAgo)
}

/** Requires that no server is running, and leaves none running. */
export async function sweepADayLater(dataDir: string): Promise<DayLater> {
  const left = await countLeftovers(dataDir)
  await age(path.join(dataDir, 'blobs'))
  const server = await startServer({ dataDir })
  try {
    await until(() => server.said.stdout.includes('"garbage collected"'), 'the sweep')
  } finally {
    await server.end('SIGTERM')
  }
  const swept = await countLeftovers(dataDir)
  const faults = [
    swept.temporaryFiles > 0 && `${swept.temporaryFiles} temporary files outlived the sweep`,
    swept.unreferencedBlobs > 0 && `${swept.unreferencedBlobs} unreferenced blobs outlived the sweep`,
    swept.rowsWithoutBlob > 0 && `${swept.rowsWithoutBlob} images have no original`,
    swept.images !== left.images && `of ${left.images} images ${swept.images} are left after the sweep`,
  ].filter((fault) => fault !== false)
  return { left, swept, faults }
}
