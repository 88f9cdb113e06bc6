// Commands run as root in a checkout whose data belongs to the server's user. Everything they create belongs to that
// user, so that the server can use it (decision 0129).
import assert from 'node:assert/strict'
import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { newFolder } from '../helpers/folders.ts'
import { whyNotAs } from '../helpers/tools.ts'
import { assertOneSentence, done, run, runJson, startServer } from './run-waymark.ts'

/** No user of this machine has it: an owner needs no name. */
const uid = 47_110
const skip = whyNotAs(uid)

/** Files and folders below that belong to another user. */
const ofOthers = (folder: string): string[] =>
  [folder, ...readdirSync(folder, { recursive: true }).map((name) => path.join(folder, String(name)))].filter(
    (file) => lstatSync(file).uid !== uid,
  )

async function newHome(t: TestContext) {
  const folder = await newFolder(t)
  chmodSync(folder, 0o755)
  const own = (name: string): string => {
    const place = path.join(folder, name)
    mkdirSync(place, { mode: 0o700 })
    chownSync(place, uid, uid)
    return place
  }
  return { folder, own }
}

void test("files that root's commands create belong to the owner of the data folder", { skip }, async (t) => {
  const { folder, own } = await newHome(t)
  const dataDir = own('data')
  const backups = own('backups')
  const file = path.join(backups, 'now.zip')
  // Without a server, and with one running.
  await done(['trails', 'add', '--id', '4711', '--name', 'Rim Trail'], { dataDir })
  assert.deepEqual(ofOthers(folder), [folder])
  const server = await startServer(t, { dataDir, uid })
  await done(['accounts', 'create', '--email', 'ann@trails.example', '--name', 'Ann', '--id', '42'], {
    dataDir,
  })
  await done(['keys', 'create', '--account', '42', '--name', 'Web site'], { dataDir })
  await done(['backup', file], { dataDir })
  await done(['drill', file], { dataDir })
  await done(['check', '--store', '--audit'], { dataDir })
  await done(['read-only', 'on'], { dataDir })
  await done(['read-only', 'off'], { dataDir })
  await done(['migrate'], { dataDir })
  await done(['export', '--site', path.join(backups, 'site.zip')], { dataDir })
  assert.equal((await runJson(['doctor'], { dataDir })).exitCode, 0)
  assert.equal(await server.stop(), 0)
  assert.deepEqual(ofOthers(folder), [folder])
  // The owner can open what root created, including locks.
  await done(['backup', file, '--force'], { dataDir, uid })
  const again = await startServer(t, { dataDir, uid })
  assert.equal((await fetch(`${again.url}/health/ready`)).status, 200)
  assert.equal(await again.stop(), 0)

  const restored = own('restored')
  await done(['restore', file], { dataDir: restored })
  const moved = own('moved')
  const move = ['move', '--to-database', `sqlite:${path.join(moved, 'waymark.sqlite')}`]
  assert.equal((await run(move, { dataDir: restored })).exitCode, 0)
  assert.deepEqual(ofOthers(folder), [folder])
  const third = await startServer(t, { dataDir: restored, uid })
  assert.equal(await third.stop(), 0)
})

void test('a server started by root runs as the owner of the data folder', { skip }, async (t) => {
  const { folder, own } = await newHome(t)
  const server = await startServer(t, { dataDir: own('data') })
  assert.equal(lstatSync(`/proc/${server.pid}`).uid, uid)
  assert.equal(await server.stop(), 0)
  assert.deepEqual(ofOthers(folder), [folder])
})

void test('if the owner may not write, there is one sentence, and no file of root', { skip }, async (t) => {
  const { folder, own } = await newHome(t)
  const dataDir = own('data')
  await done(['trails', 'add', '--id', '4711', '--name', 'Rim Trail'], { dataDir })
  const { exitCode, stderr } = await run(['backup', path.join(folder, 'now.zip')], { dataDir })
  assert.equal(exitCode, 2)
  assertOneSentence(stderr)
  assert.deepEqual(readdirSync(folder), ['data'])
})

void test("data that belongs to root stays root's", { skip }, async (t) => {
  const dataDir = path.join(await newFolder(t), 'data')
  await done(['trails', 'add', '--id', '4711', '--name', 'Rim Trail'], { dataDir })
  assert.equal(lstatSync(path.join(dataDir, 'waymark.sqlite')).uid, 0)
})
