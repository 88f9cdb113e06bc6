// PUT of details: what it changes, what it ignores, and who may send it (contract A4.1, C9, C13, C19–C22).
import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { countCharacters } from '../../src/shared/text/characters.ts'
import { writePrivateMetadata } from '../helpers/exif-fixtures.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { assertProblem } from '../helpers/problems.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { send } from '../helpers/wire.ts'

const waymark = await startWaymark()
after(() => waymark.close())
await waymark.addTrail(4711, 'Rim Trail', 'rim-trail')
await waymark.addTrail(4712, 'Lake Trail')
const ana = await waymark.addPerson({ name: 'Ana' })
const stranger = await waymark.addPerson()
const reviewer = await waymark.addPerson({ role: 'reviewer' })
const admin = await waymark.addPerson({ role: 'admin' })
const key = await waymark.addKey(ana.accountId)

const photo = await jpegPicture({ width: 12, height: 9 })
const plainId = await waymark.upload(ana, 4711, photo)
const placed = writePrivateMetadata(photo, { position: { lat: 45.5231, lon: -122.6765 } })
const placedId = await waymark.upload(ana, 4711, placed)

type Fields = Readonly<Record<string, unknown>>

const put = (imageId: number, body: unknown, token = ana.token, trailId = 4711) =>
  send(waymark.url, {
    method: 'PUT',
    path: `/Trails/${trailId}/Images/${imageId}`,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

const putXml = (imageId: number, fields: string) =>
  send(waymark.url, {
    method: 'PUT',
    path: `/Trails/4711/Images/${imageId}`,
    headers: { authorization: `Bearer ${ana.token}`, 'content-type': 'application/xml' },
    body: `<TrailImageDetails xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">${fields}</TrailImageDetails>`,
  })

async function detailsOf(imageId: number): Promise<Fields> {
  const headers = { authorization: `Bearer ${ana.token}` }
  return (
    await send(waymark.url, { path: `/Trails/4711/Images/${imageId}`, headers })
  ).json() as Promise<Fields>
}

async function assertTaken(answer: Promise<Response>, message: string): Promise<void> {
  const { status } = await answer
  assert.equal(status, 200, `${message}: ${await (await answer).text()}`)
}

const start = { title: 'T', caption: 'C', lat: '10.50', lon: '-20.25' }
beforeEach(() => assertTaken(put(plainId, start), 'start'))

void test('C20: title, caption, lat and lon are written; every other field is ignored, whatever its value', async () => {
  const before = await detailsOf(plainId)
  const ignored: Fields = {
    detailUrl: 'evil',
    displayName: 'Eve',
    mimeType: 'text/html',
    postDate: 'yesterday',
    submitterAcctID: stranger.accountId,
    trailName: 7,
    addUser: [],
    email: { a: 1 },
    status: 'approved',
    state: 'approved',
    sha256: '0',
    id: 1,
    unknown: null,
  }
  await assertTaken(put(plainId, { ...ignored, title: 'New', caption: 'Words' }), 'other fields')
  assert.deepEqual(await detailsOf(plainId), { ...before, title: 'New', caption: 'Words' })
  await assertTaken(put(plainId, ignored), 'nothing but other fields')
  await assertTaken(put(plainId, {}), 'nothing at all')
  assert.deepEqual(await detailsOf(plainId), { ...before, title: 'New', caption: 'Words' })
  const { db } = waymark.installation.database
  const row = await db.selectFrom('image').selectAll().where('id', '=', plainId).executeTakeFirstOrThrow()
  assert.equal(row.state, 'pending')
  assert.equal(row.submitter_id, ana.accountId)
})

void test('C20: null and absent mean unchanged', async () => {
  const before = await detailsOf(plainId)
  await assertTaken(put(plainId, { title: null, caption: null, lat: null, lon: null }), 'null')
  await assertTaken(
    putXml(plainId, '<title xsi:nil="true"/><caption xsi:nil="1"/><lat xsi:nil="true"/>'),
    'nil',
  )
  assert.deepEqual(await detailsOf(plainId), before)
  await assertTaken(put(plainId, { caption: 'alone' }), 'one')
  assert.deepEqual(await detailsOf(plainId), { ...before, caption: 'alone' })
})

void test('C20: an imageID or trailID that contradicts the path is refused, an empty one is not', async () => {
  const before = await detailsOf(plainId)
  const same = [0, '0', '', ' ', null, -0]
  for (const name of ['imageID', 'trailID']) {
    const own = name === 'imageID' ? plainId : 4711
    for (const value of [...same, own, String(own), ` ${own} `]) {
      await assertTaken(put(plainId, { [name]: value, title: 'T' }), `${name} ${JSON.stringify(value)}`)
    }
    for (const value of [1, own + 1, -own, 'x', `${own}.5`, true, [], {}, [own], '1e3', 9.1e18]) {
      const answer = await put(plainId, { [name]: value, title: 'No' })
      const { detail } = await assertProblem(answer, 'invalid-field', `${name} ${JSON.stringify(value)}`)
      assert.match(detail ?? '', new RegExp(name))
    }
    await assertProblem(await putXml(plainId, `<${name}>1</${name}><title>No</title>`), 'invalid-field')
    await assertTaken(putXml(plainId, `<${name}>${own}</${name}><${name}x>1</${name}x>`), name)
  }
  assert.deepEqual(await detailsOf(plainId), before)
})

const kept = ['10.50', '-20.25']
/** lat, lon, and the stored value; undefined if refused. */
const coordinates: readonly (readonly [lat: unknown, lon: unknown, stored: readonly string[] | undefined])[] =
  [
    ...[null, '', ' ', '   ', 0, '0', '0.000', '-0', '0E0', undefined].flatMap((lat) =>
      [null, '', 0, '0'].map((lon) => [lat, lon, kept] as const),
    ),
    ['46.948', '7.447', ['46.948', '7.447']],
    [46.948, 7.447, ['46.948', '7.447']],
    ['46.9480', '7.4470000', ['46.9480', '7.4470000']],
    ['+46', '-.5', ['46', '-0.5']],
    [' 46.5 ', '7', ['46.5', '7']],
    ['0', '7', ['0', '7']],
    [46, 0, ['46', '0']],
    ['-90', '180', ['-90', '180']],
    [90, -180, ['90', '-180']],
    [1e-7, '0', ['0.0000001', '0']],
    ['1.2345678901234567890123456', '1', ['1.2345678901234567890123456', '1']],
    ['46', null, undefined],
    ['46', '', undefined],
    [undefined, '7', undefined],
    [' ', 7, undefined],
    ['90.0000001', '7', undefined],
    [-90.1, 7, undefined],
    ['46', '180.1', undefined],
    ['46', '-181', undefined],
    ['46.9N', '7', undefined],
    ['46,9', '7', undefined],
    ['1e1', '7', undefined],
    ['0x10', '7', undefined],
    ['NaN', '7', undefined],
    ['abc', 'def', undefined],
    [true, 7, undefined],
    [[46], 7, undefined],
    [{}, 7, undefined],
    ['1.23456789012345678901234567890', '7', undefined],
  ]

void test('C9 C21: which coordinates are accepted, which keep the stored ones, and which are refused', async () => {
  for (const [lat, lon, stored] of coordinates) {
    const message = `${JSON.stringify(lat)}, ${JSON.stringify(lon)}`
    const answer = await put(plainId, { lat, lon, title: 'moved' })
    const seen = await detailsOf(plainId)
    if (stored === undefined) {
      await assertProblem(answer, 'invalid-field', message)
      assert.deepEqual([seen['lat'], seen['lon'], seen['title']], [...kept, 'T'], message)
    } else {
      assert.equal(answer.status, 200, message)
      assert.deepEqual([seen['lat'], seen['lon'], seen['title']], [...stored, 'moved'], message)
      await assertTaken(put(plainId, start), 'start')
    }
  }
})

void test('C21: XML white space counts as blank too', async () => {
  const blank = [
    '<lat/><lon/>',
    '<lat></lat><lon> </lon>',
    '<lat xsi:nil="true"/><lon>0</lon>',
    '<lat>0.0</lat>',
  ]
  for (const fields of blank) {
    await assertTaken(putXml(plainId, fields), fields)
    const { lat, lon } = await detailsOf(plainId)
    assert.deepEqual([lat, lon], kept, fields)
  }
  for (const fields of [
    '<lat>46</lat><lon/>',
    '<lon>7</lon>',
    '<lat><x/></lat><lon>7</lon>',
    '<lat>x</lat><lon>7</lon>',
  ]) {
    await assertProblem(await putXml(plainId, fields), 'invalid-field', fields)
  }
})

void test('A4.1 C21: the position in the file stays while lat and lon are blank', async () => {
  for (const blank of [{}, { lat: '', lon: '' }, { lat: 0, lon: 0 }, { lat: ' ', lon: null }]) {
    await assertTaken(put(placedId, { ...blank, title: 'x' }), JSON.stringify(blank))
    const { lat, lon } = await detailsOf(placedId)
    assert.deepEqual([lat, lon], ['45.5231', '-122.6765'])
  }
})

void test('C13: 256 characters fit, counted as code points; 257 are refused and never truncated', async () => {
  const fits = ['a'.repeat(256), '🏔'.repeat(256), `${'e'.repeat(255)}\u0301`, '']
  for (const name of ['title', 'caption']) {
    for (const text of fits) {
      await assertTaken(put(plainId, { [name]: text }), `${name} of ${countCharacters(text)}`)
      assert.equal((await detailsOf(plainId))[name], text === '' ? ' ' : text)
    }
    for (const text of ['a'.repeat(257), '🏔'.repeat(257), ' '.repeat(257), 'x'.repeat(20_000)]) {
      const { detail } = await assertProblem(await put(plainId, { [name]: text }), 'invalid-field')
      assert.match(detail ?? '', new RegExp(`${name} .*256.*${countCharacters(text)}`))
    }
    for (const wrong of [7, true, [], {}, ['a']]) {
      await assertProblem(await put(plainId, { [name]: wrong }), 'invalid-field', JSON.stringify(wrong))
    }
  }
})

void test('C22 C28: the submitter and staff may PUT, others get not found, and a key is not accepted', async () => {
  const readOnly = await waymark.tokenFor(ana.accountId, 'images:read images:review')
  const noReview = await waymark.tokenFor(reviewer.accountId, 'images:read images:write')
  for (const token of [ana.token, reviewer.token, admin.token]) {
    await assertTaken(put(plainId, { title: 'mine or ours' }, token), 'may')
  }
  await assertProblem(await put(plainId, { title: 'No' }, stranger.token), 'invalid-image-id')
  await assertProblem(await put(plainId, { title: 'No' }, noReview), 'invalid-image-id')
  await assertProblem(await put(plainId, { title: 'No' }, readOnly), 'insufficient-scope')
  await assertProblem(await put(plainId, { title: 'No' }, 'wrong'), 'invalid-token')
  const byKey = { 'x-api-key': key, 'content-type': 'application/json' }
  const path = `/Trails/4711/Images/${plainId}?api_key=${key}`
  const answer = await send(waymark.url, { method: 'PUT', path, headers: byKey, body: '{"title":"No"}' })
  await assertProblem(answer, 'credential-required')
  assert.equal((await detailsOf(plainId))['title'], 'mine or ours')
})

void test('C19 C22: after approval a change is published at once, under the current names, in order of upload', async () => {
  for (const id of [placedId, plainId]) assert.equal((await waymark.review(admin, id, 'approve')).status, 200)
  await assertProblem(await put(plainId, { title: 'No' }, stranger.token), 'forbidden')
  const list = async (): Promise<Fields[]> => {
    const answer = await send(waymark.url, { path: `/Trails/4711/Images?api_key=${key}&page=2&limit=1` })
    return (await answer.json()) as Fields[]
  }
  assert.deepEqual(
    (await list()).map(({ imageID }) => imageID),
    [plainId, placedId],
  )
  await assertTaken(put(plainId, { title: 'After approval' }), 'put')
  assert.deepEqual(
    (await list()).map(({ title }) => title),
    ['After approval', 'x'],
  )
  await waymark.addTrail(4711, 'New Name', 'new-name')
  const { db } = waymark.installation.database
  await db.updateTable('account').set({ display_name: 'Ana B' }).where('id', '=', ana.accountId).execute()
  for (const { trailName, detailUrl, displayName } of await list()) {
    assert.deepEqual([trailName, detailUrl, displayName], ['New Name', 'new-name', 'Ana B'])
  }
})
