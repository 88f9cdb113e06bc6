// POST, PUT and DELETE of trails: only by admins, once, audited, and without removing limits to trails (Part D).
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { scopes } from '../../src/auth/scopes.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { addSignedIn } from '../helpers/visitor.ts'
import { startWaymark, type Person, type Waymark } from '../helpers/waymark.ts'
import { jsonOf, lineOf, refused, send, type Sent, type TrailDocument } from './trail-client.ts'

const path = '/v2/trails'
const line = lineOf([7, 46], [7.1, 46.1])

void describe('changing trails', () => {
  let waymark: Waymark
  let admin: Person
  let reviewer: Person

  before(async () => {
    waymark = await startWaymark()
    admin = await waymark.addPerson({ role: 'admin' })
    reviewer = await waymark.addPerson({ role: 'reviewer' })
  })
  after(() => waymark.close())

  const asAdmin = (method: string, at: string, sent: Sent = {}) =>
    send(waymark, method, at, { token: admin.token, ...sent })

  async function added(body: object): Promise<TrailDocument> {
    const answer = await asAdmin('POST', path, { body })
    assert.equal(answer.status, 201, await answer.clone().text())
    return jsonOf(answer)
  }

  /** Actions and details of the newest entries, the newest first. */
  async function audited(count: number) {
    const { db } = waymark.installation.database
    const rows = await db
      .selectFrom('audit')
      .select(['action', 'actor_id', 'account_id', 'detail'])
      .orderBy('position', 'desc')
      .limit(count)
      .execute()
    return rows.map(({ action, actor_id: by, account_id: of, detail }) => ({
      action,
      by,
      of,
      detail: JSON.parse(detail) as unknown,
    }))
  }

  void it('adds a trail with a generated or a given id, and returns its address', async () => {
    const answer = await asAdmin('POST', path, { body: { name: ' Rim Trail ', geometry: line } })
    assert.equal(answer.status, 201)
    assert.match(answer.headers.get('cache-control') ?? '', /private, no-store/)
    const trail = await jsonOf<TrailDocument>(answer)
    assert.ok(Number.isSafeInteger(trail.trailID) && trail.trailID > 1_000_000)
    assert.deepEqual([trail.name, trail.slug, trail.images], ['Rim Trail', 'rim-trail', 0])
    assert.deepEqual(trail.geometry, line)
    assert.equal(answer.headers.get('location'), `https://trails.example${path}/${trail.trailID}`)
    const { trailID, name, slug } = trail
    const entry = { action: 'trail.created', by: admin.accountId, of: null, detail: { trailID, name, slug } }
    assert.deepEqual(await audited(1), [entry])
    const again = await waymark.fetch(`${path}/${trailID}`, { token: reviewer.token })
    assert.deepEqual(await again.json(), trail)

    const given = await added({ trailID: 4711, name: 'Rim Trail', slug: '' })
    assert.deepEqual([given.trailID, given.slug, given.geometry], [4711, 'rim-trail-4711', null])
    const detail = await refused(
      await asAdmin('POST', path, { body: { trailID: 4711, name: 'Other' } }),
      409,
      'trail-exists',
    )
    assert.equal(detail, 'The trail 4711 already exists.')
  })

  void it('C18: the same request with its key creates one trail, and another body is refused', async () => {
    const headers = { 'idempotency-key': 'once' }
    const body = { name: 'Twice' }
    const both = await Promise.all([
      asAdmin('POST', path, { body, headers }),
      asAdmin('POST', path, { body, headers }),
    ])
    const [one, other] = await Promise.all(both.map((answer) => jsonOf<TrailDocument>(answer)))
    assert.deepEqual(
      both.map(({ status }) => status),
      [201, 201],
    )
    assert.deepEqual(one, other)
    const changed = await asAdmin('POST', path, { body: { name: 'Thrice' }, headers })
    await refused(changed, 422, 'idempotency-key-reused')
    assert.equal((await asAdmin('DELETE', `${path}/${one?.trailID}`)).status, 204)
    await refused(await asAdmin('POST', path, { body, headers }), 404, 'invalid-trail-id')
  })

  void it('refuses an invalid trail in one sentence that names the field, and stores nothing', async () => {
    await added({ trailID: 1, name: 'First', slug: 'first' })
    await added({ trailID: 2, name: 'Second' })
    const wrong: readonly [object, RegExp][] = [
      [{}, /The field name is missing/],
      [{ name: '' }, /name must have 1 to 256 characters/],
      [{ name: ' \n ' }, /name must have 1 to 256 characters/],
      [{ name: 'x'.repeat(257) }, /name must have 1 to 256 characters/],
      [{ name: 5 }, /name must be text/],
      [{ name: 'A', slug: 'a/b' }, /slug must consist of letters/],
      [{ name: 'A', slug: 'first' }, /slug first belongs to trail 1/],
      [
        { name: 'A', geometry: { type: 'Point', coordinates: [0, 0] } },
        /geometry must be a GeoJSON LineString/,
      ],
      [{ name: 'A', geometry: lineOf([0, 0], [0, 91]) }, /point 2 of line 1/],
      [{ name: 'A', geometry: [] }, /geometry must be an object or null/],
      [{ name: 'A', images: 3 }, /Unknown field: images/],
    ]
    const count = async () =>
      (await waymark.installation.database.db.selectFrom('trail').select('id').execute()).length
    const before = await count()
    for (const [body, sentence] of wrong) {
      for (const [method, at] of [
        ['POST', path],
        ['PUT', `${path}/2`],
      ] as const) {
        const detail = await refused(await asAdmin(method, at, { body }), 400, 'invalid-field')
        assert.match(detail, sentence)
        assert.match(detail, /^[^\n]+\.$/)
      }
    }
    for (const trailID of [0, -1, 1.5, '7', 2 ** 53, null])
      await refused(await asAdmin('POST', path, { body: { trailID, name: 'A' } }), 400, 'invalid-field')
    await refused(await asAdmin('POST', path, { body: '{' }), 400, 'malformed-body')
    await refused(await asAdmin('POST', path, { body: '"\\ud800"' }), 400, 'malformed-body')
    await refused(
      await asAdmin('PUT', `${path}/2`, { body: 'x', headers: { 'content-type': 'text/plain' } }),
      415,
      'unsupported-media-type',
    )
    assert.equal(await count(), before)
    const kept = await jsonOf<TrailDocument>(await asAdmin('GET', `${path}/2`))
    assert.equal(kept.name, 'Second')
  })

  void it('replaces the whole trail: fields left out are cleared', async () => {
    const { trailID } = await added({ name: 'Old Name', slug: 'own', geometry: line })
    waymark.system.advance(1_000)
    const answer = await asAdmin('PUT', `${path}/${trailID}`, { body: { name: 'New Name' } })
    assert.equal(answer.status, 200)
    const trail = await jsonOf<TrailDocument>(answer)
    assert.deepEqual(
      [trail.name, trail.slug, trail.geometry, trail.bbox, trail.lengthMiles],
      ['New Name', 'new-name', null, null, null],
    )
    assert.equal(Date.parse(trail.updatedAt) - Date.parse(trail.createdAt), 1_000)
    const [entry] = await audited(1)
    assert.deepEqual(entry, {
      action: 'trail.changed',
      by: admin.accountId,
      of: null,
      detail: {
        trailID,
        name: { from: 'Old Name', to: 'New Name' },
        slug: { from: 'own', to: 'new-name' },
        geometry: 'changed',
      },
    })
    const same = await asAdmin('PUT', `${path}/${trailID}`, { body: { name: 'New Name', geometry: null } })
    assert.deepEqual(await same.json(), trail)
    assert.deepEqual(await audited(1), [entry])
    await refused(await asAdmin('PUT', `${path}/4242`, { body: { name: 'A' } }), 404, 'invalid-trail-id')
  })

  void it('changes and deletes with If-Match only the version that was seen (C39)', async () => {
    const { trailID } = await added({ name: 'Seen' })
    const at = `${path}/${trailID}`
    const etag = (await asAdmin('GET', at)).headers.get('etag') ?? ''
    const body = { name: 'Changed' }
    const changed = await asAdmin('PUT', at, { body, headers: { 'if-match': etag } })
    assert.equal(changed.status, 200)
    const stale = { 'if-match': etag }
    await refused(await asAdmin('PUT', at, { body, headers: stale }), 412, 'precondition-failed')
    await refused(await asAdmin('DELETE', at, { headers: stale }), 412, 'precondition-failed')
    const now = { 'if-match': changed.headers.get('etag') ?? '' }
    assert.equal((await asAdmin('DELETE', at, { headers: now })).status, 204)
    await refused(await asAdmin('DELETE', at), 404, 'invalid-trail-id')
  })

  void it('refuses to delete a trail that has images in any state, and says how many', async () => {
    const { trailID } = await added({ name: 'Full' })
    const one = await waymark.upload(reviewer, trailID, await jpegPicture())
    await waymark.upload(reviewer, trailID, await jpegPicture({ width: 20 }))
    const { db } = waymark.installation.database
    const refusal = async () => refused(await asAdmin('DELETE', `${path}/${trailID}`), 409, 'trail-not-empty')
    assert.match(await refusal(), /^This trail has 2 images/)
    await db.deleteFrom('image').where('id', '=', one).execute()
    await db.updateTable('image').set({ state: 'deleted' }).where('trail_id', '=', trailID).execute()
    assert.match(await refusal(), /^This trail has 1 image,/)
  })

  void it('never leaves a reviewer limited to a deleted trail without any limit', async () => {
    const [one, other] = [await added({ name: 'One' }), await added({ name: 'Other' })]
    const { db } = waymark.installation.database
    const limited = await waymark.addPerson({ role: 'reviewer' })
    const limits = (...trails: number[]) =>
      db
        .insertInto('account_trail')
        .values(trails.map((trail_id) => ({ account_id: limited.accountId, trail_id })))
        .execute()
    await limits(one.trailID, other.trailID)
    assert.equal((await asAdmin('DELETE', `${path}/${one.trailID}`)).status, 204)
    const rows = await db.selectFrom('account_trail').select('trail_id').execute()
    assert.deepEqual(
      rows.map((row) => row.trail_id),
      [other.trailID],
    )
    const role = { from: 'reviewer', to: 'reviewer', trails: [other.trailID] }
    assert.deepEqual(
      (await audited(2)).map(({ action, of, detail }) => [action, of, detail]),
      [
        ['account.role-changed', limited.accountId, role],
        ['trail.deleted', null, { trailID: one.trailID, name: 'One', slug: 'one' }],
      ],
    )
    const detail = await refused(
      await asAdmin('DELETE', `${path}/${other.trailID}`),
      409,
      'trail-has-reviewers',
    )
    assert.equal(detail, `Limited to this trail: account ${limited.accountId}.`)
    assert.equal((await asAdmin('GET', `${path}/${other.trailID}`)).status, 200)
  })

  void it('is for admins, signed in or with trails:write, and no other scope suffices', async () => {
    const { trailID } = await added({ name: 'Guarded' })
    const member = await waymark.addPerson()
    const others = scopes.filter((scope) => scope !== 'trails:write').join(' ')
    const narrow = await waymark.tokenFor(admin.accountId, others)
    const own = await waymark.tokenFor(admin.accountId, 'trails:write')
    const signedIn = await addSignedIn(waymark, 'admin')
    const signedInReviewer = await addSignedIn(waymark, 'reviewer')
    const key = await waymark.addKey(admin.accountId)
    const requests: readonly [string, string, object?][] = [
      ['POST', path, { name: 'A' }],
      ['PUT', `${path}/${trailID}`, { name: 'A' }],
      ['DELETE', `${path}/${trailID}`],
      ['POST', '/v2/admin/trails/import', {}],
    ]
    for (const [method, at, body] of requests) {
      for (const { token } of [member, reviewer]) {
        const answer = await send(waymark, method, at, { token, body })
        assert.equal(answer.status, 403, `${method} ${at}`)
      }
      const sent = { body }
      await refused(await send(waymark, method, at, { ...sent, token: narrow }), 403, 'insufficient-scope')
      assert.equal((await send(waymark, method, at, { ...sent, headers: { 'x-api-key': key } })).status, 401)
      assert.equal((await send(waymark, method, at, sent)).status, 401)
      const inBrowser = await signedInReviewer.call(method, at, body)
      assert.deepEqual([inBrowser.status, /Only admins may change trails/.test(inBrowser.text)], [403, true])
      if (method === 'DELETE') continue // later requests need the trail
      assert.notEqual((await send(waymark, method, at, { ...sent, token: own })).status, 403)
      assert.notEqual((await signedIn.call(method, at, body)).status, 403)
    }
    assert.equal((await send(waymark, 'DELETE', `${path}/${trailID}`, { token: own })).status, 204)
  })

  void it('returns 404 to an upload whose trail is deleted meanwhile', async () => {
    let meanwhile = async (): Promise<void> => undefined
    const slow = await startWaymark({
      wrapBlobs: (blobs) => ({
        ...blobs,
        receive: async (...request) => {
          const staged = await blobs.receive(...request)
          await meanwhile()
          return staged
        },
      }),
    })
    try {
      const chief = await slow.addPerson({ role: 'admin' })
      await slow.addTrail(7, 'Ending')
      meanwhile = async () => {
        const deleted = await send(slow, 'DELETE', `${path}/7`, { token: chief.token })
        assert.equal(deleted.status, 204)
      }
      const answer = await slow.fetch('/Trails/7/Images', {
        method: 'POST',
        token: chief.token,
        headers: { 'content-type': 'image/jpeg' },
        body: Buffer.from(await jpegPicture()),
      })
      await refused(answer, 404, 'invalid-trail-id')
    } finally {
      await slow.close()
    }
  })
})
