// GET /v2/trails/{trailID}/images: published images, the same for everyone, in upload order, filtered and paged (Part D).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Image } from '../../../src/shared/v2/schemas.ts'
import { writePrivateMetadata } from '../../helpers/exif-fixtures.ts'
import { jpegPicture } from '../../helpers/pictures.ts'
import { assertProblem } from '../../helpers/problems.ts'
import { startWaymark, type Person } from '../../helpers/waymark.ts'
import { readAs, type Page } from '../image-client.ts'

const waymark = await startWaymark()
after(() => waymark.close())
await waymark.addTrail(4711, 'Rim Trail')
await waymark.addTrail(4712, 'Creek Trail')
await waymark.addTrail(4713, 'Empty Trail')
const ana = await waymark.addPerson({ name: 'Ana' })
const rob = await waymark.addPerson({ name: 'Rob', role: 'reviewer' })
const key = await waymark.addKey(ana.accountId)

let pictures = 0
async function newImage(
  decision: string | undefined,
  { lat, lon, trailId = 4711 }: { lat?: number; lon?: number; trailId?: number } = {},
): Promise<number> {
  pictures += 1
  const bytes = await jpegPicture({ width: 12, height: 9, seed: pictures })
  const placed =
    lat === undefined || lon === undefined ? bytes : writePrivateMetadata(bytes, { position: { lat, lon } })
  const imageId = await waymark.upload(ana, trailId, placed)
  if (decision !== undefined) assert.equal((await waymark.review(rob, imageId, decision)).status, 200)
  waymark.system.advance(1_000)
  return imageId
}

const bern = await newImage('approve', { lat: 46.948, lon: 7.4474 })
const late = await newImage(undefined)
const fiji = await newImage('approve', { lat: -17.7134, lon: 178.065 })
await newImage('reject')
const samoa = await newImage('approve', { lat: -13.759, lon: -172.1046 })
await newImage('approve', { trailId: 4712 })
const nowhere = await newImage('approve')
await newImage(undefined)
// Approved last, uploaded second: the order is that of upload.
assert.equal((await waymark.review(rob, late, 'approve')).status, 200)
const listed = [bern, late, fiji, samoa, nowhere]

const ask = (query: string, person?: Person): Promise<Response> =>
  waymark.fetch(`/v2/trails/4711/images?${person ? '' : `api_key=${key}&`}${query}`, {
    token: person?.token ?? '',
  })
const ids = async (query: string, person?: Person): Promise<number[]> =>
  (await readAs<Page<Image>>(await ask(query, person))).items.map(({ imageID }) => imageID)

void test('Part D: published images in order of upload, the same for a key, the submitter and staff', async () => {
  assert.deepEqual(await ids(''), listed)
  assert.deepEqual(await ids('', ana), listed)
  assert.deepEqual(await ids('', rob), listed)
  const classic = await waymark.fetch(`/Trails/4711/Images?api_key=${key}`)
  const details = JSON.parse(await classic.text()) as { imageID: number }[]
  assert.deepEqual(
    details.map(({ imageID }) => imageID),
    listed,
  )
  const [item] = (await readAs<Page<Image>>(await ask(''))).items
  const single = await readAs<Image>(await waymark.fetch(`/v2/images/${bern}?api_key=${key}`))
  assert.deepEqual(item, single)
  const empty = await waymark.fetch(`/v2/trails/4713/images?api_key=${key}`)
  assert.equal(await empty.text(), '{"items":[],"next":null}')
})

void test('Part D: filters by location, across the antimeridian too, and by upload time', async () => {
  assert.deepEqual(await ids('bbox=5,45,10,48'), [bern])
  assert.deepEqual(await ids('bbox=170,-20,-170,-10'), [fiji, samoa])
  assert.deepEqual(await ids('bbox=-180,-90,180,90'), [bern, fiji, samoa])
  const { postedAt } = await readAs<Image>(await waymark.fetch(`/v2/images/${samoa}?api_key=${key}`))
  assert.deepEqual(await ids(`since=${encodeURIComponent(postedAt)}`), [samoa, nowhere])
  assert.deepEqual(await ids(`since=${encodeURIComponent(postedAt)}&bbox=-180,-90,180,90`), [samoa])
})

void test('Part D: pages are linked by cursor and Link, without the key in it', async () => {
  const seen: number[] = []
  let next: string | null = `/v2/trails/4711/images?limit=2`
  while (next !== null) {
    const answer: Response = await waymark.fetch(next, { headers: { 'x-api-key': key } })
    const { items, next: cursor } = await readAs<Page<Image>>(answer.clone())
    seen.push(...items.map(({ imageID }) => imageID))
    const link: string | undefined = /^<https:\/\/trails\.example([^>]+)>; rel="next"$/.exec(
      answer.headers.get('link') ?? '',
    )?.[1]
    assert.equal(link === undefined, cursor === null)
    next = link ?? null
  }
  assert.deepEqual(seen, listed)
  const keyed = await ask('limit=1&bbox=-180,-90,180,90')
  assert.match(String(keyed.headers.get('link')), /bbox=/)
  assert.doesNotMatch(String(keyed.headers.get('link')), /api_key/)
})

void test('C4, C28, C31: unknown trails, no credential, invalid parameters', async () => {
  for (const id of ['4714', 'x', '0', '-1', '99999999999999999999'])
    await assertProblem(await waymark.fetch(`/v2/trails/${id}/images?api_key=${key}`), 'invalid-trail-id', id)
  await assertProblem(await waymark.fetch('/v2/trails/4711/images'), 'credential-required')
  await assertProblem(await waymark.fetch('/v2/trails/4711/images?api_key=wm_no'), 'invalid-api-key')
  const token = await waymark.tokenFor(ana.accountId, 'routes:read')
  await assertProblem(await waymark.fetch('/v2/trails/4711/images', { token }), 'insufficient-scope')
  const wrong = [
    'limit=0',
    'limit=501',
    'limit=x',
    'cursor=x',
    'cursor=YQ', // a
    'cursor=MQoy', // two parts
    'bbox=1,2,3',
    'bbox=1,9,2,3',
    'since=yesterday',
    'since=2026-02-30T00:00:00Z',
    'limit=1&limit=2',
  ]
  for (const query of wrong) await assertProblem(await ask(query), 'invalid-query', query)
})

void test('C39, C40: an ETag of the page, 304, and no shared cache stores what needed a token', async () => {
  const answer = await ask('', ana)
  assert.equal(answer.headers.get('cache-control'), 'private, no-store')
  assert.match(String(answer.headers.get('vary')), /Authorization/)
  const tag = String(answer.headers.get('etag'))
  const again = await waymark.fetch('/v2/trails/4711/images', {
    token: ana.token,
    headers: { 'if-none-match': tag },
  })
  assert.equal(again.status, 304)
})
