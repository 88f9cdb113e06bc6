// GET /v2/images and /v2/images/{imageID}: fields, filters, paging and refused queries (contract D).
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import { imageSizes } from '../../src/shared/image-sizes.ts'
import { writePrivateMetadata } from '../helpers/exif-fixtures.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { assertProblem } from '../helpers/problems.ts'
import { startOfTime, startWaymark, type Person } from '../helpers/waymark.ts'
import { send } from '../helpers/wire.ts'

interface Image extends Readonly<Record<string, unknown>> {
  readonly imageID: number
  readonly trailID: number
  readonly status: string
}
interface Page {
  readonly items: readonly Image[]
  readonly next: string | null
}

const waymark = await startWaymark()
after(() => waymark.close())
await waymark.addTrail(4711, 'Rim / Trail')
await waymark.addTrail(4712, 'Lake Trail')
const ana = await waymark.addPerson({ name: 'Ana' })
const bea = await waymark.addPerson({ name: 'Bea' })
const rob = await waymark.addPerson({ name: 'Rob', role: 'reviewer' })
const key = await waymark.addKey(ana.accountId)

const photo = await jpegPicture({ width: 40, height: 30 })
let uploads = 0

async function uploadNow(person: Person, trailId: number, lat?: number, lon?: number): Promise<number> {
  uploads += 1
  const position = lat === undefined || lon === undefined ? {} : { position: { lat, lon } }
  const bytes = Buffer.concat([writePrivateMetadata(photo, position), Buffer.from([uploads])])
  return waymark.upload(person, trailId, bytes)
}

async function upload(...image: Parameters<typeof uploadNow>): Promise<number> {
  const imageId = await uploadNow(...image)
  waymark.system.advance(1_000)
  return imageId
}

// Five of Ana's, a second apart, and one of Bea's; then two with the same timestamp.
const bern = await upload(ana, 4711, 46.948, 7.4474)
const fiji = await upload(ana, 4711, -17.7134, 178.065)
const samoa = await upload(ana, 4711, -13.759, -172.1046)
const nowhere = await upload(ana, 4712)
const equator = await upload(ana, 4712, 0, 9.5)
const beas = await upload(bea, 4711, 46.5, 7.5)
assert.equal((await waymark.review(rob, bern, 'approve')).status, 200)
assert.equal((await waymark.review(rob, samoa, 'reject')).status, 200)

const ask = (query: string, { token }: Person = ana) =>
  send(waymark.url, { path: `/v2/images${query}`, headers: { authorization: `Bearer ${token}` } })

async function page(query: string, person?: Person): Promise<Page> {
  const answer = await ask(query, person)
  const text = await answer.text()
  assert.equal(answer.status, 200, `${query} ${text}`)
  return JSON.parse(text) as Page
}
const ids = async (query: string, person?: Person): Promise<number[]> =>
  (await page(query, person)).items.map(({ imageID }) => imageID)

const anas = [equator, nowhere, samoa, fiji, bern]

void test('D: one image, numbers as numbers, times in RFC 3339, no slash escaped', async () => {
  const answer = await ask(`/${bern}`)
  const text = await answer.text()
  assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
  const bytes = Buffer.concat([
    writePrivateMetadata(photo, { position: { lat: 46.948, lon: 7.4474 } }),
    Buffer.from([1]),
  ])
  const url = (size: string) => `https://trails.example/ImageHandler?id=${bern}&t=${size}`
  assert.deepEqual(JSON.parse(text), {
    imageID: bern,
    trailID: 4711,
    trailName: 'Rim / Trail',
    submitterID: ana.accountId,
    displayName: 'Ana',
    title: '',
    caption: '',
    status: 'approved',
    edited: false,
    lat: 46.948,
    lon: 7.4474,
    milesAlong: null,
    mimeType: 'image/jpeg',
    width: 40,
    height: 30,
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    licence: null,
    termsVersion: null,
    postedAt: new Date(startOfTime).toISOString(),
    updatedAt: new Date(startOfTime + 6_000).toISOString(),
    urls: Object.fromEntries(imageSizes.map((size) => [size, url(size)])),
    takenAtZone: null,
    positionSource: 'exif',
    altitude: null,
    takenOn: null,
    takenAt: null,
    positionAccuracy: null,
    direction: null,
  })
  assert.doesNotMatch(text, /\\\/|email|@/)
  const { lat, lon } = (await (await ask(`/${nowhere}`)).json()) as Image
  assert.deepEqual([lat, lon], [null, null])
  const onEquator = (await (await ask(`/${equator}`)).json()) as Image
  assert.deepEqual([onEquator['lat'], onEquator['lon']], [0, 9.5])
})

