// The trash: images deleted from any state, unknown everywhere, restorable with their state by those who may (contract
// C23, Part D).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Image } from '../../../src/shared/v2/schemas.ts'
import { jpegPicture } from '../../helpers/pictures.ts'
import { assertProblem } from '../../helpers/problems.ts'
import type { Person } from '../../helpers/waymark.ts'
import { imageOf, later, patch, remove, restore, readAs, type Page } from '../image-client.ts'
import { day, downwards, startTrash } from './trash-place.ts'

const {
  waymark,
  ana,
  bea,
  rob,
  limited,
  people,
  key,
  newImage,
  deleteNow,
  trashOf,
  movesOf,
  versionOf,
  assertCounters,
} = await startTrash()
after(() => waymark.close())
const { db } = waymark.installation.database

const histories = {
  pending: [],
  approved: ['approve'],
  rejected: ['reject'],
  removed: ['approve', 'remove'],
} as const

for (const [state, decisions] of Object.entries(histories)) {
  void test(`C23: ${state} → deleted, not found everywhere, → ${state} again, with one event each`, async () => {
    const imageId = await newImage(decisions)
    const before = await imageOf(waymark, ana, imageId)
    assert.equal(before.status, state)
    const version = await versionOf(4711)
    await deleteNow(imageId)
    assert.equal(await versionOf(4711), version + 1)
    for (const person of [ana, bea, rob]) {
      const { token } = person
      const json = { 'content-type': 'application/json' }
      const asks = [
        waymark.fetch(`/v2/images/${imageId}`, { token }),
        waymark.fetch(`/Trails/4711/Images/${imageId}`, { token }),
        waymark.fetch(`/ImageHandler?id=${imageId}&t=sm`, { token }),
        waymark.fetch(`/v2/images/${imageId}`, { method: 'DELETE', token }),
        waymark.fetch(`/v2/images/${imageId}`, { method: 'PATCH', token, headers: json, body: '{}' }),
        waymark.fetch(`/Trails/4711/Images/${imageId}`, { method: 'PUT', token, headers: json, body: '{}' }),
        waymark.fetch(`/v2/images/${imageId}/history`, { token }),
      ]
      if (person === rob) asks.push(waymark.review(rob, imageId, 'approve'))
      for (const answer of await Promise.all(asks)) await assertProblem(answer, 'invalid-image-id')
    }
    await assertProblem(await waymark.fetch(`/ImageHandler?id=${imageId}`), 'invalid-image-id')
    const lists = [`/Trails/4711/Images?api_key=${key}`, `/v2/trails/4711/images?api_key=${key}`]
    for (const list of lists)
      assert.doesNotMatch(await (await waymark.fetch(list)).text(), new RegExp(String(imageId)))
    const own = await readAs<Page<Image>>(await waymark.fetch('/v2/images', { token: ana.token }))
    assert.ok(own.items.every(({ imageID }) => imageID !== imageId))

    const [item] = await trashOf(ana)
    const at = waymark.system.now()
    assert.deepEqual(item, {
      imageID: imageId,
      trailID: 4711,
      trailName: 'Rim Trail',
      title: before.title,
      caption: before.caption,
      status: state,
      submitterID: ana.accountId,
      displayName: 'Ana',
      deletedAt: new Date(at).toISOString(),
      deletedBy: { acctID: ana.accountId, displayName: 'Ana' },
      goneAt: new Date(at + 30 * day).toISOString(),
    })

    await later(waymark, people, 30 * day - 1)
    const restored = await readAs<Image>(await restore(waymark, ana, imageId))
    assert.deepEqual(restored, { ...before, updatedAt: new Date(waymark.system.now()).toISOString() })
    assert.deepEqual(await imageOf(waymark, ana, imageId), restored)
    assert.equal(await versionOf(4711), version + 2)
    assert.deepEqual((await movesOf(imageId)).slice(-2), [
      `image.deleted ${state} deleted`,
      `image.restored deleted ${state}`,
    ])
    assert.equal((await trashOf(ana)).length, 0)
    await assertCounters()
  })
}

void test('C22: an edited image is still marked as edited when it is restored, and is pending review again', async () => {
  const imageId = await newImage(['approve'])
  assert.equal((await patch(waymark, ana, imageId, { body: { title: 'Other' } })).status, 200)
  const queuedAt = async () =>
    (await db.selectFrom('image').select('queued_at').where('id', '=', imageId).executeTakeFirst())?.queued_at
  assert.notEqual(await queuedAt(), null)
  await deleteNow(imageId)
  assert.equal(await queuedAt(), null)
  const restored = await readAs<Image>(await restore(waymark, ana, imageId))
  assert.deepEqual([restored.status, restored.edited, restored.title], ['approved', true, 'Other'])
  assert.notEqual(await queuedAt(), null)
})

