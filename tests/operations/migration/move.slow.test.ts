// waymark move between file stores: everything acknowledged is at the new place, however often the move was interrupted.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { readConfig, type Environment } from '../../../src/settings/config.ts'
import { openDatabase } from '../../../src/database/open-database.ts'
import { findReadOnly } from '../../../src/database/read-only.ts'
import { openInstallation } from '../../../src/installation.ts'
import { newFolder } from '../../helpers/folders.ts'
import { jpegPicture } from '../../helpers/pictures.ts'
import { startWaymark } from '../../helpers/waymark.ts'
import { assertOneSentence, done, run, runJson, startChild } from '../../cli/run-waymark.ts'
import { blobsAt, digestsAt, fill } from './moves.ts'

const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

interface Moved {
  readonly ok: boolean
  readonly resumed: boolean
  readonly images: number
  readonly tables: Record<string, { rows: number; digest: string }>
}

async function places(t: Parameters<typeof newFolder>[0]) {
  const folder = await newFolder(t)
  const dataDir = path.join(folder, 'old')
  const [toDatabase, toBlobs] = [`sqlite:${folder}/new/waymark.sqlite`, `file:${folder}/new/blobs`]
  return {
    folder,
    dataDir,
    old: { DATA_DIR: dataDir },
    settings: { DATABASE_URL: toDatabase, BLOB_URL: toBlobs },
    args: ['move', '--to-database', toDatabase, '--to-blobs', toBlobs],
  }
}

/** Runs the command, which signals itself as soon as it has printed the text. */
async function signalledAfter(
  words: string,
  signal: 'SIGKILL' | 'SIGINT',
  args: readonly string[],
  dataDir: string,
) {
  const preload = path.resolve(import.meta.dirname, '../../helpers/signal-itself.ts')
  const settings = { NODE_OPTIONS: `--import "${preload}"`, SIGNAL_AFTER: words, SIGNAL: signal }
  const child = startChild(args, { dataDir, settings })
  child.stdout.resume()
  const [stderr, ended] = await Promise.all([text(child.stderr), once(child, 'close')])
  assert.ok(stderr.includes(words), stderr)
  const [exitCode] = ended as [number | null]
  return { exitCode, stderr }
}

