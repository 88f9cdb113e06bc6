// An upload in progress when an installation becomes read-only is refused, and changes nothing.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Blobs } from '../../../src/storage/port.ts'
import { digestTable } from '../../../src/database/copy-rows.ts'
import { layoutOf } from '../../../src/database/layout.ts'
import { switchReadOnlyOff, switchReadOnlyOn } from '../../../src/database/read-only.ts'
import { condemnContents } from '../../../src/images/storage/content-table.ts'
import { anotherPicture } from '../../helpers/leaving.ts'
import { blobsOfPhoto } from '../../helpers/pictures.ts'
import { assertProblem } from '../../helpers/problems.ts'
import { startWaymark } from '../../helpers/waymark.ts'

type Moment = 'receive' | 'put'

/** @param moment step of the upload after which it becomes read-only. */
async function uploadIntoSwitch(t: TestContext, moment: Moment) {
  let armed: Moment | undefined
  const passed = async (step: Moment): Promise<void> => {
    if (step !== armed) return
    armed = undefined
    await switchReadOnlyOn(waymark.installation.database.db, 1, 'moving')
    before = await digests()
  }
  const switching = (blobs: Blobs): Blobs => ({
    ...blobs,
    receive: async (source, limitBytes) => {
      const staged = await blobs.receive(source, limitBytes)
      await passed('receive')
      return staged
    },
    put: async (key, bytes, durability) => {
      await blobs.put(key, bytes, durability)
      if (key.endsWith('.lg')) await passed('put')
    },
  })
  const waymark = await startWaymark({ wrapBlobs: switching })
  t.after(() => waymark.close())
  await waymark.addTrail(4711, 'Rim Trail')
  const ana = await waymark.addPerson()
  let before: unknown

  /** Of every table. */
  const digests = () =>
    waymark.installation.database.snapshot(async (db) => {
      const tables = await layoutOf({ engine: waymark.installation.database.engine, db })
      return Promise.all(tables.map(async (table) => [table.name, await digestTable(db, table)]))
    })
  const blobKeys = async () =>
    (await Array.fromAsync(waymark.installation.blobs.list(''))).map(({ key }) => key)

  armed = moment
  const picture = await anotherPicture()
  const answer = await waymark.fetch('/Trails/4711/Images', {
    method: 'POST',
    token: ana.token,
    headers: { 'content-type': 'image/jpeg' },
    body: new Uint8Array(picture),
  })
  assert.equal(answer.headers.get('retry-after'), '60')
  await assertProblem(answer, 'read-only')
  assert.ok(before !== undefined)
  assert.deepEqual(await digests(), before)
  return { waymark, ana, picture, blobKeys }
}

void test('switching to read-only while the bytes arrive: the upload is refused, and neither a row nor a blob is written', async (t) => {
  const { blobKeys } = await uploadIntoSwitch(t, 'receive')
  assert.deepEqual(await blobKeys(), [])
})

void test('switching to read-only between bytes and row: no row is written; the same photo can be sent again, or is swept a day later', async (t) => {
  const { waymark, ana, picture, blobKeys } = await uploadIntoSwitch(t, 'put')
  assert.equal(
    (await blobKeys()).length,
    blobsOfPhoto,
    'to delete them, their content would have to be marked',
  )
  const { db } = waymark.installation.database
  waymark.system.advance(25 * 3_600_000)
  await waymark.app.sweep()
  assert.equal((await blobKeys()).length, blobsOfPhoto)
  await switchReadOnlyOff(db)
  const again = { accountId: ana.accountId, token: await waymark.tokenFor(ana.accountId, 'images:write') }
  const imageId = await waymark.upload(again, 4711, picture)
  assert.ok(imageId > 0)
  assert.equal((await waymark.fetch(`/ImageHandler?id=${imageId}&t=lg`)).status, 200)
})

void test('switching to read-only during a sweep or a clean-up: no content is marked', async (t) => {
  const { waymark } = await uploadIntoSwitch(t, 'receive')
  const { db } = waymark.installation.database
  assert.deepEqual(await condemnContents(db, ['ab'.repeat(32)], 1), [])
  assert.deepEqual(await db.selectFrom('content').select('sha256').execute(), [])
  await switchReadOnlyOff(db)
  assert.deepEqual(await condemnContents(db, ['ab'.repeat(32)], 1), ['ab'.repeat(32)])
})
