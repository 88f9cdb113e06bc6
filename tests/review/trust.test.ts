// Trusted submitters skip review: what they upload is approved at once, and their edits count as accepted (issue 6).
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { jpegPicture } from '../helpers/pictures.ts'
import { addSignedIn, type Member } from '../helpers/visitor.ts'
import type { Person } from '../helpers/waymark.ts'
import { assertAgreement } from './agreement.ts'
import { decide, edit, get, movesOf, startReview, trailId, undo, upload } from './review-client.ts'

const place = await startReview()
const pending = await startReview({ EDITED_PHOTOS: 'require-review' })
let admin: Member
before(async () => {
  admin = await addSignedIn(place.waymark, 'admin')
})
after(async () => {
  await place.waymark.close()
  await pending.waymark.close()
})
const { waymark, rob, db } = place

const trust = (accountId: number, trusted: boolean) =>
  admin.call('PATCH', `/v2/admin/accounts/${accountId}`, { trusted })

async function trusted(name: string): Promise<Person> {
  const person = await waymark.addPerson({ name })
  assert.equal((await trust(person.accountId, true)).status, 200)
  return person
}

const stateOf = async (imageId: number) => {
  const { body } = await get(place, `/v2/images/${imageId}`, rob)
  return [body['status'], body['edited'], body['title']]
}

void test('an admin marks an account as trusted and removes the mark, audited', async () => {
  const { accountId } = await waymark.addPerson()
  const read = async () =>
    (JSON.parse((await admin.call('GET', `/v2/admin/accounts/${accountId}`)).text) as { trusted: boolean })
      .trusted
  assert.equal(await read(), false)
  const answer = await trust(accountId, true)
  assert.equal((JSON.parse(answer.text) as { trusted: boolean }).trusted, true)
  assert.equal((await trust(accountId, true)).status, 200)
  // What says nothing of it leaves it alone.
  assert.equal((await admin.call('PATCH', `/v2/admin/accounts/${accountId}`, { role: 'member' })).status, 200)
  assert.equal(await read(), true)
  assert.equal((await trust(accountId, false)).status, 200)
  assert.equal(await read(), false)
  const rows = await db
    .selectFrom('audit')
    .select('action')
    .where('account_id', '=', accountId)
    .where('action', 'like', 'account.%')
    .orderBy('position')
    .execute()
  assert.deepEqual(
    rows.map(({ action }) => action),
    ['account.created', 'account.trusted', 'account.distrusted'],
    'once each',
  )
})

void test('C23: a photo of a trusted submitter is listed at once, by two state changes, and a reviewer can still unpublish it', async () => {
  const tom = await trusted('Tom')
  const imageId = await upload(place, tom)
  assert.deepEqual(await movesOf(place, imageId), [
    'null>pending image.uploaded',
    'pending>approved image.approved trusted',
  ])
  const { body: list } = await get<{ imageID: number }[]>(place, `/Trails/${trailId}/Images`)
  assert.ok(list.some(({ imageID }) => imageID === imageId))
  const row = await db
    .selectFrom('image')
    .select('queued_at')
    .where('id', '=', imageId)
    .executeTakeFirstOrThrow()
  assert.equal(row.queued_at, null, 'nothing waits')
  assert.equal((await undo(place, imageId)).body.status, 'pending')
  await assertAgreement(db, trailId)
})

void test('C22: an edit by a trusted submitter counts as accepted, and one by staff does not', async () => {
  const tom = await trusted('Tom')
  const imageId = await upload(place, tom)
  await edit(place, imageId, { title: 'Mine' }, tom)
  assert.deepEqual(await stateOf(imageId), ['approved', false, 'Mine'])
  await edit(place, imageId, { title: 'Of staff' }, rob)
  assert.deepEqual(await stateOf(imageId), ['approved', true, 'Of staff'])
  await edit(place, imageId, { title: 'Mine again' }, tom)
  assert.deepEqual(await stateOf(imageId), ['approved', false, 'Mine again'])
  await decide(place, imageId, 'remove')
  await edit(place, imageId, { title: 'While removed' }, tom)
  await decide(place, imageId, 'restore')
  assert.deepEqual(await stateOf(imageId), ['approved', true, 'While removed'])
  await assertAgreement(db, trailId)
})

void test('C22: EDITED_PHOTOS=require-review: an edit by a trusted submitter stays listed, but not after the trust has ended', async () => {
  const { db: other, ana } = pending
  const change = (trustedAt: number | null) =>
    other.updateTable('account').set({ trusted_at: trustedAt }).where('id', '=', ana.accountId).execute()
  await change(1)
  const imageId = await upload(pending, ana)
  const status = async () => (await get(pending, `/v2/images/${imageId}`)).body['status']
  await edit(pending, imageId, { title: 'Mine' })
  assert.equal(await status(), 'approved')
  await change(null)
  await edit(pending, imageId, { title: 'Mine again' })
  assert.equal(await status(), 'pending')
})

void test('C18: a trusted upload is not pending, so the same bytes again create a new image, unless an idempotency key matches', async () => {
  const tom = await trusted('Tom')
  const picture = Buffer.from(await jpegPicture({ width: 20, height: 10 }))
  const send = async (key?: string) => {
    const answer = await waymark.fetch(`/Trails/${trailId}/Images`, {
      method: 'POST',
      token: tom.token,
      headers: { 'content-type': 'image/jpeg', ...(key !== undefined && { 'idempotency-key': key }) },
      body: picture,
    })
    return [answer.status, await answer.text()]
  }
  const first = await send('a')
  assert.deepEqual(await send('a'), first)
  const plain = await send()
  assert.equal(plain[0], 201)
  assert.notEqual(plain[1], first[1])
  assert.notDeepEqual(await send(), plain)
})
