// Route links: the database contains only hashes, yet the owner can see the link again and replace it.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import { createLinkTokens, isLinkToken, noLink } from '../../src/account-routes/link-tokens.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { addRoute, gpxOf, jsonOf, northward, pathOf, type RouteDocument } from './v2-helpers.ts'

const waymark = await startWaymark()
after(() => waymark.close())
const ana = await waymark.addPerson()
const { db } = waymark.installation.database

const patch = (id: number, body: object) =>
  waymark.fetch(`/v2/routes/${id}`, {
    method: 'PATCH',
    token: ana.token,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
const statusOf = async (link: string): Promise<number> => (await waymark.fetch(pathOf(link))).status
const linked = () =>
  addRoute(waymark, ana, { name: 'L', gpx: gpxOf([northward(45, 7, 4)]), visibility: 'link' })
const tokenIn = (link: string | null | undefined): string =>
  new URL(link ?? 'http://none').searchParams.get('token') ?? ''

void test('a token is found with the secret it was made with, old or new, and with no other', () => {
  const [old, recent, other] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte))
  assert.ok(old && recent && other)
  const { link_hash: linkHash, link_nonce: linkNonce } = createLinkTokens([old]).make()
  const stored = { linkHash, linkNonce }
  const token = createLinkTokens([old]).find(stored)
  assert.match(token ?? '', /^[\w-]{32}$/)
  assert.equal(createLinkTokens([recent, old]).find(stored), token)
  assert.equal(createLinkTokens([recent, other]).find(stored), undefined)
  assert.ok(isLinkToken(token ?? '', stored))
  for (const wrong of [
    '',
    `${token} `,
    linkHash ?? '',
    linkNonce ?? '',
    createLinkTokens([other]).make().link_nonce,
  ])
    assert.ok(!isLinkToken(wrong ?? '', stored))
  assert.ok(!isLinkToken('', { linkHash: noLink.link_hash }))
})

void test('issue 20: no row contains the token of a link, but its owner sees it on every read', async () => {
  const route = await linked()
  const token = tokenIn(route.link)
  assert.equal(token.length, 32)
  const read = await jsonOf<RouteDocument>(
    await waymark.fetch(`/v2/routes/${route.routeID}`, { token: ana.token }),
  )
  assert.equal(read.link, route.link)
  assert.equal(await statusOf(route.link ?? ''), 200)
  const tables = await db.introspection.getTables()
  for (const { name } of tables) {
    const rows = await db
      .selectFrom(name as 'route')
      .selectAll()
      .execute()
    assert.ok(!JSON.stringify(rows).includes(token), name)
  }
  const { link_hash } = await db
    .selectFrom('route')
    .select('link_hash')
    .where('id', '=', route.routeID)
    .executeTakeFirstOrThrow()
  assert.equal(link_hash, createHash('sha256').update(token).digest('base64url'))
})

void test('a new link ends the old one, at once and for good; only routes with visibility link get one', async () => {
  const route = await linked()
  const answer = await patch(route.routeID, { newLink: true })
  assert.equal(answer.status, 200)
  const { link } = await jsonOf<RouteDocument>(answer)
  assert.notEqual(link, route.link)
  assert.equal(await statusOf(link ?? ''), 200)
  assert.equal(await statusOf(route.link ?? ''), 401)
  assert.equal((await jsonOf<RouteDocument>(await patch(route.routeID, { newLink: false }))).link, link)
  for (const visibility of ['private', 'public']) {
    const refused = await patch(route.routeID, { newLink: true, visibility })
    assert.equal(refused.status, 400)
    assert.match(await refused.text(), /newLink is allowed only for routes with visibility link/)
  }
  assert.equal(await statusOf(link ?? ''), 200)
})

void test('issue 20: a link from before tokens were hashed works, cannot be shown, and can be replaced', async () => {
  const route = await linked()
  const old = 'x'.repeat(32)
  const link_hash = createHash('sha256').update(old).digest('base64url')
  await db.updateTable('route').set({ link_hash, link_nonce: null }).where('id', '=', route.routeID).execute()
  const withOld = `/v2/routes/${route.routeID}?token=${old}`
  const seen = await jsonOf<RouteDocument>(await waymark.fetch(withOld))
  assert.equal(tokenIn(seen.urls.gpx), old)
  for (const query of ['', '?as=others']) {
    const own = await waymark.fetch(`/v2/routes/${route.routeID}${query}`, { token: ana.token })
    const document = await jsonOf<RouteDocument>(own)
    assert.equal(document.link ?? null, null)
    assert.ok(!JSON.stringify(document).includes('token='))
  }
  await patch(route.routeID, { name: 'the link stays' })
  assert.equal((await waymark.fetch(withOld)).status, 200)
  const { link } = await jsonOf<RouteDocument>(await patch(route.routeID, { newLink: true }))
  assert.equal(await statusOf(link ?? ''), 200)
  assert.equal((await waymark.fetch(withOld)).status, 401)
})