void test('Part D: the trash lists the viewer’s own images; staff see those of the trails they may review', async () => {
  const here = await newImage([], 4711, bea)
  const there = await newImage(['approve'], 4712, bea)
  const lims = await newImage([], 4711, limited)
  await deleteNow(here, rob)
  await deleteNow(there, bea)
  await deleteNow(lims, limited)
  const ids = async (person: Person) => (await trashOf(person)).map(({ imageID }) => imageID)
  assert.deepEqual(await ids(bea), [here, there].toSorted(downwards))
  assert.deepEqual(await ids(ana), [])
  assert.deepEqual((await ids(rob)).toSorted(downwards), [here, there, lims].toSorted(downwards))
  assert.deepEqual((await ids(limited)).toSorted(downwards), [there, lims].toSorted(downwards))
  const onlyRead = { ...rob, token: await waymark.tokenFor(rob.accountId, 'images:read') }
  assert.deepEqual(await ids(onlyRead), [])
  // The submitter sees that staff deleted it, but not who.
  const shown = (await trashOf(bea)).map(({ imageID, deletedBy }) => [
    imageID,
    deletedBy?.displayName ?? null,
  ])
  assert.deepEqual(Object.fromEntries(shown), { [here]: null, [there]: 'Bea' })
  assert.equal((await trashOf(rob)).find(({ imageID }) => imageID === here)?.deletedBy?.displayName, 'Rob')
  // Without permission to restore it, it does not exist.
  await assertProblem(await restore(waymark, ana, here), 'invalid-image-id')
  await assertProblem(await restore(waymark, limited, here), 'invalid-image-id')
  assert.equal((await restore(waymark, limited, there)).status, 200)
  assert.equal((await restore(waymark, bea, here)).status, 200)
  await deleteNow(there, bea)
  await deleteNow(here, bea)
  await assertProblem(await waymark.fetch('/v2/trash'), 'credential-required')
  for (const query of ['limit=0', 'cursor=x', 'cursor=MQ', 'limit=501'])
    await assertProblem(await waymark.fetch(`/v2/trash?${query}`, { token: ana.token }), 'invalid-query')
})

void test('Part D: only the submitter and staff of the trail can delete and restore', async () => {
  const pending = await newImage()
  const listed = await newImage(['approve'])
  for (const imageId of [pending, listed]) {
    // Without access to the pending one, it does not exist; the published one is visible to everyone.
    const refusal = imageId === pending ? 'invalid-image-id' : 'forbidden'
    await assertProblem(await remove(waymark, bea, imageId), refusal)
    await assertProblem(await remove(waymark, limited, imageId), refusal)
    const reader = { ...ana, token: await waymark.tokenFor(ana.accountId, 'images:read') }
    await assertProblem(await remove(waymark, reader, imageId), 'insufficient-scope')
    assert.equal(
      (await waymark.fetch(`/v2/images/${imageId}?api_key=${key}`, { method: 'DELETE' })).status,
      401,
    )
  }
  for (const id of ['x', '0', '-1', '99999999999999999999', String(pending + 1)]) {
    const address = `/v2/images/${id}`
    await assertProblem(
      await waymark.fetch(address, { method: 'DELETE', token: ana.token }),
      'invalid-image-id',
    )
    const restoring = await waymark.fetch(`${address}/restore`, { method: 'POST', token: ana.token })
    await assertProblem(restoring, 'invalid-image-id')
  }
  // Not in the trash: 409 for those who may restore, 403 or 404 for others.
  const reported = await assertProblem(await restore(waymark, ana, listed), 'not-deleted')
  assert.match(reported.detail, /approved/)
  await assertProblem(await restore(waymark, rob, pending), 'not-deleted')
  await assertProblem(await restore(waymark, bea, listed), 'forbidden')
  await assertProblem(await restore(waymark, bea, pending), 'invalid-image-id')
})

void test('C39: a deletion with If-Match applies only to the version that was read', async () => {
  const imageId = await newImage()
  const answer = await waymark.fetch(`/v2/images/${imageId}`, { token: ana.token })
  const old = String(answer.headers.get('etag'))
  assert.equal((await patch(waymark, ana, imageId, { body: { title: 'New' } })).status, 200)
  await assertProblem(await remove(waymark, ana, imageId, { 'if-match': old }), 'precondition-failed')
  const now = await waymark.fetch(`/v2/images/${imageId}`, { token: ana.token })
  const tag = String(now.headers.get('etag'))
  assert.equal((await remove(waymark, ana, imageId, { 'if-match': `W/${tag}` })).status, 204)
  await assertProblem(await remove(waymark, ana, imageId, { 'if-match': tag }), 'invalid-image-id')
})

void test('C18: the same bytes sent after a deletion create a new image; a repeated idempotency key returns the id of its image', async () => {
  const bytes = await jpegPicture({ width: 13, height: 9 })
  const first = await waymark.upload(bea, 4711, bytes)
  await deleteNow(first, bea)
  const second = await waymark.upload(bea, 4711, bytes)
  assert.notEqual(second, first)
  await deleteNow(second, bea)
  const headers = { 'content-type': 'image/jpeg', 'idempotency-key': 'one' }
  const sent = () =>
    waymark.fetch('/Trails/4711/Images', { method: 'POST', token: bea.token, headers, body: bytes })
  const third = Number(await (await sent()).text())
  await deleteNow(third, bea)
  const again = await sent()
  assert.deepEqual([again.status, Number(await again.text())], [201, third])
  assert.equal((await restore(waymark, bea, third)).status, 200)
  await deleteNow(third, bea)
})
