// PATCH /v2/images/{imageID}: the rules of a classic PUT with a strict body, and a removable position (contract C13,
// C20–C22).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { scopes } from '../../src/auth/scopes.ts'
import { refuse, type RefusalCode } from '../../src/errors.ts'
import type { Image } from '../../src/shared/v2/schemas.ts'
import { writePrivateMetadata } from '../helpers/exif-fixtures.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { assertProblem } from '../helpers/problems.ts'
import { startWaymark, type Person } from '../helpers/waymark.ts'
import { imageOf, json, patch, readAs } from './image-client.ts'

const waymark = await startWaymark()
after(() => waymark.close())
await waymark.addTrail(4711, 'Rim Trail')
const ana = await waymark.addPerson({ name: 'Ana' })
const bea = await waymark.addPerson({ name: 'Bea' })
const rob = await waymark.addPerson({ name: 'Rob', role: 'reviewer' })
const key = await waymark.addKey(ana.accountId)

let pictures = 0
async function newImage(decision?: string): Promise<number> {
  pictures += 1
  const bytes = await jpegPicture({ width: 12, height: 9, seed: pictures })
  const imageId = await waymark.upload(
    ana,
    4711,
    writePrivateMetadata(bytes, { position: { lat: 46.5, lon: 7.5 } }),
  )
  if (decision !== undefined) assert.equal((await waymark.review(rob, imageId, decision)).status, 200)
  waymark.system.advance(1_000)
  return imageId
}
const change = async (imageId: number, body: unknown, person: Person = ana): Promise<Image> =>
  readAs<Image>(await patch(waymark, person, imageId, { body }))

void test('Part D: fields left out stay; a position is set, cleared, and set again', async () => {
  const imageId = await newImage()
  const first = await change(imageId, { title: 'At the bridge' })
  assert.deepEqual([first.title, first.caption, first.lat, first.lon], ['At the bridge', '', 46.5, 7.5])
  const moved = await change(imageId, { lat: -33.25, lon: 0 })
  assert.deepEqual([moved.title, moved.lat, moved.lon], ['At the bridge', -33.25, 0])
  const cleared = await change(imageId, { lat: null, lon: null, caption: 'Looking north' })
  assert.deepEqual([cleared.lat, cleared.lon, cleared.caption], [null, null, 'Looking north'])
  const classic = await waymark.fetch(`/Trails/4711/Images/${imageId}`, { token: ana.token })
  assert.match(await classic.text(), /"lat":"0","lon":"0"/)
  const { db } = waymark.installation.database
  const row = await db
    .selectFrom('image')
    .select(['latitude', 'longitude', 'cell'])
    .where('id', '=', imageId)
    .executeTakeFirst()
  assert.deepEqual({ ...row }, { latitude: null, longitude: null, cell: null }) // removed from the map too
  assert.deepEqual(await change(imageId, { lat: 1e-7, lon: 12.5, title: '' }), {
    ...cleared,
    title: '',
    lat: 1e-7,
    lon: 12.5,
    positionSource: 'given',
  })
  assert.equal((await change(imageId, { title: ' ' })).title, '') // C12
  const texts = { title: '🥾'.repeat(256), caption: 'a\r\nb <&> "/" é' }
  const { title, caption } = await change(imageId, texts, rob)
  assert.deepEqual({ title, caption }, texts)
})

void test('C20: an empty change changes nothing and emits no event', async () => {
  const imageId = await newImage('approve')
  const before = await imageOf(waymark, ana, imageId)
  const { db } = waymark.installation.database
  const events = () => db.selectFrom('outbox').select('position').where('image_id', '=', imageId).execute()
  const count = (await events()).length
  assert.deepEqual(await change(imageId, {}), before)
  assert.equal((await events()).length, count)
  await change(imageId, { lat: 1, lon: 1 })
  assert.equal((await events()).length, count + 1)
})

void test('C22: a text changed after approval stays published as edited; a position does not count as an edit', async () => {
  const imageId = await newImage('approve')
  const moved = await change(imageId, { lat: 1, lon: 2 })
  assert.deepEqual([moved.status, moved.edited], ['approved', false])
  const edited = await change(imageId, { title: 'New' })
  assert.deepEqual([edited.status, edited.edited], ['approved', true])
  const back = await change(imageId, { title: '' })
  assert.deepEqual([back.status, back.edited], ['approved', false])
})

const refused: readonly (readonly [what: string, body: unknown, RefusalCode, RegExp?])[] = [
  ['an unknown field', { titel: 'a' }, 'invalid-field', /titel/],
  ['a field that is not for clients', { status: 'approved' }, 'invalid-field', /status/],
  ['an id', { imageID: 1 }, 'invalid-field', /imageID/],
  ['null for a text', { caption: null }, 'invalid-field', /caption must be text/],
  ['257 characters', { caption: 'a'.repeat(257) }, 'invalid-field', /256/],
  ['lat alone', { lat: 1 }, 'invalid-field', /together/],
  ['lon alone', { lon: null }, 'invalid-field', /together/],
  ['half a position', { lat: null, lon: 1 }, 'invalid-field', /together/],
  ['text for numbers', { lat: '1', lon: '2' }, 'invalid-field', /number/],
  ['out of range', { lat: 1, lon: 180.0001 }, 'invalid-field', /-180 and 180/],
  ['both 0', { lat: 0, lon: -0 }, 'invalid-field', /send null/],
  ['no number', '{"lat":NaN,"lon":1}', 'malformed-body'],
  ['a list', [], 'invalid-field', /must be an object/],
  ['no JSON', '{', 'malformed-body'],
  ['a control character', '{"title":"\\u0007"}', 'malformed-body'],
]

