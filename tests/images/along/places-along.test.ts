// GET /v2/trails/{trailID}/images/along: all published photos on the line in order, from the cache, and a selection of
// very many.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { listPlacesAlong } from '../../../src/images/list/along-table.ts'
import type { ImagesAlong } from '../../../src/shared/v2/image-schemas.ts'
import { jpegPicture } from '../../helpers/pictures.ts'
import { assertProblem } from '../../helpers/problems.ts'
import { startWaymark } from '../../helpers/waymark.ts'
import { detailsPart, filePart, readAs, sendForm } from '../image-client.ts'
import type { Image } from '../../../src/shared/v2/schemas.ts'

const waymark = await startWaymark()
after(() => waymark.close())
await waymark.addTrail(4711, 'Rim Trail')
const admin = await waymark.addPerson({ role: 'admin' })
const page = { headers: { 'x-waymark-page': '1' } }
const path = '/v2/trails/4711/images/along'
const { db } = waymark.installation.database

async function upload(lon: number | null, title: string): Promise<number> {
  const picture = await jpegPicture({ width: 12, height: 9, seed: title.length * 100 + (lon ?? 0) * 1e4 })
  const parts = [filePart(picture), detailsPart({ title, ...(lon === null ? {} : { lat: 0, lon }) })]
  return (await readAs<Image>(await sendForm(waymark, admin, 4711, { parts }), 201)).imageID
}
const approve = (id: number) => waymark.review(admin, id, 'approve')
const read = async () => (await readAs<ImagesAlong>(await waymark.fetch(path, page), 200)).images

void test('those on the line in its order, none that is pending or off the line', async () => {
  const sent = await waymark.fetch('/v2/trails/4711', {
    method: 'PUT',
    token: admin.token,
    headers: { 'content-type': 'application/json' },
    body: '{"name":"Rim Trail","geometry":{"type":"LineString","coordinates":[[7,0],[7.1,0]]}}',
  })
  assert.equal(sent.status, 200)
  const [late, early, away] = [await upload(7.08, 'Late'), await upload(7.02, ''), await upload(null, 'Away')]
  for (const id of [late, early, away]) await approve(id)
  const pending = await upload(7.05, 'Pending')
  const [first, second, ...others] = await read()
  assert.deepEqual(others, [])
  assert.deepEqual([first?.imageID, first?.title], [early, ''])
  assert.deepEqual([second?.imageID, second?.title], [late, 'Late'])
  assert.ok(first && second && Math.abs(second.milesAlong / first.milesAlong - 4) < 1e-3)

  const before = waymark.app.answersFromMemory()
  await read()
  assert.equal(waymark.app.answersFromMemory(), before + 1)
  await approve(pending)
  assert.equal((await read()).length, 3, 'a commit renews it')
  await assertProblem(await waymark.fetch('/v2/trails/9/images/along', page), 'invalid-trail-id')
})

void test('above the limit, an even selection, the same each time', async () => {
  const all = await listPlacesAlong(db, 4711, 3)
  assert.equal(all.length, 3)
  const some = await listPlacesAlong(db, 4711, 2)
  assert.ok(some.length > 0 && some.length < 3)
  assert.ok(some.every(({ imageID }) => all.some((one) => one.imageID === imageID)))
  assert.deepEqual(await listPlacesAlong(db, 4711, 2), some)
  // Each was uploaded, titled and approved before the next, so that only every third number of the trail is a photo.
  await db
    .updateTable('image')
    .set(({ eb }) => ({ seq: eb('seq', '+', 1_000) }))
    .execute()
  for (const [at, { imageID }] of all.entries())
    await db
      .updateTable('image')
      .set({ seq: 2 + 6 * at })
      .where('id', '=', imageID)
      .execute()
  for (const max of [2, 1])
    assert.deepEqual(
      await listPlacesAlong(db, 4711, max),
      all.filter((_, at) => at % Math.ceil(3 / max) === 0),
    )
})
