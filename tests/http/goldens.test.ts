// Responses of the classic surface as bytes: status line, chosen headers and body compared with handwritten files.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createGoldens } from '../helpers/golden.ts'
import { jpegPicture, pngPicture } from '../helpers/pictures.ts'
import { startWaymark, type Person } from '../helpers/waymark.ts'
import type { WireRequest } from '../helpers/wire.ts'

let lastId = 5_207_716_358_243_100
const waymark = await startWaymark({
  newId: () => {
    lastId += 1
    return lastId
  },
})
after(() => waymark.close())

const { check, assertAllChecked } = createGoldens(new URL('golden/', import.meta.url), () => waymark.url)

const json = { accept: 'application/json' }
const xml = { accept: 'application/xml' }
const bearer = ({ token }: Person) => ({ authorization: `Bearer ${token}` })

await waymark.addTrail(4711, 'Rim Trail', 'rim-trail')
await waymark.addTrail(4712, 'Höhenweg / Süd', 'hoehenweg')
const ada = await waymark.addPerson({ id: 3_141_592_653_589_793, name: 'Ada Ødegård' })
const rob = await waymark.addPerson({ id: 42, name: 'Rob', role: 'reviewer' })
const key = await waymark.addKey(ada.accountId)
/** All distinct, so that none counts as a retry (C18). */
const picture = (seed: number) => jpegPicture({ width: 30, height: 20, seed })

async function publish(owner: Person, bytes: Uint8Array, details: object): Promise<number> {
  const imageId = await waymark.upload(owner, 4712, bytes)
  const answer = await waymark.fetch(`/Trails/4712/Images/${imageId}`, {
    method: 'PUT',
    token: owner.token,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(details),
  })
  assert.equal(answer.status, 200)
  return imageId
}

const bridge = await publish(ada, await picture(1), {
  title: 'Brücke a/b & <i>"süd"</i>',
  caption: 'Line 1\r\nhttps://example.org/ 🏔',
  lat: '46.9480',
  lon: -7.4474,
})
assert.equal((await waymark.review(rob, bridge, 'approve')).status, 200)

// Half a day and a minute later, when all tokens have expired.
waymark.system.advance(12 * 3_600_000 + 61_500)
const staff = { ...rob, token: await waymark.tokenFor(rob.accountId, 'images:read images:review') }
const owner = { ...ada, token: await waymark.tokenFor(ada.accountId, 'images:read images:write') }
const other = await waymark.addPerson({ id: 43, name: 'Stan' })
const second = await publish(owner, await pngPicture({ width: 20, height: 30 }), {})
assert.equal((await waymark.review(staff, second, 'approve')).status, 200)
const pending = await waymark.upload(owner, 4711, await picture(2))

void test('C6 C7 C8 A4: the list of a trail by API key', async () => {
  const path = `/V1/Trails/4712/Images/?api_key=${key}`
  await check('list.json.http', { path, headers: json })
  await check('list.xml.http', { path, headers: xml })
})

void test('C3 C40 A2: one image by API key, and by its submitter, the only one to see the email address', async () => {
  const path = `/Trails/4712/Images/${bridge}`
  const byKey = { 'x-api-key': key }
  await check('image-by-key.json.http', { path, headers: { ...json, ...byKey } })
  await check('image-by-key.xml.http', { path, headers: { ...xml, ...byKey } })
  await check('image-by-submitter.json.http', { path, headers: { ...json, ...bearer(owner) } })
  await check('image-by-submitter.xml.http', { path, headers: { ...xml, ...bearer(owner) } })
})

void test('A4 C17: POST returns the bare ID of the image', async () => {
  const post = (headers: Record<string, string>, body: Uint8Array): WireRequest => ({
    method: 'POST',
    path: '/V1/Trails/4711/Images/',
    headers: { ...headers, ...bearer(owner), 'content-type': 'image/jpeg' },
    body,
  })
  await check('post.json.http', post(json, await picture(3)))
  await check('post.xml.http', post(xml, await picture(4)))
})

void test('A4 C17: PUT returns true', async () => {
  const put = (headers: Record<string, string>): WireRequest => ({
    method: 'PUT',
    path: `/V1/Trails/4711/Images/${pending}`,
    headers: { ...headers, ...bearer(owner), 'content-type': 'application/json' },
    body: '{"title":"North rim"}',
  })
  await check('put.json.http', put(json))
  await check('put.xml.http', put(xml))
})

void test('C37: the exact messages, as problem documents in both formats', async () => {
  const cases: Readonly<Record<string, WireRequest>> = {
    'invalid-trail-id': { path: `/Trails/999/Images/?api_key=${key}` },
    'invalid-image-id': { path: `/Trails/4712/Images/${pending}?api_key=${key}` },
    forbidden: { method: 'PUT', path: `/Trails/4712/Images/${bridge}`, headers: bearer(other) },
    'insufficient-scope': {
      method: 'PUT',
      path: `/Trails/4712/Images/${bridge}`,
      headers: bearer({ ...other, token: await waymark.tokenFor(43, 'images:read') }),
    },
    'credential-required': { path: '/Trails/4712/Images' },
    'invalid-api-key': { path: '/Trails/4712/Images?api_key=wrong' },
    'invalid-token': { method: 'POST', path: '/Trails/4712/Images', headers: { authorization: 'Bearer x' } },
    'method-not-allowed': { method: 'DELETE', path: '/Trails/4712/Images' },
    'not-found': { path: '/v3/Trails/4712/Images' },
    'unsupported-image-type': {
      method: 'POST',
      path: '/Trails/4711/Images',
      headers: { ...bearer(owner), 'content-type': 'text/html' },
    },
    'malformed-body': {
      method: 'PUT',
      path: `/Trails/4711/Images/${pending}`,
      headers: { ...bearer(owner), 'content-type': 'application/json' },
      body: '{"title":\n  "a/b" "&"}',
    },
    'malformed-xml': {
      method: 'PUT',
      path: `/Trails/4711/Images/${pending}`,
      headers: { ...bearer(owner), 'content-type': 'application/xml' },
      body: '<TrailImageDetails>\n<title>a & b</title></TrailImageDetails>',
    },
  }
  for (const [name, request] of Object.entries(cases)) {
    await check(`${name}.json.http`, { ...request, headers: { ...request.headers, ...json } })
    await check(`${name}.xml.http`, { ...request, headers: { ...request.headers, ...xml } })
  }
})

void test('every golden file is compared with a response', () => {
  assertAllChecked()
})
