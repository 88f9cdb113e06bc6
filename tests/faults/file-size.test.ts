// A file size limit (trust 6, `ulimit -f`) is handled like a full disk, and never ends the process.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { prepare } from './harness/installation.ts'
import { smallPng } from './harness/pictures.ts'
import { noRoomLine, runNoRoom, type NoRoomReport } from './harness/no-room.ts'
import { deaf } from './wrong/variants.ts'

const skip = spawnSync('prlimit', ['--version']).status === 0 ? false : 'prlimit is not installed'

const limitBytes = 1_500_000

/** Every other picture exceeds the limit; the database's WAL does so later. */
const pictureOf = (seed: number): Uint8Array => smallPng(seed, seed % 2 === 0 ? 16_000 : 30)

async function limitFiles(t: TestContext, program?: readonly string[]): Promise<NoRoomReport> {
  const folder = await mkdtemp(path.join(tmpdir(), 'waymark-limit-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const dataDir = path.join(folder, 'data')
  const authorization = await prepare(dataDir)
  return runNoRoom({
    dataDir,
    authorization,
    server: { dataDir, under: ['prlimit', `--fsize=${limitBytes}:unlimited`], ...(program && { program }) },
    pictureOf,
    squeeze: async () => undefined,
    relieve: async ({ pid }) => {
      execFileSync('prlimit', ['--fsize=unlimited:unlimited', '--pid', String(pid)])
    },
    // SQLite does not report why it could not write, so it gives 503.
    refusals: [507, 503],
  })
}

void test('trust 6: a file-size limit refuses writes with 507 and ends no process', { skip }, async (t) => {
  const report = await limitFiles(t)
  assert.deepEqual(report.faults, [])
  assert.ok((report.answers.get(507) ?? 0) > 0)
  t.diagnostic(noRoomLine(report))
})

void test('the test itself: a server that ignores errors of its store is caught', { skip }, async (t) => {
  const { faults } = await limitFiles(t, deaf)
  assert.ok(faults.length > 0)
})
