// An upload that fails at any step: a correct response, no row without its bytes, nothing stored, and a retry succeeds.
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { sql } from 'kysely'
import type { RefusalCode } from '../../../src/errors.ts'
import { createFaultyBlobs } from '../../helpers/faulty-blobs.ts'
import { newFolder } from '../../helpers/folders.ts'
import { originalOf } from '../../helpers/older-store.ts'
import { blobsOfPhoto, jpegPicture } from '../../helpers/pictures.ts'
import { assertProblem } from '../../helpers/problems.ts'
import { startWaymark, type WaymarkOptions } from '../../helpers/waymark.ts'

const trailId = 4711

async function start(t: TestContext, options: WaymarkOptions = {}) {
  const waymark = await startWaymark({ dataDir: await newFolder(t), mayFail: true, ...options })
  t.after(() => waymark.close())
  await waymark.addTrail(trailId, 'Rim Trail')
  const person = await waymark.addPerson()
  const { db } = waymark.installation.database
  const { blobs } = waymark.installation
  let seed = 0

  /** Ids of rows and keys of blobs, which must include every row's original. */
  async function stored(): Promise<{ images: number[]; keys: string[] }> {
    const rows = await db.selectFrom('image').select(['id', 'sha256']).orderBy('id').execute()
    const entries = await Array.fromAsync(blobs.list(''))
    const keys = entries.map(({ key }) => key).toSorted()
    for (const { id, sha256 } of rows)
      await assert.doesNotReject(originalOf(waymark.installation, sha256), `original of ${id}`)
    assert.deepEqual(await readdir(path.join(waymark.dataDir, 'blobs', 'tmp')), [])
    return { images: rows.map(({ id }) => id), keys }
  }

  async function post(bytes: Uint8Array): Promise<Response> {
    return waymark.fetch(`/Trails/${trailId}/Images`, {
      method: 'POST',
      token: person.token,
      headers: { 'content-type': 'image/jpeg' },
      body: Buffer.from(bytes),
    })
  }

  return {
    waymark,
    db,
    stored,
    post,
    newPicture: () => {
      seed += 1
      return jpegPicture({ width: 160, height: 120, seed })
    },
    /** Repeats the failed upload and checks the image. */
    retry: async (bytes: Uint8Array): Promise<void> => {
      const answer = await post(bytes)
      const text = await answer.text()
      assert.equal(answer.status, 201, text)
      for (const size of ['sm', 'lg']) {
        const view = await waymark.fetch(`/ImageHandler?id=${text}&t=${size}`)
        assert.equal(view.status, 200)
        await view.arrayBuffer()
      }
    },
  }
}

const codes: readonly (readonly [string, RefusalCode])[] = [
  ['ENOSPC', 'insufficient-storage'],
  ['EIO', 'storage-unavailable'],
  ['EDQUOT', 'insufficient-storage'],
  ['EMFILE', 'storage-unavailable'],
]

for (const isDone of [false, true]) {
  const what = isDone ? 'does its work and fails all the same' : 'fails'
  void test(`C17: if any call of the store ${what}, the upload is refused and leaves nothing`, async (t) => {
    const faults = createFaultyBlobs()
    const { stored, post, newPicture, retry } = await start(t, { wrapBlobs: faults.wrap })
    const seen: string[] = []
    for (let at = 1; at < 40; at += 1) {
      const [code, refusal] = codes[at % codes.length] ?? ['EIO', 'storage-unavailable']
      const before = await stored()
      const picture = await newPicture()
      faults.arm({ at, isDone, code })
      const answer = await post(picture)
      const failed = faults.disarm()
      if (failed === undefined) {
        assert.equal(answer.status, 201)
        break
      }
      seen.push(failed)
      await assertProblem(answer, refusal, `call ${at}, ${failed}`)
      assert.deepEqual(await stored(), before, `after call ${at}, ${failed}`)
      await retry(picture)
    }
    const puts = Array.from({ length: blobsOfPhoto }, () => 'put')
    // For the worker, for lg, and for the remainder.
    const reads = Array.from({ length: 4 }, () => 'read staged')
    assert.deepEqual(seen, ['receive', ...reads, ...puts])
  })
}

