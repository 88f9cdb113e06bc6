// The SDK from end to end with a real server: a trail organisation's week, in a few calls each.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createWaymark, type Waymark as Sdk } from '../../client/client.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { addSignedIn } from '../helpers/visitor.ts'
import { startWaymark, type Person, type Waymark } from '../helpers/waymark.ts'

let site: Waymark
let hiker: Person
let reviewer: Person
const sdkOf = ({ token }: Person): Sdk => createWaymark({ baseUrl: site.url, credential: { bearer: token } })

before(async () => {
  site = await startWaymark()
  hiker = await site.addPerson({ name: 'Hiker' })
  reviewer = await site.addPerson({ name: 'Reviewer', role: 'admin' })
})
after(() => site.close())

async function items<Item>(pages: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of pages) all.push(item)
  return all
}

void test('trails: created, found by slug, replaced, imported, exported, removed', async () => {
  const { trails } = sdkOf(reviewer)
  const geometry = {
    type: 'LineString',
    coordinates: [
      [11, 47],
      [11.1, 47.1],
    ],
  }
  const { trailID, slug } = await trails.create({ name: 'High Ridge', geometry })
  assert.equal((await trails.bySlug(slug)).trailID, trailID)
  await assert.rejects(trails.bySlug('nowhere'), {
    name: 'WaymarkProblem',
    code: 'invalid-trail-id',
    status: 404,
  })
  assert.equal((await trails.replace(trailID, { name: 'Low Ridge', slug, geometry })).name, 'Low Ridge')
  const file = `trailID,name,slug\n${trailID},Ridge,${slug}\n5,Valley,valley\n`
  assert.deepEqual((await trails.import(file, { dryRun: true })).counts, { new: 1, changed: 1, problems: 0 })
  assert.equal((await trails.import(new Blob([file]))).isApplied, true)
  assert.deepEqual((await items(trails.each({ limit: 1 }))).map(({ name }) => name).toSorted(), [
    'Ridge',
    'Valley',
  ])
  assert.match(await trails.exportCsv(), /^trailID,name,slug\r?\n/)
  assert.equal((await trails.import(JSON.stringify(await trails.exportGeoJson()))).unchanged, 2)
  await trails.remove(5)
  assert.equal((await trails.page({ bbox: [10, 46, 12, 48] })).items.length, 1)
})

void test('a photo goes through review: queue, claim, decisions, history, report, trash', async () => {
  const [{ images, trash }, desk] = [sdkOf(hiker), sdkOf(reviewer)]
  await site.addTrail(9, 'Gorge')
  const upload = async (seed: number) => {
    const photo = new Blob([new Uint8Array(await jpegPicture({ seed }))])
    site.system.advance(1_000) // the clock is stopped, and the queue is ordered by time
    return (await images.upload(9, photo, { title: `Photo ${seed}` })).imageID
  }
  const [first, second] = [await upload(1), await upload(2)]
  assert.equal((await desk.review.summary()).pending, 2)
  assert.deepEqual(
    (await items(desk.review.queue.each({ limit: 1 }))).map(({ imageID }) => imageID),
    [first, second],
  )
  const { results } = await desk.review.claim({ ids: [first, second] })
  assert.ok(results.every((result) => 'claimedUntil' in result))
  await desk.review.release(second)
  const reason = (await desk.review.reasons()).find(({ decisions }) => decisions.includes('reject'))
  assert.equal(
    (await desk.review.decide(first, { decision: 'reject', reason: reason?.code })).status,
    'rejected',
  )
  assert.equal((await desk.review.undo(first)).status, 'pending')
  const bulk = await desk.review.bulk({ ids: [first, second, 1], decision: 'approve' })
  assert.deepEqual(
    bulk.results.map((result) => ('status' in result ? result.status : result.problem.status)),
    ['approved', 'approved', 404],
  )
  const history = await items(images.history.each(first))
  assert.equal(history.length, 4)

  const { reportID } = await createWaymark({ baseUrl: site.url }).images.report(first, { reason: 'spam' })
  assert.deepEqual(
    (await items(desk.review.reports.each(first))).map((report) => report.reportID),
    [reportID],
  )
  assert.deepEqual(await desk.review.dismissReports(first), { closed: 1 })
  assert.equal((await images.geojson(9)).features.length, 2)
  const list = await createWaymark({
    baseUrl: site.url,
    credential: { apiKey: await site.addKey(hiker.accountId) },
  }).images.onTrail.page(9)
  assert.equal(list.items.length, 2)

  await images.remove(first)
  assert.deepEqual(
    (await items(trash.each())).map(({ imageID }) => imageID),
    [first],
  )
  assert.equal((await images.restore(first)).status, 'approved')
})

void test('a signed-in person manages keys, applications and zones', async () => {
  const member = await addSignedIn(site)
  const cookie = [...member.jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const { me, ...waymark } = createWaymark({
    baseUrl: site.url,
    credential: 'session',
    headers: { cookie, 'sec-fetch-site': 'same-origin' }, // sent by browsers automatically
  })
  assert.equal((await waymark.site()).viewer?.acctID, member.accountId)
  assert.equal((await me.change({ displayName: 'Ada' })).displayName, 'Ada')
  const { apiKey, prefix } = await me.keys.create({ name: 'Feed' })
  site.secrets.note('API key', apiKey)
  const rotated = await me.keys.rotate(prefix)
  site.secrets.note('API key', rotated.apiKey)
  await me.keys.revoke(rotated.prefix)
  assert.deepEqual(
    (await me.keys.list()).map(({ status }) => status),
    ['revoked', 'revoked'],
  )
  const client = await me.clients.create({ name: 'App', scopes: ['images:read'] })
  site.secrets.note('client secret', client.clientSecret)
  assert.equal((await me.clients.change(client.clientId, { name: 'Other' })).name, 'Other')
  await me.clients.remove(client.clientId)
  assert.deepEqual(await me.clients.list(), [])
  const { zoneID } = await me.zones.create({ lat: 47, lon: 11, radius: 100 })
  await me.zones.remove(zoneID)
  assert.deepEqual(await me.zones.list(), [])
  assert.deepEqual(
    (await me.sessions.list()).map(({ isCurrent }) => isCurrent),
    [true],
  )
  const zip = await (await me.takeout()).arrayBuffer()
  assert.equal(new TextDecoder().decode(zip.slice(0, 2)), 'PK')
  await assert.rejects(waymark.admin.settings(), { name: 'WaymarkProblem', code: 'forbidden' })
})
