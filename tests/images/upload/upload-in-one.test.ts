// POST /v2/trails/{trailID}/images: a photo with its details in one call, both stored or neither (contract, Part D).
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, test } from 'node:test'
import type { RefusalCode } from '../../../src/errors.ts'
import type { Image } from '../../../src/shared/v2/schemas.ts'
import { writePrivateMetadata } from '../../helpers/exif-fixtures.ts'
import { gifPicture, jpegPicture, pngPicture } from '../../helpers/pictures.ts'
import { assertProblem } from '../../helpers/problems.ts'
import { startWaymark } from '../../helpers/waymark.ts'
import { send } from '../../helpers/wire.ts'
import {
  countsOf,
  detailsPart,
  filePart,
  formOf,
  formType,
  imageOf,
  readAs,
  remove,
  sendForm,
  type Part,
} from '../image-client.ts'

const waymark = await startWaymark({ environment: { QUOTA_BYTES: '20000000' } })
after(() => waymark.close())
await waymark.addTrail(4711, 'Rim Trail')
const ana = await waymark.addPerson({ name: 'Ana' })
const bea = await waymark.addPerson({ name: 'Bea' })
const { db } = waymark.installation.database

let pictures = 0
/** A different picture each time. */
async function picture(): Promise<Buffer> {
  pictures += 1
  return Buffer.concat([await jpegPicture({ width: 40, height: 30 }), Buffer.from([pictures])])
}
const upload = (parts: readonly Part[], headers: Record<string, string> = {}, person = ana) =>
  sendForm(waymark, person, 4711, { parts, headers })

void test('Part D: the details come with the file, before or after it, and the 201 returns the whole image', async () => {
  const details = { title: 'Höhe / 1', caption: 'A view', lat: 46.5, lon: -7.25 }
  for (const isFirst of [true, false]) {
    const parts = [filePart(await picture()), detailsPart(details)]
    const answer = await upload(isFirst ? parts.toReversed() : parts)
    assert.equal(answer.headers.get('cache-control'), 'private, no-store')
    const image = await readAs<Image>(answer.clone(), 201)
    assert.equal(answer.headers.get('location'), `https://trails.example/v2/images/${image.imageID}`)
    const { title, caption, lat, lon, status, edited } = image
    assert.deepEqual({ title, caption, lat, lon }, details)
    assert.deepEqual([status, edited], ['pending', false])
    assert.deepEqual(await imageOf(waymark, ana, image.imageID), image)
    const row = await db
      .selectFrom('image')
      .selectAll()
      .where('id', '=', image.imageID)
      .executeTakeFirstOrThrow()
    assert.equal(row.details_set_at, row.posted_at) // C18: no longer an upload without details
    assert.ok(row.cell !== null && row.latitude === 46.5)
    const events = await db.selectFrom('outbox').select('type').where('image_id', '=', row.id).execute()
    assert.deepEqual(
      events.map(({ type }) => type),
      ['image.uploaded'],
    ) // one move, one event
  }
})

void test('Part D: an upload without details is like a classic upload: empty texts, the position from the file, unmodified', async () => {
  const at = { position: { lat: 10.5, lon: 20.25 } }
  const bytes = writePrivateMetadata(await jpegPicture({ width: 41, height: 30 }), at)
  for (const parts of [[filePart(bytes)], [filePart(bytes), detailsPart({})]]) {
    const key = { 'idempotency-key': `silent-${parts.length}` }
    const image = await readAs<Image>(await upload(parts, key), 201)
    assert.deepEqual([image.title, image.caption, image.lat, image.lon], ['', '', 10.5, 20.25])
    const row = await db
      .selectFrom('image')
      .select('details_set_at')
      .where('id', '=', image.imageID)
      .executeTakeFirst()
    assert.equal(row?.details_set_at, null)
  }
  const titled = [filePart(bytes), detailsPart({ title: 'Kept position' })]
  const kept = await readAs<Image>(await upload(titled), 201)
  assert.deepEqual([kept.lat, kept.lon], [10.5, 20.25])
  const hidden = [filePart(bytes), detailsPart({ lat: null, lon: null })]
  const image = await readAs<Image>(await upload(hidden), 201)
  assert.deepEqual([image.lat, image.lon], [null, null]) // removed explicitly
})

void test('C18: the same upload without key and details returns the unmodified image; with details it creates a new one', async () => {
  const bytes = await picture()
  const first = await readAs<Image>(await upload([filePart(bytes)]), 201)
  const again = await readAs<Image>(await upload([filePart(bytes)]), 200)
  assert.equal(again.imageID, first.imageID)
  const titled = await readAs<Image>(await upload([filePart(bytes), detailsPart({ title: 'a' })]), 201)
  assert.notEqual(titled.imageID, first.imageID)
  assert.equal((await imageOf(waymark, ana, first.imageID)).title, '')
})