void test('a full disk returns Insufficient Storage, and no restart is needed once there is space', async (t) => {
  const faults = createFaultyBlobs()
  const { waymark, post, newPicture, retry } = await start(t, { wrapBlobs: faults.wrap })
  const picture = await newPicture()
  faults.arm({ at: 3, isDone: false, code: 'ENOSPC' })
  const problem = await assertProblem(await post(picture), 'insufficient-storage')
  assert.deepEqual([problem.status, problem.title], [507, 'Insufficient Storage'])
  assert.equal((await waymark.fetch('/health/live')).status, 200)
  faults.disarm()
  await retry(picture)
})

const tables = ['content', 'rendition', 'trail', 'image', 'counter', 'outbox', 'image_history'] as const

for (const way of ['abort', 'rollback'] as const) {
  void test(`C17: if any statement fails and ends in ${way}, the upload is refused and leaves nothing`, async (t) => {
    const { db, stored, post, newPicture, retry } = await start(t)
    await retry(await newPicture())
    for (const table of tables) {
      const before = await stored()
      const picture = await newPicture()
      const events = table === 'trail' || table === 'counter' ? 'update' : 'insert'
      const body = sql`begin select raise(${sql.raw(way)}, 'a fault that a test made'); end`
      await sql`create trigger fault before ${sql.raw(events)} on ${sql.table(table)} ${body}`.execute(db)
      await assertProblem(await post(picture), 'internal-error', table)
      await sql`drop trigger fault`.execute(db)
      const after = await stored()
      assert.deepEqual(after.images, before.images, table)
      // If no content can be marked, which is counted, the blobs are left to garbage collection.
      if (table !== 'content' && table !== 'counter') assert.deepEqual(after.keys, before.keys, table)
      await retry(picture)
    }
  })
}

void test('C17: an upload that cannot be committed is refused and leaves nothing behind', async (t) => {
  const { db, stored, post, newPicture, retry } = await start(t)
  const before = await stored()
  const picture = await newPicture()
  await sql`create table fault(id integer references trail(id) deferrable initially deferred)`.execute(db)
  await sql`create trigger fault after insert on image begin insert into fault values (-1); end`.execute(db)
  await assertProblem(await post(picture), 'internal-error')
  assert.deepEqual(await stored(), before)
  await sql`drop trigger fault`.execute(db)
  await retry(picture)
})

void test('a full database returns Insufficient Storage', async (t) => {
  const { db, stored, post, newPicture, retry } = await start(t)
  const before = await stored()
  const picture = await newPicture()
  await sql`create table ballast(bytes blob)`.execute(db)
  const fill = sql`insert into ballast values (zeroblob(1000000))`
  await sql`create trigger full after insert on image begin ${fill}; end`.execute(db)
  const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(db)
  await sql`pragma max_page_count = ${sql.raw(String((rows[0]?.page_count ?? 0) + 20))}`.execute(db)
  await assertProblem(await post(picture), 'insufficient-storage')
  assert.deepEqual(await stored(), before)
  await sql`pragma max_page_count = 100000`.execute(db)
  await retry(picture)
})

void test('a failed upload does not affect an image with the same file', async (t) => {
  const faults = createFaultyBlobs()
  const { stored, post, newPicture, retry, db } = await start(t, { wrapBlobs: faults.wrap })
  const picture = await newPicture()
  await retry(picture)
  await db.updateTable('image').set({ details_set_at: 1 }).execute() // so that the next upload is a new image
  const before = await stored()
  for (let at = 3; at < 8; at += 1) {
    faults.arm({ at, isDone: true, code: 'EIO' })
    await assertProblem(await post(picture), 'storage-unavailable', `call ${at}`)
    faults.disarm()
    assert.deepEqual(await stored(), before)
  }
  await retry(picture)
})

void test('C38: an upload over the byte quota leaves nothing behind', async (t) => {
  const { stored, post, newPicture } = await start(t, { environment: { QUOTA_BYTES: '10' } })
  await assertProblem(await post(await newPicture()), 'quota-reached')
  assert.deepEqual(await stored(), { images: [], keys: [] })
})
