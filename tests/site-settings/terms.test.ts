// The photo licence and the terms: shown to everybody, chosen by admins, kept with each upload (issue 6, Lifecycle).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { PhotoTerms } from '../../src/shared/v2/image-schemas.ts'
import type { Image } from '../../src/shared/v2/schemas.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { assertProblem } from '../helpers/problems.ts'
import { addSignedIn } from '../helpers/visitor.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { detailsPart, filePart, imageOf, readAs, sendForm } from '../images/image-client.ts'

// A licence has a code, and what is sent as `code` is elsewhere a secret.
const waymark = await startWaymark()
after(() => waymark.close())
await waymark.addTrail(4711, 'Rim Trail')
const ana = await waymark.addPerson({ name: 'Ana' })
const eve = await addSignedIn(waymark, 'admin')

const licence = {
  code: 'CC-BY-4.0',
  name: 'Creative Commons Attribution 4.0',
  url: 'https://creativecommons.org/licenses/by/4.0/',
}
const terms = { text: 'Send only photos that you took.', url: 'https://trails.example/terms' }
const nothing = { licence: null, terms: null }

const shown = async (): Promise<PhotoTerms> => readAs<PhotoTerms>(await waymark.fetch('/v2/terms'))
async function choose(wanted: unknown, headers: Record<string, string> = {}): Promise<PhotoTerms> {
  const answer = await eve.call('PUT', '/v2/admin/terms', wanted, headers)
  assert.equal(answer.status, 200, answer.text)
  return JSON.parse(answer.text) as PhotoTerms
}
let pictures = 0
async function picture(): Promise<Buffer> {
  pictures += 1
  return jpegPicture({ width: 12, height: 9, seed: pictures })
}

void test('without terms everyone sees that there are none, and uploads record nothing', async () => {
  assert.deepEqual(await shown(), { ...nothing, version: null, changedAt: null })
  const parts = [filePart(await picture()), detailsPart({ termsVersion: null })]
  await readAs<Image>(await sendForm(waymark, ana, 4711, { parts }), 201)
  const image = await imageOf(waymark, ana, await waymark.upload(ana, 4711, await picture()))
  assert.deepEqual([image.licence, image.termsVersion], [null, null])
})

void test('every change creates a new version and is audited; the same text again does not', async () => {
  const first = await choose({ licence, terms })
  assert.deepEqual([first.licence, first.terms], [licence, terms])
  assert.match(String(first.version), /^2026-05-14-[0-9a-f]{8}$/)
  assert.equal(first.changedAt, new Date(waymark.system.now()).toISOString())
  assert.deepEqual(await shown(), first)
  waymark.system.advance(1_000)
  assert.deepEqual(await choose({ terms, licence }), first)
  const second = await choose({ licence: null, terms })
  waymark.system.advance(1_000)
  const third = await choose({ licence, terms })
  assert.equal(new Set([first.version, second.version, third.version]).size, 3)
  const none = await choose(nothing)
  assert.deepEqual([none.version, none.licence, none.terms], [null, null, null])
  const { db } = waymark.installation.database
  const audited = await db
    .selectFrom('audit')
    .select('detail')
    .where('actor_id', '=', eve.accountId)
    .execute()
  assert.equal(audited.filter(({ detail }) => detail.includes('photo-terms')).length, 4)
})

void test('the current terms are recorded with an upload on either surface, and stay with it', async () => {
  const { version } = await choose({ licence, terms })
  const classic = await waymark.upload(ana, 4711, await picture())
  const parts = [detailsPart({ title: 'a', termsVersion: version }), filePart(await picture())]
  const image = await readAs<Image>(await sendForm(waymark, ana, 4711, { parts }), 201)
  const other = await choose({ licence: { code: 'Own rights', name: 'All rights reserved' }, terms })
  for (const id of [classic, image.imageID]) {
    const kept = await imageOf(waymark, ana, id)
    assert.deepEqual([kept.licence, kept.termsVersion], ['CC-BY-4.0', version])
  }
  const next = await imageOf(waymark, ana, await waymark.upload(ana, 4711, await picture()))
  assert.deepEqual([next.licence, next.termsVersion], ['Own rights', other.version])
})

void test('an upload that names an outdated version is refused, unless it repeats an earlier upload', async () => {
  const { version } = await choose({ licence, terms })
  const bytes = await picture()
  const parts = [filePart(bytes), detailsPart({ termsVersion: version })]
  const headers = { 'idempotency-key': 'terms' }
  const first = await readAs<Image>(await sendForm(waymark, ana, 4711, { parts, headers }), 201)
  const later = await choose({ licence: null, terms })
  const stale = [filePart(await picture()), detailsPart({ termsVersion: version })]
  const problem = await assertProblem(await sendForm(waymark, ana, 4711, { parts: stale }), 'other-terms')
  assert.match(problem.detail, new RegExp(String(later.version)))
  const unseen = [filePart(await picture()), detailsPart({ termsVersion: null })]
  await assertProblem(await sendForm(waymark, ana, 4711, { parts: unseen }), 'other-terms')
  const again = await readAs<Image>(await sendForm(waymark, ana, 4711, { parts, headers }), 201)
  assert.equal(again.imageID, first.imageID)
  await choose(nothing)
  await assertProblem(await sendForm(waymark, ana, 4711, { parts: stale }), 'other-terms')
})

void test('only signed-in admins can change the terms, with valid fields, and based on the version they read', async () => {
  const before = await choose({ licence, terms })
  const wrong: unknown[] = [
    {},
    { licence },
    { licence, terms, version: 'mine' },
    { licence: { code: 'a' }, terms: null },
    { licence: { ...licence, code: 'a'.repeat(65) }, terms: null },
    { licence: { ...licence, code: ' ' }, terms: null },
    { licence: { ...licence, name: 'a'.repeat(201) }, terms: null },
    { licence: { ...licence, url: 'javascript:alert(1)' }, terms: null },
    { licence: { ...licence, url: 'https://' }, terms: null },
    { licence: { ...licence, logo: 'x' }, terms: null },
    { licence: 'CC0', terms: null },
    { licence: null, terms: { text: '' } },
    { licence: null, terms: { text: 'a'.repeat(20_001) } },
    { licence: null, terms: { text: 'a', url: 'ftp://a.example' } },
    [],
  ]
  for (const body of wrong) {
    const answer = await eve.call('PUT', '/v2/admin/terms', body)
    assert.equal(answer.status, 400, JSON.stringify(body).slice(0, 80) + answer.text)
    assert.match(answer.text, /invalid-field/)
  }
  const stale = await eve.call('PUT', '/v2/admin/terms', nothing, { 'if-match': '"old"' })
  assert.equal(stale.status, 412)
  const reviewer = await addSignedIn(waymark, 'reviewer')
  assert.equal((await reviewer.call('PUT', '/v2/admin/terms', nothing)).status, 403)
  const token = await waymark.tokenFor(eve.accountId, 'images:read images:write images:review')
  const request = { method: 'PUT', token, headers: { 'content-type': 'application/json' }, body: '{}' }
  assert.equal((await waymark.fetch('/v2/admin/terms', request)).status, 403)
  assert.deepEqual(await shown(), before)
  const tag = String((await waymark.fetch('/v2/terms')).headers.get('etag'))
  const cached = await waymark.fetch('/v2/terms', { headers: { 'if-none-match': tag } })
  assert.equal(cached.status, 304)
  await choose(nothing, { 'if-match': tag })
})
