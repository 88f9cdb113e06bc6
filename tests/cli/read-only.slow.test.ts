// `waymark read-only`: every change is refused from the next request on, and reading still works.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { switchReadOnlyOff, switchReadOnlyOn } from '../../src/database/read-only.ts'
import { newFolder } from '../helpers/folders.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { assertProblem } from '../helpers/problems.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { done, run } from './run-waymark.ts'

void test('read-only on, status, off; commands that change something refuse in the meantime', async (t) => {
  const options = { dataDir: await newFolder(t) }
  const add = ['trails', 'add', '--id', '4711', '--name', 'Rim Trail']
  assert.equal((await run(['migrate'], options)).exitCode, 0)
  assert.deepEqual(await done(['read-only', 'status'], options), { readOnly: false })
  assert.deepEqual(await done(['read-only', 'on', '--reason', 'We move to a new disk'], options), {
    readOnly: true,
  })
  const status = (await done(['read-only', 'status'], options)) as { since: string; reason: string }
  assert.equal(status.reason, 'We move to a new disk')
  assert.match(status.since, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
  const refused = await run(add, options)
  assert.equal(refused.exitCode, 2)
  assert.match(refused.stderr, /^The service has been read-only since .*: We move to a new disk\.\n$/)
  assert.deepEqual(await done(['read-only', 'off'], options), { readOnly: false })
  assert.deepEqual(await done(add, options), { trails: 1 })
})

void test('while it is on, a server refuses changes with 503 and still serves reads', async (t) => {
  const waymark = await startWaymark()
  t.after(() => waymark.close())
  const { database } = waymark.installation
  const trailId = await waymark.addTrail(4711, 'Rim Trail')
  const person = await waymark.addPerson({ role: 'reviewer' })
  const key = await waymark.addKey(person.accountId)
  const imageId = await waymark.upload(person, trailId, await jpegPicture())
  await switchReadOnlyOn(database.db, waymark.system.now(), '')

  const upload = await waymark.fetch(`/Trails/${trailId}/Images/`, {
    method: 'POST',
    token: person.token,
    headers: { 'content-type': 'image/jpeg' },
    body: Buffer.from(await jpegPicture()),
  })
  await assertProblem(upload, 'read-only')
  assert.equal(upload.headers.get('retry-after'), '60')
  const change = await waymark.fetch(`/Trails/${trailId}/Images/${imageId}`, {
    method: 'PUT',
    token: person.token,
    headers: { 'content-type': 'application/json' },
    body: '{"title": "No"}',
  })
  await assertProblem(change, 'read-only')
  await assertProblem(await waymark.review(person, imageId, 'approve'), 'read-only')
  assert.equal((await waymark.fetch(`/ImageHandler?id=${imageId}&t=sm`)).status, 200)
  assert.equal((await waymark.fetch(`/Trails/${trailId}/Images/?api_key=${key}`)).status, 200)

  await switchReadOnlyOff(database.db)
  assert.equal((await waymark.review(person, imageId, 'approve')).status, 200)
})

void test('a change in progress when it was switched on is refused, not stored', async (t) => {
  const waymark = await startWaymark({
    wrapBlobs: (blobs) => ({
      ...blobs,
      receive: async (source, limit) => {
        const staged = await blobs.receive(source, limit)
        await switchReadOnlyOn(waymark.installation.database.db, 0, '')
        return staged
      },
    }),
  })
  t.after(() => waymark.close())
  const trailId = await waymark.addTrail(4711, 'Rim Trail')
  const person = await waymark.addPerson()
  const upload = await waymark.fetch(`/Trails/${trailId}/Images/`, {
    method: 'POST',
    token: person.token,
    headers: { 'content-type': 'image/jpeg' },
    body: Buffer.from(await jpegPicture()),
  })
  await assertProblem(upload, 'read-only')
  const images = await waymark.installation.database.db.selectFrom('image').select('id').execute()
  assert.deepEqual(images, [])
})