void test('Part D: a body with one invalid field changes nothing', async () => {
  const imageId = await newImage()
  const before = await imageOf(waymark, ana, imageId)
  for (const [what, body, code, detail] of refused) {
    const problem = await assertProblem(await patch(waymark, ana, imageId, { body }), code, what)
    if (detail) assert.match(problem.detail, detail, what)
  }
  const xml = { 'content-type': 'application/xml' }
  const answer = await patch(waymark, ana, imageId, { body: '<TrailImageDetails/>', headers: xml })
  await assertProblem(answer, 'unsupported-media-type')
  const stale = { ...xml, 'if-match': '"stale"' } // C31: the format before the condition
  await assertProblem(
    await patch(waymark, ana, imageId, { body: '', headers: stale }),
    'unsupported-media-type',
  )
  const first = { body: '{', headers: { 'if-match': '"stale"' } } // and the condition before the body
  await assertProblem(await patch(waymark, ana, imageId, first), 'precondition-failed')
  assert.deepEqual(await imageOf(waymark, ana, imageId), before)
})

void test('C22, C31: only the submitter and staff, before the body is read', async () => {
  const imageId = await newImage()
  const body = '{'
  await assertProblem(await patch(waymark, bea, imageId, { body }), 'invalid-image-id')
  const reader = { ...ana, token: await waymark.tokenFor(ana.accountId, 'images:read') }
  await assertProblem(await patch(waymark, reader, imageId, { body }), 'insufficient-scope')
  await assertProblem(await patch(waymark, ana, imageId + 1, { body }), 'invalid-image-id')
  const keyed = await waymark.fetch(`/v2/images/${imageId}?api_key=${key}`, {
    method: 'PATCH',
    headers: json,
    body,
  })
  await assertProblem(keyed, 'credential-required')
})

void test('C39: of two changes with the same If-Match one wins; the ETag of any representation is accepted', async () => {
  const imageId = await newImage()
  for (const address of [`/v2/images/${imageId}`, `/Trails/4711/Images/${imageId}`]) {
    const answer = await waymark.fetch(address, { token: ana.token })
    const headers = { 'if-match': String(answer.headers.get('etag')) }
    const both = await Promise.all(
      ['one', 'other'].map((title) =>
        patch(waymark, ana, imageId, { body: { title: `${title} ${address}` }, headers }),
      ),
    )
    assert.deepEqual(
      both.map(({ status }) => status).toSorted((one, other) => one - other),
      [200, 412],
      address,
    )
  }
  // Both pass the check before either is done.
  const actor = {
    kind: 'account',
    accountId: ana.accountId,
    role: 'member',
    scopes: new Set(scopes),
    via: 'client',
  } as const
  const { updatedAt } = await imageOf(waymark, ana, imageId)
  waymark.system.advance(1_000)
  const change = {
    title: 'x',
    caption: undefined,
    position: undefined,
    imageID: undefined,
    trailID: undefined,
  }
  const changing = () =>
    waymark.app.services.images.change(actor, { imageId }, change, (image) => {
      if (image.updatedAt !== Date.parse(updatedAt)) throw refuse('precondition-failed')
    })
  const ends = await Promise.allSettled([changing(), changing()])
  assert.deepEqual(
    ends.map(({ status }) => status).toSorted(), // either may be first
    ['fulfilled', 'rejected'],
  )
  const answer = await patch(waymark, ana, imageId, { body: { title: 'tagged' } })
  const again = await waymark.fetch(`/v2/images/${imageId}`, { token: ana.token })
  assert.equal(answer.headers.get('etag'), again.headers.get('etag'))
})

void test('C22: with EDITED_PHOTOS=require-review a changed text returns the image to pending', async () => {
  const strict = await startWaymark({ environment: { EDITED_PHOTOS: 'require-review' } })
  try {
    await strict.addTrail(4711, 'Rim Trail')
    const cleo = await strict.addPerson({ name: 'Cleo' })
    const eve = await strict.addPerson({ role: 'admin' })
    const imageId = await strict.upload(cleo, 4711, await jpegPicture({ width: 12, height: 9 }))
    assert.equal((await strict.review(eve, imageId, 'approve')).status, 200)
    const moved = await readAs<Image>(await patch(strict, cleo, imageId, { body: { lat: 1, lon: 2 } }))
    assert.equal(moved.status, 'approved')
    const edited = await readAs<Image>(await patch(strict, cleo, imageId, { body: { title: 'New' } }))
    assert.equal(edited.status, 'pending')
  } finally {
    await strict.close()
  }
})