void test('D: the urls of an image point to its sizes', async () => {
  const { urls } = (await (await ask(`/${bern}`)).json()) as { urls: Record<string, string> }
  assert.deepEqual(Object.keys(urls).toSorted(), imageSizes.toSorted())
  for (const url of Object.values(urls)) {
    const { pathname, search } = new URL(url)
    assert.equal((await send(waymark.url, { path: pathname + search })).status, 200, url)
  }
})

void test('D: members list their own images, newest first; staff see everyone’s', async () => {
  assert.deepEqual(await ids(''), anas)
  assert.deepEqual(await ids('', bea), [beas])
  assert.deepEqual(await ids('', rob), [beas, ...anas])
  const onlyRead = { ...rob, token: await waymark.tokenFor(rob.accountId, 'images:read') }
  assert.deepEqual(await ids('', onlyRead), [], 'staff power is a scope too')
  const byKey = await send(waymark.url, { path: `/v2/images?api_key=${key}` })
  await assertProblem(byKey, 'credential-required')
})

void test('D: filters, individually and combined', async () => {
  const after = (seconds: number) => new Date(startOfTime + seconds * 1_000).toISOString()
  const cases: readonly (readonly [query: string, expected: readonly number[]])[] = [
    ['status=pending', [equator, nowhere, fiji]],
    ['status=approved', [bern]],
    ['status=rejected', [samoa]],
    ['status=removed', []],
    ['trailID=4712', [equator, nowhere]],
    ['trailID=999', []],
    ['trailID=9007199254740991', []],
    [`submitterID=${ana.accountId}`, anas],
    [`submitterID=${bea.accountId}`, []],
    [`since=${after(0)}`, anas],
    [`since=${after(3)}`, [equator, nowhere]],
    [`since=${after(99)}`, []],
    ['since=2026-05-14T11:08:10%2B02:00', [equator, nowhere]],
    ['since=2026-05-14T09:08:07.001Z', [equator, nowhere, samoa, fiji]],
    ['since=2026-05-14t09:08:10z', [equator, nowhere]],
    ['bbox=5,45,11,48', [bern]],
    ['bbox=7.4474,46.948,7.4474,46.948', [bern]],
    ['bbox=-180,-90,180,90', [equator, samoa, fiji, bern]],
    ['bbox=%205.0%20,%20%2B45,11.,48.', [bern]],
    ['bbox=9,0,10,0', [equator]],
    ['bbox=0,0,0,0', []],
    ['bbox=177,-20,-170,-10', [samoa, fiji]],
    ['bbox=178.065,-17.7134,-172.1046,-13.759', [samoa, fiji]],
    ['bbox=179,-20,-170,-10', [samoa]],
    ['bbox=177,-20,-173,-10', [fiji]],
    ['bbox=180,-90,-180,90', []],
    ['bbox=177,-20,-170,-10&status=pending&trailID=4711', [fiji]],
    [`trailID=4711&status=pending&since=${after(1)}&submitterID=${ana.accountId}`, [fiji]],
    ['status=pending&trailID=4711&status2=x', [fiji]],
  ]
  for (const [query, expected] of cases) assert.deepEqual(await ids(`?${query}`), expected, query)
  assert.deepEqual(await ids(`?submitterID=${bea.accountId}`, rob), [beas])
  assert.deepEqual(await ids('?status=pending', rob), [beas, equator, nowhere, fiji])
})