void test('C18: an idempotency key covers the file and the details', async () => {
  const bytes = await picture()
  const key = { 'idempotency-key': 'file-and-details' }
  const details = { title: 'a', caption: 'b', lat: 1, lon: 2 }
  const first = await readAs<Image>(await upload([filePart(bytes), detailsPart(details)], key), 201)
  const before = await countsOf(waymark)
  const turned = '{ "lon": 2, "lat": 1.0, "caption": "b", "title": "a" }'
  for (const again of [details, turned]) {
    const image = await readAs<Image>(await upload([detailsPart(again), filePart(bytes)], key), 201)
    assert.equal(image.imageID, first.imageID)
  }
  const others = [
    [filePart(bytes)],
    [filePart(bytes), detailsPart({ ...details, title: 'other' })],
    [filePart(bytes), detailsPart({ ...details, lat: null, lon: null })],
    [filePart(await picture()), detailsPart(details)],
  ]
  for (const parts of others) await assertProblem(await upload(parts, key), 'idempotency-key-reused')
  assert.deepEqual(await countsOf(waymark), before)
  // The key belongs to the account and this path.
  const beas = await readAs<Image>(await upload([filePart(bytes), detailsPart(details)], key, bea), 201)
  assert.notEqual(beas.imageID, first.imageID)
  // Once the image is deleted, only its id is returned.
  assert.equal((await remove(waymark, ana, first.imageID)).status, 204)
  const gone = await assertProblem(await upload([filePart(bytes), detailsPart(details)], key), 'already-done')
  assert.match(gone.detail, new RegExp(`\\b${first.imageID}\\b`))
  assert.equal((await countsOf(waymark)).images, before.images + 1) // Bea's
})

const good = await picture()
const text = (name: string, content: string): Part => ({ name, content })
const refused: readonly (readonly [what: string, parts: readonly Part[], RefusalCode, detail?: RegExp])[] = [
  ['no part', [], 'invalid-field', /^The part file is missing/],
  ['no file', [detailsPart({ title: 'a' })], 'invalid-field', /^The part file is missing/],
  ['two files', [filePart(good), filePart(good)], 'invalid-field', /^Duplicate part: file/],
  [
    'details twice',
    [detailsPart({}), filePart(good), detailsPart({})],
    'invalid-field',
    /Duplicate part: details/,
  ],
  ['an unknown part', [filePart(good), text('title', 'a')], 'invalid-field', /^The part title is unknown/],
  [
    'an unknown part first',
    [text('titel', 'a'), filePart(good)],
    'invalid-field',
    /^The part titel is unknown/,
  ],
  ['an unknown field', [filePart(good), detailsPart({ titel: 'a' })], 'invalid-field', /titel/],
  ['no JSON', [filePart(good), detailsPart('{"title":')], 'malformed-body', /line 1/],
  ['a list', [filePart(good), detailsPart([])], 'invalid-field', /must be an object/],
  ['empty details', [filePart(good), detailsPart('')], 'malformed-body'],
  ['257 characters', [detailsPart({ title: '🥾'.repeat(257) }), filePart(good)], 'invalid-field', /256/],
  ['a null title', [filePart(good), detailsPart({ title: null })], 'invalid-field', /must be text/],
  ['lat alone', [filePart(good), detailsPart({ lat: 1 })], 'invalid-field', /together/],
  ['lat and null', [filePart(good), detailsPart({ lat: 1, lon: null })], 'invalid-field', /together/],
  ['lat as text', [filePart(good), detailsPart({ lat: '1', lon: '2' })], 'invalid-field', /number/],
  ['lat out of range', [filePart(good), detailsPart({ lat: 90.5, lon: 2 })], 'invalid-field', /-90 and 90/],
  ['nowhere', [filePart(good), detailsPart({ lat: 0, lon: 0 })], 'invalid-field', /send null/],
  [
    'details as XML',
    [filePart(good), { ...detailsPart('<a/>'), type: 'text/xml' }],
    'unsupported-media-type',
  ],
  [
    'details too long',
    [detailsPart({ title: 'a'.repeat(70_000) }), filePart(good)],
    'body-too-large',
    /details/,
  ],
  ['an empty file', [filePart(Buffer.alloc(0)), detailsPart({ title: 'a' })], 'empty-image'],
  ['a text file', [filePart(Buffer.from('no image'))], 'unsupported-image-type'],
  ['a page', [filePart(good, 'text/html')], 'unsupported-image-type', /text\/html/],
  ['half a photo', [filePart(good.subarray(0, good.length / 2))], 'broken-image'],
  ['8 MB and a byte', [filePart(Buffer.alloc(8 * 1024 * 1024 + 1))], 'image-too-large'],
]

