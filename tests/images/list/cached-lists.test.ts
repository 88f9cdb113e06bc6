// Cached trail lists match the database after any change by anyone (contract C19, C39).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createListBodies } from '../../../src/images/list/list-bodies.ts'
import { createPresent } from '../../../src/images/present.ts'
import { anotherPicture } from '../../helpers/leaving.ts'
import { startWaymark } from '../../helpers/waymark.ts'
import { bytesIn, walk } from './list-walk.ts'

void test('C19 C40: after any change the very next list is what it would be without a cache', async () => {
  assert.ok((await walk({ seed: 7, steps: 21, xmlEmail: 'permitted' })) > 12)
})

void test('C19: a cached list is not used for another name at the same address, nor for another trail with the same ID', async (t) => {
  const waymark = await startWaymark()
  t.after(() => waymark.close())
  const { db } = waymark.installation.database
  const present = createPresent({ imageHandlerUrl: '', xmlEmail: 'permitted', takenAt: 'day' })
  const bodies = createListBodies({ db, present, megabytes: 1 })
  const read = async () => {
    const reader = { kind: 'key', keyHash: '', accountId: 0 } as const
    const { body } = await bodies.answer(reader, 4711, { format: 'json', acceptEncoding: '' })
    return JSON.parse(bytesIn(body).toString()) as { imageID: number; trailName: string }[]
  }
  await waymark.addTrail(4711, 'Rim Trail', 'rim')
  const ana = await waymark.addPerson()
  const rob = await waymark.addPerson({ role: 'reviewer' })
  const imageId = await waymark.upload(ana, 4711, await anotherPicture())
  assert.equal((await waymark.review(rob, imageId, 'approve')).status, 200)
  assert.equal((await read())[0]?.trailName, 'Rim Trail')
  await waymark.addTrail(4711, 'Rim Path', 'rim')
  assert.equal((await read())[0]?.trailName, 'Rim Path')

  const trail = await db.selectFrom('trail').selectAll().where('id', '=', 4711).executeTakeFirstOrThrow()
  await db.deleteFrom('image').where('id', '=', imageId).execute()
  await db.deleteFrom('trail').where('id', '=', 4711).execute()
  await db
    .insertInto('trail')
    .values({ ...trail, created_at: trail.created_at + 1 })
    .execute()
  assert.deepEqual(await read(), [])
})

void test('after a failover that lost writes, a version number that repeats is not mistaken for the cached one', async (t) => {
  const waymark = await startWaymark()
  t.after(() => waymark.close())
  let failovers = 0
  const { database } = waymark.installation
  const db = Object.assign(database.db, { failovers: () => failovers })
  const present = createPresent({ imageHandlerUrl: '', xmlEmail: 'permitted', takenAt: 'day' })
  const bodies = createListBodies({ db, present, megabytes: 1 })
  const read = async () => {
    const reader = { kind: 'key', keyHash: '', accountId: 0 } as const
    const { body } = await bodies.answer(reader, 4711, { format: 'json', acceptEncoding: '' })
    return JSON.parse(bytesIn(body).toString()) as unknown[]
  }
  await waymark.addTrail(4711, 'Rim Trail', 'rim')
  const ana = await waymark.addPerson()
  const rob = await waymark.addPerson({ role: 'reviewer' })
  const imageId = await waymark.upload(ana, 4711, await anotherPicture())
  assert.equal((await waymark.review(rob, imageId, 'approve')).status, 200)
  assert.equal((await read()).length, 1)
  // As on a standby that never received it, with as many other changes since.
  await db.deleteFrom('image').where('id', '=', imageId).execute()
  failovers += 1
  assert.equal((await read()).length, 0)
})
