// GET /v2/images for members, reviewers limited to trails, and staff: no filter returns what the actor may not see (Part
// D).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Image } from '../../../src/shared/v2/schemas.ts'
import { jpegPicture } from '../../helpers/pictures.ts'
import { startWaymark, type Person } from '../../helpers/waymark.ts'
import { readAs, type Page } from '../image-client.ts'

const waymark = await startWaymark()
after(() => waymark.close())
await waymark.addTrail(4711, 'Rim Trail')
await waymark.addTrail(4712, 'Creek Trail')
const ana = await waymark.addPerson({ name: 'Ana' })
const bea = await waymark.addPerson({ name: 'Bea' })
const rob = await waymark.addPerson({ name: 'Rob', role: 'reviewer' })
const lim = await waymark.addPerson({ name: 'Lim', role: 'reviewer' })
const { db } = waymark.installation.database
await db.insertInto('account_trail').values({ account_id: lim.accountId, trail_id: 4712 }).execute()

let pictures = 0
async function newImage(person: Person, trailId: number, decision?: string): Promise<number> {
  pictures += 1
  const bytes = await jpegPicture({ width: 12, height: 9, seed: pictures })
  const imageId = await waymark.upload(person, trailId, bytes)
  if (decision !== undefined) assert.equal((await waymark.review(rob, imageId, decision)).status, 200)
  waymark.system.advance(1_000)
  return imageId
}

const anaHere = await newImage(ana, 4711)
const anaThere = await newImage(ana, 4712, 'reject')
const beaListed = await newImage(bea, 4711, 'approve')
const beaThere = await newImage(bea, 4712)
const limHere = await newImage(lim, 4711)
const all = [anaHere, anaThere, beaListed, beaThere, limHere]

const ids = async ({ token }: Person, query = ''): Promise<number[]> => {
  const page = await readAs<Page<Image>>(await waymark.fetch(`/v2/images${query}`, { token }))
  return page.items.map(({ imageID }) => imageID)
}
const newestFirst = (...chosen: number[]): number[] => all.filter((id) => chosen.includes(id)).toReversed()

void test('Part D: a member sees only their own photos, with any filter', async () => {
  assert.deepEqual(await ids(ana), newestFirst(anaHere, anaThere))
  assert.deepEqual(await ids(ana, `?submitterID=${ana.accountId}`), newestFirst(anaHere, anaThere))
  assert.deepEqual(await ids(ana, `?submitterID=${bea.accountId}`), [])
  assert.deepEqual(await ids(ana, `?submitterID=${bea.accountId}&status=approved&trailID=4711`), [])
  assert.deepEqual(await ids(ana, '?trailID=4712'), [anaThere])
  assert.deepEqual(await ids(ana, '?status=rejected'), [anaThere])
})

void test('Part D: a reviewer limited to trails sees these and their own, with any filter', async () => {
  assert.deepEqual(await ids(lim), newestFirst(anaThere, beaThere, limHere))
  assert.deepEqual(await ids(lim, '?trailID=4711'), [limHere])
  assert.deepEqual(await ids(lim, `?submitterID=${bea.accountId}`), [beaThere])
  assert.deepEqual(await ids(lim, '?status=pending'), newestFirst(beaThere, limHere))
  assert.deepEqual(await ids(lim, '?status=approved'), []) // published ones of other trails are in the trail's list
})

void test('Part D: other staff see all, filtered as requested; without the scope they see what members see', async () => {
  assert.deepEqual(await ids(rob), newestFirst(...all))
  assert.deepEqual(await ids(rob, `?submitterID=${bea.accountId}`), newestFirst(beaListed, beaThere))
  assert.deepEqual(await ids(rob, '?status=pending&trailID=4711'), newestFirst(anaHere, limHere))
  const onlyRead = { ...rob, token: await waymark.tokenFor(rob.accountId, 'images:read') }
  assert.deepEqual(await ids(onlyRead), [])
})