void test('D: an invalid query is refused, naming the parameter', async () => {
  const wrong: Readonly<Record<string, readonly string[]>> = {
    status: [
      '',
      'x',
      'Pending',
      'deleted',
      'edited',
      'pending,approved',
      'pending&status=pending',
      '__proto__',
    ],
    trailID: ['', 'x', '0', '-1', '+1', '01', '1.0', '1e3', '9007199254740992', '4711&trailID=4711'],
    submitterID: ['', 'me', '0', '1&submitterID=1'],
    limit: ['', '0', '-1', '501', '1.5', 'x', '1e2', ' 5', '9'.repeat(30), '5&limit=5'],
    since: [
      '',
      'x',
      '0',
      '2026-05-14',
      '2026-05-14 09:08:07Z',
      '2026-05-14T09:08:07',
      '2026-13-01T00:00:00Z',
    ],
    bbox: [
      '',
      'x',
      '1,2,3',
      '1,2,3,4,5',
      '0,10,5,0',
      '-181,0,0,1',
      '0,-91,0,1',
      '0,0,181,1',
      '0,0,1,91',
      ',,,',
      '0,0,1e1,1',
      'NaN,0,1,1',
      '0;0;1;1',
      '0,0,1,1&bbox=0,0,1,1',
    ],
    cursor: ['', 'x', '!!', 'MQ', 'MS4', 'Li4u', '9'.repeat(4_000)],
  }
  const days = [
    '2026-02-30T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-05-14T24:00:01Z',
    '2026-05-14T09:60:00Z',
  ]
  for (const [name, values] of Object.entries({ ...wrong, since: [...(wrong['since'] ?? []), ...days] })) {
    for (const value of values) {
      const answer = await ask(`?${name}=${value.replaceAll(' ', '%20')}`)
      const { detail } = await assertProblem(answer, 'invalid-query', `${name}=${value.slice(0, 40)}`)
      assert.match(detail ?? '', new RegExp(`^The parameter ${name} must be`))
    }
  }
})

void test('D: pages of any length contain every image once, in order, and Link leads through them', async () => {
  // Two more with the same timestamp, which must be neither duplicated nor lost between pages.
  for (let twin = 0; twin < 2; twin += 1) await uploadNow(ana, 4712)
  const all = await ids('')
  assert.equal(all.length, 7)
  assert.deepEqual(all.slice(2), anas)
  for (const limit of [1, 2, 3, 6, 7, 8, 500]) {
    const found: number[] = []
    let address: string | undefined = `/v2/images?limit=${limit}`
    for (let pages = 0; address !== undefined && pages < 10; pages += 1) {
      const answer = await send(waymark.url, {
        path: address,
        headers: { authorization: `Bearer ${ana.token}` },
      })
      const { items, next } = (await answer.json()) as Page
      assert.ok(items.length <= limit && (next === null || items.length === limit))
      found.push(...items.map(({ imageID }) => imageID))
      const link = answer.headers.get('link')
      const target = /^<https:\/\/trails\.example(\/v2\/images\?[^>]+)>; rel="next"$/.exec(link ?? '')?.[1]
      assert.equal(link === null, next === null)
      if (next !== null) assert.equal(new URLSearchParams(target?.split('?')[1]).get('cursor'), next)
      address = target
    }
    assert.deepEqual(found, all, `limit ${limit}`)
    assert.equal(new Set(found).size, 7)
  }
})

void test('D: the next link keeps the filters and drops the API key, and images added meanwhile cause no duplicates', async () => {
  const first = await ask('?limit=1&trailID=4711&status=pending&api_key=x', rob)
  const [, target = ''] =
    /^<https:\/\/trails\.example\/v2\/images(\?[^>]+)>/.exec(first.headers.get('link') ?? '') ?? []
  const query = new URLSearchParams(target)
  assert.deepEqual(
    ['limit', 'trailID', 'status', 'api_key'].map((name) => query.get(name)),
    ['1', '4711', 'pending', null],
  )
  const { items } = (await first.json()) as Page
  await upload(bea, 4711)
  assert.deepEqual([items[0]?.imageID, ...(await ids(target, rob))], [beas, fiji])
})

void test('D: the default page size is 50', async () => {
  const { db } = waymark.installation.database
  const row = await db.selectFrom('image').selectAll().where('id', '=', beas).executeTakeFirstOrThrow()
  const rows = Array.from({ length: 60 }, (_, index) => ({ ...row, id: 1_000 + index, seq: 1_000 + index }))
  await db.insertInto('image').values(rows).execute()
  const { items, next } = await page('', bea)
  assert.equal(items.length, 50)
  const rest = await page(`?cursor=${next}`, bea)
  assert.deepEqual([rest.items.length, rest.next], [12, null])
  const both = [...items, ...rest.items].map(({ imageID }) => imageID)
  assert.equal(new Set(both).size, 62)
  assert.equal((await page('?limit=500', bea)).items.length, 62)
})
