// The process of a scheduled backup pauses while its server is busy, for a bucket as for a folder: if the server is fully
// busy, it is idle most of the time.
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import type {
  FromBackupProcess,
  ToBackupProcess,
} from '../../../../src/operations/backup/scheduled/backup-process.ts'
import type { BlobPlace } from '../../../../src/settings/blob-settings.ts'
import { readConfig } from '../../../../src/settings/config.ts'
import { newFolder } from '../../../helpers/folders.ts'
import { jpegPicture } from '../../../helpers/pictures.ts'
import { blobUrlBelow, startSwift, whyNoSwift } from '../../../helpers/swift.ts'
import { fill } from './servers.ts'

/** A bucket takes a second for each. */
const photos = { folder: 25, bucket: 10 }
const entry = new URL('../../../../src/operations/backup/scheduled/backup-process.ts', import.meta.url)
/** It may pause nine times as long as it works, at most 5 s at once; on a busy machine, each step takes longer. */
const leastTimes = 1.5

type Done = Extract<FromBackupProcess, { kind: 'done' }>

async function timeOf(t: TestContext, dataDir: string, to: BlobPlace, share: number): Promise<Done> {
  const { databasePlace, secretFile, blobPlace } = readConfig({ DATA_DIR: dataDir })
  const places = { databasePlace, dataDir, secretFile, blobPlace, backupPlace: to }
  const config = { ...places, backupKeep: 1 }
  const child = fork(entry, { serialization: 'advanced', stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  t.after(() => child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  let reported: FromBackupProcess | undefined
  child.on('message', (message: FromBackupProcess) => {
    reported = message
  })
  const send = (message: ToBackupProcess): void => void child.send(message)
  send({ kind: 'load', share })
  const now = Date.now()
  send({ kind: 'begin', task: { config, id: '3f9a6c01', version: '0.0.0', now, incomplete: undefined } })
  await exited
  assert.ok(reported?.kind === 'done', JSON.stringify(reported))
  return reported
}

async function compare(t: TestContext, to: BlobPlace, dataDir: string, count: number): Promise<void> {
  const seed = (at: number) => jpegPicture({ seed: at, width: 1_200, height: 900 })
  await fill(dataDir, {}, count, seed)
  const idle = await timeOf(t, dataDir, to, 0)
  const busy = await timeOf(t, dataDir, to, 1)
  for (const { tookMs, restedMs } of [idle, busy])
    t.diagnostic(`took ${Math.round(tookMs)} ms, of which it rested ${Math.round(restedMs)}`)
  assert.ok(idle.restedMs < idle.tookMs / 4)
  assert.ok(busy.restedMs > leastTimes * (busy.tookMs - busy.restedMs))
}

void test('a backup to a folder pauses while the server is busy', async (t) => {
  const folder = await newFolder(t)
  await mkdir(path.join(folder, 'backups'))
  const to: BlobPlace = { store: 'files', folder: path.join(folder, 'backups') }
  await compare(t, to, path.join(folder, 'data'), photos.folder)
})

void test('a backup to a bucket pauses while the server is busy', { skip: whyNoSwift() }, async (t) => {
  const swift = await startSwift()
  t.after(() => swift.end())
  Object.assign(process.env, swift.environment)
  const { backupPlace } = readConfig({ BACKUP_TO: blobUrlBelow(swift.blobUrl, 'backups') })
  assert.ok(backupPlace)
  await compare(t, backupPlace, path.join(await newFolder(t), 'data'), photos.bucket)
})