void describe('waymark move', { concurrency: 2 }, () => {
  void test('D4: moved under load, every acknowledged photo is in the new place, and the old one accepts no more', async (t) => {
    const { dataDir, old, settings, args } = await places(t)
    const waymark = await startWaymark({ dataDir })
    t.after(() => waymark.close())
    const ann = await fill(waymark)
    const acknowledged: number[] = []
    let refused: { status: number; text: string; sha256: string } | undefined
    const ended = new AbortController()
    const moving = runJson(args, { dataDir }).finally(() => ended.abort())
    let triesLeft = 2
    for (let seed = 100; refused === undefined && triesLeft > 0; seed += 1) {
      if (ended.signal.aborted) triesLeft -= 1 // the last photos may have been stored just before the switch
      const picture = await jpegPicture({ seed })
      const answer = await waymark.fetch('/Trails/4711/Images/', {
        method: 'POST',
        token: ann.token,
        headers: { 'content-type': 'image/jpeg' },
        body: Buffer.from(picture),
      })
      const body = await answer.text()
      if (answer.status === 201 || answer.status === 200)
        acknowledged.push(Number(answer.headers.get('location')?.split('/').at(-1) ?? /\d+/.exec(body)?.[0]))
      else refused = { status: answer.status, text: body, sha256: sha256Of(picture) }
    }
    assert.equal(refused?.status, 503)
    assert.match(refused.text, /migrated/)
    const { exitCode, document, stderr } = await moving
    const moved = document as Moved
    assert.deepEqual([exitCode, moved.ok, moved.resumed], [0, true, false], stderr)
    assert.equal(moved.images, acknowledged.length + 2)
    assert.ok(acknowledged.length > 0, 'photos came while it was moved')

    const there = { ...old, ...settings }
    assert.deepEqual(await digestsAt(there), moved.tables)
    assert.deepEqual(await digestsAt(old), moved.tables)
    const [before, after] = [await blobsAt(old), await blobsAt(there)]
    for (const [key, bytes] of after) assert.equal(bytes, before.get(key), key)
    // If the switch came between blob and row, the blob of the refused photo is left to garbage collection.
    for (const key of before.keys()) assert.ok(after.has(key) || key.includes(refused.sha256), key)
    const check = await done(['check', '--store', '--audit'], { dataDir, settings })
    assert.equal((check as { ok: boolean }).ok, true)
    const opened = await openInstallation(readConfig(there))
    t.after(() => opened.close())
    assert.equal(await findReadOnly(opened.database.db), undefined, 'the new place takes changes')
    const again = await run(args, { dataDir })
    assert.equal(again.exitCode, 2)
    assertOneSentence(again.stderr)
    assert.match(again.stderr, /already contains data/)
    assert.match((await run(['read-only', 'status'], { dataDir })).stdout, /has been migrated/)
  })

  void test('killed at any point, the move resumes; until then no server starts on the incomplete copy, and no other move can use it', async (t) => {
    const { folder, dataDir, old, settings, args } = await places(t)
    const waymark = await startWaymark({ dataDir })
    await fill(waymark)
    await waymark.close()
    const moments = [
      'Copying photos; the service',
      'Checking that all photos',
      'Copying and comparing the database',
      'The service is now read-only',
      'Copying what has changed',
    ]
    for (const moment of moments) {
      const said = await signalledAfter(moment, 'SIGKILL', args, dataDir)
      assert.equal(said.exitCode, null, said.stderr)
      const half = await run(['check'], { dataDir, settings })
      assert.equal(half.exitCode, 2)
      assertOneSentence(half.stderr)
      assert.match(half.stderr, /A move of .* is in progress or was interrupted/)
    }
    assert.match((await run(['read-only', 'status'], { dataDir })).stdout, /being migrated/)
    const other = path.join(folder, 'other')
    await done(['trails', 'add', '--id', '1', '--name', 'Other'], { dataDir: other })
    const taken = await run(args, { dataDir: other })
    assert.deepEqual([taken.exitCode, /is in progress/.test(taken.stderr)], [2, true])

    const { exitCode, document } = await runJson(args, { dataDir })
    const moved = document as Moved
    assert.deepEqual([exitCode, moved.ok, moved.resumed], [0, true, true])
    assert.deepEqual(await digestsAt({ ...old, ...settings }), moved.tables)
    assert.deepEqual(await blobsAt({ ...old, ...settings }), await blobsAt(old))
    await rm(other, { recursive: true })
  })

  void test('cancelled with Ctrl+C after the switch, the old place accepts changes again', async (t) => {
    const { dataDir, args } = await places(t)
    const waymark = await startWaymark({ dataDir })
    await fill(waymark)
    await waymark.close()
    const { exitCode, stderr } = await signalledAfter('The service is now read-only', 'SIGINT', args, dataDir)
    assert.equal(exitCode, 2, stderr)
    assert.match(stderr, /The migration was cancelled/)
    assert.match((await run(['read-only', 'status'], { dataDir })).stdout, /Not read-only/)
  })

  void test('records of a killed move in the old place are in no backup, and `read-only off` removes them', async (t) => {
    const { folder, dataDir, old, args } = await places(t)
    const waymark = await startWaymark({ dataDir })
    await fill(waymark)
    await waymark.close()
    const hasNotes = async (environment: Environment): Promise<boolean> => {
      const database = await openDatabase(readConfig(environment).databasePlace)
      try {
        const { rows } = await sql<{ name: string }>`select name from sqlite_schema`.execute(database.db)
        return rows.some(({ name }) => name.startsWith('waymark_departure'))
      } finally {
        await database.close()
      }
    }
    await signalledAfter('Checking that all photos', 'SIGKILL', args, dataDir)
    assert.equal(await hasNotes(old), true)
    const file = path.join(folder, 'waymark.zip')
    await done(['backup', file], { dataDir })
    const restored = path.join(folder, 'restored')
    await done(['restore', file], { dataDir: restored })
    assert.equal(await hasNotes({ DATA_DIR: restored }), false)
    await done(['read-only', 'off'], { dataDir })
    assert.equal(await hasNotes(old), false)
  })

  void test('photos only: no server starts on an incomplete copy, and wrong usage is reported in one sentence', async (t) => {
    const { folder, dataDir, old } = await places(t)
    const waymark = await startWaymark({ dataDir })
    await fill(waymark)
    await waymark.close()
    const BLOB_URL = `file:${folder}/new/blobs`
    const args = ['move', '--to-blobs', BLOB_URL]
    await signalledAfter('Copying photos; the service', 'SIGKILL', args, dataDir)
    assert.match((await run(['check'], { dataDir, settings: { BLOB_URL } })).stderr, /^A migration of photos/)
    const moved = await runJson(args, { dataDir })
    assert.deepEqual([moved.exitCode, (moved.document as Moved).resumed], [0, true])
    assert.deepEqual(await blobsAt({ ...old, BLOB_URL }), await blobsAt(old))
    await done(['check', '--store'], { dataDir, settings: { BLOB_URL } })
    for (const wrong of [
      ['move'],
      ['move', '--to-blobs', `file:${dataDir}/blobs`],
      ['move', '--to-database', 'x'],
    ]) {
      const { exitCode, stderr } = await run(wrong, { dataDir })
      assert.equal(exitCode, 1)
      assertOneSentence(stderr)
    }
  })
})