void test('Part D: an invalid upload is refused in one sentence, and nothing of it is stored', async () => {
  const before = await countsOf(waymark)
  for (const [what, parts, code, detail = /./] of refused) {
    const problem = await assertProblem(await upload(parts), code, what)
    if (detail.source !== '.') assert.match(problem.detail, detail, what)
  }
  const cut = formOf([detailsPart({ title: 'a' }), filePart(good)])
  for (const end of [cut.length - 30, cut.length - 200]) {
    const body = cut.subarray(0, end)
    const request = { method: 'POST', token: ana.token, headers: formType, body }
    await assertProblem(await waymark.fetch('/v2/trails/4711/images', request), 'malformed-body')
  }
  const plain = { method: 'POST', token: ana.token, body: good, headers: { 'content-type': 'image/jpeg' } }
  await assertProblem(await waymark.fetch('/v2/trails/4711/images', plain), 'unsupported-media-type')
  const bare = { ...plain, headers: { 'content-type': 'multipart/form-data' } }
  await assertProblem(await waymark.fetch('/v2/trails/4711/images', bare), 'unsupported-media-type')
  assert.deepEqual(await countsOf(waymark), before)
})

void test('C14: exactly 8 MB is accepted in a form too, and a Content-Length that is too large is refused unread', async () => {
  const photo = await jpegPicture({ width: 60, height: 50 })
  const largest = Buffer.concat([photo, Buffer.alloc(8 * 1024 * 1024 - photo.length)])
  const image = await readAs<Image>(await upload([filePart(largest), detailsPart({ title: 'big' })]), 201)
  assert.deepEqual([image.bytes, image.title], [8_388_608, 'big'])
  const path = '/v2/trails/4711/images'
  const headers = { ...formType, authorization: `Bearer ${ana.token}`, 'content-length': '9000000' }
  const body = Readable.from([Buffer.alloc(100)])
  const answer = await send(waymark.url, { method: 'POST', path, headers, body }).catch(() => undefined)
  if (answer) assert.equal(answer.status, 413)
})

void test('C15: the bytes decide the type, whichever image type the part declares, if any', async () => {
  const named = [
    [await pngPicture({ width: 30, height: 20 }), 'image/jpeg', 'image/png'],
    [await gifPicture({ width: 30, height: 20 }), 'application/octet-stream', 'image/gif'],
  ] as const
  for (const [bytes, declared, mimeType] of named) {
    const image = await readAs<Image>(await upload([filePart(bytes, declared)]), 201)
    assert.equal(image.mimeType, mimeType)
  }
  const bare = await readAs<Image>(await upload([{ name: 'file', content: await picture() }]), 201)
  assert.equal(bare.mimeType, 'image/jpeg')
})

void test('C31: trail, permission, format and quota are checked in this order, before the body', async () => {
  const parts = [filePart(good)]
  await assertProblem(await sendForm(waymark, ana, 4712, { parts }), 'invalid-trail-id')
  await assertProblem(await sendForm(waymark, ana, 'rim', { parts }), 'invalid-trail-id')
  const reader = { ...ana, token: await waymark.tokenFor(ana.accountId, 'images:read') }
  await assertProblem(await upload(parts, {}, reader), 'insufficient-scope')
  await assertProblem(await upload(parts, { 'idempotency-key': 'two words' }), 'invalid-header')
  const nobody = { ...ana, token: '' }
  await assertProblem(await upload(parts, {}, nobody), 'credential-required')
})

void test('C38: the byte quota counts form uploads and images in the trash', async () => {
  const cleo = await waymark.addPerson({ name: 'Cleo' })
  const photo = await jpegPicture({ width: 61, height: 50 })
  let last = 0
  for (let part = 0; part < 2; part += 1) {
    const largest = Buffer.concat([photo, Buffer.alloc(8_388_608 - photo.length, part)])
    last = (await readAs<Image>(await upload([filePart(largest)], {}, cleo), 201)).imageID
  }
  const third = [filePart(Buffer.concat([photo, Buffer.alloc(8_000_000, 9)]))]
  await assertProblem(await upload(third, {}, cleo), 'quota-reached')
  assert.equal((await remove(waymark, cleo, last)).status, 204)
  await assertProblem(await upload(third, {}, cleo), 'quota-reached')
})

void test('C18: concurrent uploads of the same form with the same key create one image', async () => {
  const parts = [filePart(await picture()), detailsPart({ title: 'once' })]
  const key = { 'idempotency-key': 'at-once' }
  const answers = await Promise.all(Array.from({ length: 4 }, () => upload(parts, key)))
  const ids = await Promise.all(answers.map(async (answer) => (await readAs<Image>(answer, 201)).imageID))
  assert.equal(new Set(ids).size, 1)
})
