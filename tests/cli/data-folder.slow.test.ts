// The data folder: commands that read, copy or delete do not create it if DATA_DIR is mistyped; and the modes of its
// files (contract C, D).
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { newFolder } from '../helpers/folders.ts'
import { assertOneSentence, run, startServer } from './run-waymark.ts'

const commands = [
  ['check'],
  ['backup', '-'],
  ['keys', 'list', '--account', '1'],
  ['keys', 'revoke', 'wm_12345678'],
  ['read-only', 'status'],
  ['read-only', 'on'],
  ['read-only', 'off'],
]

void test('C: without a database, such a command refuses, names DATA_DIR and creates nothing', async (t) => {
  const dataDir = path.join(await newFolder(t), 'mistyped')
  const refuses = async (args: readonly string[]): Promise<void> => {
    const { exitCode, stdout, stderr } = await run(args, { dataDir })
    assert.deepEqual([exitCode, stdout], [2, ''], args.join(' '))
    assertOneSentence(stderr)
    assert.match(stderr, /^There is no database at .*: check DATA_DIR and DATABASE_URL\.$/m)
    assert.equal(existsSync(dataDir), false, args.join(' '))
  }
  await Promise.all(commands.map(refuses))
})

void test('C: without PostgreSQL at DATABASE_URL, no command creates anything', async (t) => {
  const folder = await newFolder(t)
  const dataDir = path.join(folder, 'mistyped')
  const backup = path.join(folder, 'backup.zip')
  await writeFile(backup, 'PK')
  const settings = { DATABASE_URL: 'postgres://waymark@127.0.0.1:1/waymark' }
  const refuses = async (args: readonly string[]): Promise<void> => {
    const { exitCode, stdout, stderr } = await run(args, { dataDir, settings })
    assert.ok(exitCode === 1 || exitCode === 2, args.join(' '))
    assert.equal(stdout, '')
    assertOneSentence(stderr)
    assert.equal(existsSync(dataDir), false, args.join(' '))
  }
  const makers = [
    ['restore', backup],
    ['trails', 'add', '--id', '1', '--name', 'Rim'],
    ['accounts', 'list'],
  ]
  await Promise.all([...commands, ...makers].map(refuses))
})

void test('C: after an interrupted restore, check says so', async (t) => {
  const dataDir = await newFolder(t)
  await writeFile(path.join(dataDir, 'waymark.sqlite.restoring'), '')
  const { exitCode, stderr } = await run(['check'], { dataDir })
  assert.equal(exitCode, 2)
  assert.match(stderr, /restore .* was interrupted: run "waymark restore" again/)
  assertOneSentence(stderr)
})

void test(
  'D: the file that names the running server is readable only by its user',
  { skip: process.platform === 'win32' },
  async (t) => {
    const dataDir = await newFolder(t)
    await startServer(t, { dataDir })
    for (const name of ['waymark.sqlite', 'waymark.sqlite-wal', 'waymark.sqlite.server', 'blobs/server'])
      assert.equal((await stat(path.join(dataDir, name))).mode & 0o777, 0o600, name)
  },
)
