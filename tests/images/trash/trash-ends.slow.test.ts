// How images leave the trash: races for an image, quotas, and the purge after 30 days (contract C23, C38).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { scopes } from '../../../src/auth/scopes.ts'
import { Refusal } from '../../../src/errors.ts'
import { createTrash } from '../../../src/images/trash/trash.ts'
import { jpegPicture } from '../../helpers/pictures.ts'
import { assertProblem } from '../../helpers/problems.ts'
import { imageOf, later, remove, restore } from '../image-client.ts'
import { day, downwards, startTrash } from './trash-place.ts'

const {
  waymark,
  ana,
  bea,
  rob,
  limited,
  people,
  newImage,
  deleteNow,
  trashOf,
  movesOf,
  versionOf,
  assertCounters,
  assertWhole,
} = await startTrash()
after(() => waymark.close())
const { db } = waymark.installation.database

void test('C23: concurrent deletions, deletion and approval, or restorations each get the response that matches the outcome', async () => {
  for (let round = 0; round < 5; round += 1) {
    const imageId = await newImage()
    const deletions = await Promise.all([remove(waymark, ana, imageId), remove(waymark, rob, imageId)])
    assert.deepEqual(deletions.map(({ status }) => status).toSorted(downwards), [404, 204])
    const restorations = await Promise.all([restore(waymark, ana, imageId), restore(waymark, rob, imageId)])
    assert.deepEqual(restorations.map(({ status }) => status).toSorted(downwards), [409, 200])
    const [deleted, approved] = await Promise.all([
      remove(waymark, ana, imageId),
      waymark.review(rob, imageId, 'approve'),
    ])
    assert.equal(deleted.status, 204)
    assert.ok([200, 404].includes(approved.status))
    const was = approved.status === 200 ? 'approved' : 'pending'
    assert.equal((await trashOf(ana))[0]?.status, was)
    await assertCounters()
    // Upload, deletion, restoration, deletion, and the approval if it came first: one row for each that succeeded.
    assert.equal((await movesOf(imageId)).length, was === 'approved' ? 5 : 4)
  }
})

void test('C23: of two deletions, or two restorations, that are both admitted, only one takes effect', async () => {
  const trash = createTrash({
    db,
    blobs: waymark.installation.blobs,
    now: waymark.system.now,
    maxPending: 0,
  })
  const actor = {
    kind: 'account',
    accountId: ana.accountId,
    role: 'member',
    scopes: new Set(scopes),
    via: 'client',
  } as const
  const codes = async (...works: Promise<void>[]): Promise<(string | undefined)[]> =>
    (await Promise.allSettled(works)).map((end) =>
      end.status === 'fulfilled' ? 'done' : end.reason instanceof Refusal ? end.reason.code : undefined,
    )
  const imageId = await newImage()
  const removal = () => trash.remove(actor, imageId, () => undefined)
  assert.deepEqual(await codes(removal(), removal()), ['done', 'invalid-image-id'])
  const restoring = () => trash.restore(actor, imageId)
  assert.deepEqual(await codes(restoring(), restoring()), ['done', 'not-deleted'])
  assert.equal((await movesOf(imageId)).length, 3)
  await deleteNow(imageId)
})

void test('C38: restoring an image does not bypass the quota of pending images', async () => {
  const cleo = await waymark.addPerson({ name: 'Cleo' })
  const ids: number[] = []
  for (let count = 0; count < 12; count += 1) ids.push(await newImage([], 4712, cleo))
  const [first = 0] = ids
  await deleteNow(first, cleo)
  await newImage([], 4712, cleo) // the trash does not count as pending
  await assertProblem(await restore(waymark, cleo, first), 'quota-reached')
  assert.equal((await restore(waymark, limited, first)).status, 200) // staff may
})

void test('C23: after 30 days a deleted image is unknown, and the sweep permanently deletes its row, bytes and renditions', async () => {
  const bytes = await jpegPicture({ width: 14, height: 9 })
  const shared = await jpegPicture({ width: 15, height: 9 })
  const imageId = await waymark.upload(ana, 4711, bytes)
  const twin = await waymark.upload(ana, 4711, shared)
  const kept = await waymark.upload(bea, 4711, shared)
  const { sha256 } = await imageOf(waymark, ana, imageId)
  const blobs = async (): Promise<number> => {
    const keys = await Array.fromAsync(waymark.installation.blobs.list(''), (blob) => blob.key)
    return keys.filter((name) => name.includes(sha256)).length
  }
  await deleteNow(imageId)
  await deleteNow(twin)
  await assertWhole()
  const version = await versionOf(4711)
  await later(waymark, people, 30 * day - 1)
  await waymark.app.sweep()
  assert.ok((await blobs()) > 1)
  assert.ok((await trashOf(ana)).some(({ imageID }) => imageID === imageId))
  waymark.system.advance(1)
  assert.ok((await trashOf(ana)).every(({ imageID }) => imageID !== imageId))
  await assertProblem(await restore(waymark, ana, imageId), 'invalid-image-id') // although nothing has been purged yet
  const events = await movesOf(imageId)
  await waymark.app.sweep()
  const row = await db.selectFrom('image').select('id').where('id', 'in', [imageId, twin]).executeTakeFirst()
  assert.equal(row, undefined)
  assert.equal(await blobs(), 0)
  assert.equal((await waymark.fetch(`/ImageHandler?id=${kept}&t=lg`)).status, 200) // another image has the same bytes
  await assertWhole()
  assert.equal(await versionOf(4711), version) // no list changes
  assert.deepEqual(await movesOf(imageId), events) // history and events remain
  const history = await db
    .selectFrom('image_history')
    .select('position')
    .where('image_id', '=', imageId)
    .execute()
  assert.equal(history.length, 2)
  await assertCounters()
  await assertProblem(await restore(waymark, ana, imageId), 'invalid-image-id')
})

void test('C23: when a restoration races the purge at the last moment, one wins and the counts agree', async () => {
  for (let round = 0; round < 5; round += 1) {
    const imageId = await newImage()
    await deleteNow(imageId)
    await later(waymark, people, 30 * day - (round % 2))
    const [restored] = await Promise.all([restore(waymark, ana, imageId), waymark.app.sweep()])
    const row = await db.selectFrom('image').select('state').where('id', '=', imageId).executeTakeFirst()
    assert.equal(restored.status, round % 2 === 0 ? 404 : 200)
    assert.equal(row?.state, round % 2 === 0 ? undefined : 'pending')
    await assertCounters()
  }
})
