// A full disk (trust 5): 507, nothing partial, reads still work, and writes work again without a restart once there is
// space.
import assert from 'node:assert/strict'
import { open, rm } from 'node:fs/promises'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { createSmallDisk, whyNoMounts } from './harness/disks.ts'
import { prepare } from './harness/installation.ts'
import { smallPng } from './harness/pictures.ts'
import { noRoomLine, runNoRoom, type NoRoomReport } from './harness/no-room.ts'
import { deaf } from './wrong/variants.ts'

const skip = whyNoMounts()
const mebibyte = 1024 * 1024

/** Fills this much of the disk, or all of it. */
async function writeBallast(file: string, bytes: number): Promise<void> {
  const handle = await open(file, 'a')
  try {
    for (let left = bytes; left > 0;) {
      const { bytesWritten } = await handle.write(Buffer.alloc(Math.min(left, mebibyte)))
      left -= bytesWritten
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
  } finally {
    await handle.close()
  }
}

async function fillDisk(
  t: TestContext,
  pictureRows: number,
  program?: readonly string[],
): Promise<NoRoomReport> {
  const disk = await createSmallDisk({ megabytes: 32 })
  t.after(() => disk.remove())
  const dataDir = path.join(disk.folder, 'data')
  const ballast = path.join(disk.folder, 'ballast')
  const authorization = await prepare(dataDir)
  await writeBallast(ballast, 12 * mebibyte)
  return runNoRoom({
    dataDir,
    authorization,
    server: { dataDir, ...(program && { program }) },
    pictureOf: (seed) => smallPng(seed, pictureRows),
    squeeze: () => writeBallast(`${ballast}-rest`, Infinity),
    relieve: async () => {
      await rm(ballast)
      await rm(`${ballast}-rest`)
    },
    refusals: [507],
  })
}

void test('trust 5: a full disk refuses writes with 507 and nothing else', { skip }, async (t) => {
  const report = await fillDisk(t, 2_000)
  assert.deepEqual(report.faults, [])
  assert.ok((report.answers.get(507) ?? 0) >= 40)
  t.diagnostic(noRoomLine(report))
})

/**
 * If the database is the first to fail, a server that ignores blob errors goes unnoticed, so it is tried again. With
 * photos larger than a commit, the photo almost always fails first.
 */
const maxRounds = 8
const largePictureRows = 12_000

void test('the test itself: a server that ignores errors of its store is caught', { skip }, async (t) => {
  const seen: string[] = []
  for (let round = 1; round <= maxRounds; round += 1) {
    const { faults } = await fillDisk(t, largePictureRows, deaf)
    if (faults.some((fault) => /^size|is missing|has changed|no original/.test(fault))) return
    seen.push(faults.join('\n') || 'nothing was found')
  }
  assert.fail(seen.join('\n\n'))
})
