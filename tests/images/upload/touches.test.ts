// An upload and a decision drop no unrelated cached responses.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { jpegPicture } from '../../helpers/pictures.ts'
import { startWaymark } from '../../helpers/waymark.ts'

const waymark = await startWaymark()
after(() => waymark.close())

void test('uploads, reviews, changes and views on one trail leave the cached responses of another trail in place', async () => {
  await waymark.addTrail(4711, 'Rim Trail')
  await waymark.addTrail(4712, 'Other Trail')
  const ana = await waymark.addPerson()
  const rob = await waymark.addPerson({ role: 'reviewer' })
  const own = await waymark.upload(ana, 4711, await jpegPicture({ seed: 1 }))
  await waymark.review(rob, own, 'approve')
  const kept = [
    `/ImageHandler?id=${own}&t=sm`,
    '/Trails/4711/Images',
    `/v2/images/${own}`,
    '/v2/trails/4711/images',
  ]
  const areKept = async (): Promise<boolean[]> => {
    const found = []
    for (const path of kept) {
      const before = waymark.app.answersFromMemory()
      assert.equal(
        (await waymark.fetch(path, { token: ana.token, headers: { 'accept-encoding': 'identity' } })).status,
        200,
      )
      found.push(waymark.app.answersFromMemory() > before)
    }
    return found
  }
  await areKept()
  const all = kept.map(() => true)
  assert.deepEqual(await areKept(), all)
  const other = await waymark.upload(ana, 4712, await jpegPicture({ seed: 2 }))
  assert.deepEqual(await areKept(), all, 'after an upload')
  for (const decision of ['approve', 'remove', 'restore']) {
    await waymark.review(rob, other, decision)
    assert.deepEqual(await areKept(), all, `after ${decision}`)
  }
  await waymark.fetch(`/ImageHandler?id=${other}&t=640&f=webp`)
  assert.deepEqual(await areKept(), all, 'after a size that nobody had asked for')
  await waymark.fetch(`/Trails/4712/Images/${other}`, {
    method: 'PUT',
    token: ana.token,
    headers: { 'content-type': 'application/json' },
    body: '{"title":"New"}',
  })
  assert.deepEqual(await areKept(), all, 'after new details')
  const routes = `/Accounts/${rob.accountId}/Routes`
  await waymark.fetch(routes, {
    method: 'POST',
    token: rob.token,
    headers: { 'content-type': 'application/json' },
    body: '[{"name":"Ridge","description":"","length":0,"gpx":""}]',
  })
  assert.deepEqual(await areKept(), all, 'after a route')
})
