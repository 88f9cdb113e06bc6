// 200 kills while photos stored twice are converted: each original is intact at all times, byte for byte.
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import path from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { originalKey } from '../../../src/images/storage/blob-keys.ts'
import { countStoredTwice } from '../../../src/images/storage/original-table.ts'
import { newFolder } from '../../helpers/folders.ts'
import { makePicture } from '../../helpers/containers-fixtures.ts'
import { originalOf, storeAsBefore } from '../../helpers/older-store.ts'
import { startWaymark } from '../../helpers/waymark.ts'

const kills = 200
const photosAtOnce = 60
const maxWorkMs = 60
const entry = path.join(import.meta.dirname, 'rebuild-process.ts')
const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

void test('200 kills while photos are converted: each is readable after each kill, and all are converted in the end', async (t) => {
  const waymark = await startWaymark({ dataDir: await newFolder(t) })
  t.after(() => waymark.close())
  const { installation, dataDir } = waymark
  const { db } = installation.database
  await waymark.addTrail(4711, 'Rim Trail')
  const person = await waymark.addPerson()
  const photos = new Map<string, Buffer>()
  for (let index = 0; index < photosAtOnce; index += 1) {
    const jpeg = await makePicture(64, 64).jpeg().toBuffer()
    const photo = Buffer.concat([jpeg, randomBytes(2_000)])
    await waymark.upload(person, 4711, photo)
    photos.set(digestOf(photo), photo)
  }

  async function requireWhole(): Promise<void> {
    for (const [sha256, photo] of photos) assert.ok((await originalOf(installation, sha256)).equals(photo))
  }

  /** @returns whether it was killed during its work. */
  async function runAndKill(): Promise<boolean> {
    const child = fork(entry, [path.join(dataDir, 'waymark.sqlite'), path.join(dataDir, 'blobs')])
    const ended = once(child, 'exit')
    const [first] = (await once(child, 'message')) as [string]
    assert.equal(first, 'ready')
    const done = once(child, 'message').then(() => true)
    const isDone = await Promise.race([done, pause(Math.random() * maxWorkMs, false)])
    child.kill('SIGKILL')
    await ended
    return !isDone
  }

  let killed = 0
  let rounds = 0
  while (killed < kills) {
    if ((await countStoredTwice(db)) === 0) {
      rounds += 1
      for (const sha256 of photos.keys()) await storeAsBefore(installation, sha256)
    }
    if (await runAndKill()) killed += 1
    await requireWhole()
  }
  while ((await countStoredTwice(db)) > 0) await runAndKill()
  await requireWhole()
  for (const sha256 of photos.keys()) assert.equal(await installation.blobs.has(originalKey(sha256)), false)
  t.diagnostic(`${killed} kills at work, ${rounds} rounds of ${photosAtOnce} photos`)
})
