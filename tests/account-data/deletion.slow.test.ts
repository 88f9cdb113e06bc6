// DELETE /v2/me and DELETE /v2/admin/accounts/{acctID}: what is deleted, what stays, and what no longer works.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newestPosition } from '../../src/events/outbox.ts'
import { filesBelow } from '../helpers/folders.ts'
import { addOwner, anotherPicture } from '../helpers/leaving.ts'
import { createVisitor } from '../helpers/visitor.ts'
import { startWaymark, type Waymark } from '../helpers/waymark.ts'
import { originalOf } from '../helpers/older-store.ts'
import { assertWhole, listed, photosOf, rowsOf, settle, start, trailId } from './settled.ts'

void describe('deleting an account (issue 6)', () => {
  let shared: Waymark
  before(async () => {
    shared = await startWaymark()
  })
  after(() => shared.close())

  void it('deletes everything and reports it; only the account ID remains', async (t) => {
    const { waymark, key, owner, has, db } = await start(t)
    const before = await listed(waymark, key)
    assert.match(before.text, new RegExp(String(has.images.listed)))
    const filesBefore = (await filesBelow(waymark.dataDir)).filter((name) => /original|rendition/.test(name))
    const apiKey = await waymark.addKey(owner.accountId)
    await db.insertInto('report').values(reportBy(owner.accountId, has.images.listed)).execute()

    const answer = await owner.call('DELETE', '/v2/me', { photos: 'delete' })
    assert.equal(answer.status, 200, answer.text)
    const { bytesRemoved, deletedAt, ...report } = JSON.parse(answer.text) as Record<string, number>
    assert.ok((bytesRemoved ?? 0) > 0)
    assert.equal(deletedAt, '2026-05-14T09:08:07.000Z')
    assert.deepEqual(report, {
      acctID: owner.accountId,
      photos: 'delete',
      photosDeleted: 3,
      photosKept: 0,
      contentsRemoved: 3,
      contentsLeft: 0,
      routesDeleted: 2,
      zonesDeleted: 1,
      sessionsEnded: 1,
      passkeysDeleted: 1,
      keysRevoked: 2,
      clientsDeleted: 2,
      applicationsRevoked: 1,
      webhooksDeleted: 1,
    })
    assert.deepEqual(await rowsOf(db, owner.accountId), {})
    assert.equal((await db.selectFrom('delivery').selectAll().execute()).length, 0)
    assert.equal((await db.selectFrom('route_gpx').selectAll().execute()).length, 0)
    assert.deepEqual(await photosOf(waymark, has), [404, 404, 404])
    const left = (await filesBelow(waymark.dataDir)).filter((name) => /original|rendition/.test(name))
    assert.ok(filesBefore.length > 0)
    assert.deepEqual(left, [])
    await assertWhole(waymark)

    const row = await db
      .selectFrom('account')
      .selectAll()
      .where('id', '=', owner.accountId)
      .executeTakeFirstOrThrow()
    const { display_name: name, email, role, password_hash: hash, mails } = row
    assert.ok(row.suspended_at !== null && row.deleted_at !== null && row.email_verified_at === null)
    assert.deepEqual([name, email, role, hash, mails], ['Former member', '', 'member', null, 'off'])
    const text = JSON.stringify(await db.selectFrom('audit').selectAll().execute())
    for (const personal of [owner.email, owner.email.toUpperCase(), 'anns'])
      assert.ok(!text.includes(personal), personal)
    assert.match(text, /account\.deleted/)

    // Every credential is unknown immediately.
    assert.equal((await owner.call('GET', '/v2/me')).status, 401)
    assert.equal((await waymark.fetch('/v2/me', { token: owner.token })).status, 401)
    assert.equal((await waymark.fetch(`/Trails/${trailId}/Images/?api_key=${apiKey}`)).status, 401)
    const { email: address, password } = owner
    const signIn = await createVisitor(waymark).post('/sign-in', { email: address, password })
    assert.equal(signIn.status, 403)
    assert.ok(!signIn.text.includes('suspended'))
    const after = await listed(waymark, key)
    assert.ok(!after.text.includes(String(has.images.listed)))
    assert.notEqual(after.etag, before.etag)
  })

  void it('keeps published photos as by a former member if the owner wants that, with their location and texts', async () => {
    const { waymark, key, owner, has, db } = await settle(shared)
    const before = await db
      .selectFrom('image')
      .selectAll()
      .where('id', '=', has.images.listed)
      .executeTakeFirstOrThrow()
    const { version } = await db
      .selectFrom('trail')
      .select('version')
      .where('id', '=', trailId)
      .executeTakeFirstOrThrow()
    const answer = await owner.call('DELETE', '/v2/me', { photos: 'keep', routes: 'delete' })
    const report = JSON.parse(answer.text) as Record<string, unknown>
    assert.deepEqual([report['photosKept'], report['photosDeleted'], report['contentsRemoved']], [1, 2, 2])
    const own = db.selectFrom('image').selectAll().where('submitter_id', '=', owner.accountId)
    const after = await own.execute()
    assert.deepEqual(after, [before])
    const { text } = await listed(waymark, key)
    assert.match(text, /"displayName":"Former member"/)
    assert.ok(!text.includes(owner.email))
    const image = await waymark.fetch(`/v2/images/${has.images.listed}?api_key=${key}`)
    assert.equal(((await image.json()) as { displayName: string }).displayName, 'Former member')
    const trail = await db
      .selectFrom('trail')
      .select('version')
      .where('id', '=', trailId)
      .executeTakeFirstOrThrow()
    assert.ok(trail.version > version)
    assert.deepEqual(
      (await photosOf(waymark, has)).toSorted((one, other) => one - other),
      [200, 404, 404],
    )
    await assertWhole(waymark)
  })

  void it('keeps a file that another account has uploaded too, and its photo', async () => {
    const { waymark, owner, has, reviewer, db } = await settle(shared)
    const both = has.originals.get(has.images.pending) ?? Buffer.alloc(0)
    const other = await waymark.upload(reviewer, trailId, both)
    await waymark.upload(owner, trailId, await anotherPicture())
    await waymark.upload(owner, trailId, await anotherPicture())
    const answer = await owner.call('DELETE', '/v2/me', { photos: 'delete' })
    assert.equal((JSON.parse(answer.text) as { contentsRemoved: number }).contentsRemoved, 4)
    const { sha256 } = await db
      .selectFrom('image')
      .select('sha256')
      .where('id', '=', other)
      .executeTakeFirstOrThrow()
    assert.ok(both.equals(await originalOf(waymark.installation, sha256)))
    await assertWhole(waymark)
  })

  void it('emits events for photos that were not in the trash, only to those who could see them', async () => {
    const { owner, has, db } = await settle(shared)
    const before = await newestPosition(db)
    await owner.call('DELETE', '/v2/me', { photos: 'delete' })
    const reported = await db
      .selectFrom('outbox')
      .select(['type', 'image_id', 'from_state', 'to_state', 'submitter_id'])
      .where('position', '>', before)
      .execute()
    const wanted = [
      { image: has.images.pending, from: 'pending' },
      { image: has.images.listed, from: 'approved' },
    ].toSorted((one, other) => one.image - other.image)
    assert.deepEqual(
      structuredClone(reported).toSorted((one, other) => (one.image_id ?? 0) - (other.image_id ?? 0)),
      wanted.map(({ image, from }) => ({
        type: 'image.deleted',
        image_id: image,
        from_state: from,
        to_state: 'deleted',
        submitter_id: owner.accountId,
      })),
    )
  })

  void it('requires the password if the sign-in was long ago, and a complete body', async () => {
    const { waymark, owner } = await settle(shared)
    assert.equal((await owner.call('DELETE', '/v2/me', {})).status, 400)
    assert.equal((await owner.call('DELETE', '/v2/me', { photos: 'some' })).status, 400)
    assert.equal((await owner.call('DELETE', '/v2/me', { photos: 'keep', routes: 'keep' })).status, 400)
    assert.equal((await owner.call('DELETE', '/v2/me')).status, 415)
    const token = { method: 'DELETE', token: owner.token, body: '{"photos":"delete"}' }
    const json = { 'content-type': 'application/json' }
    assert.equal((await waymark.fetch('/v2/me', { ...token, headers: json })).status, 403)
    const mistyped = await owner.call('DELETE', '/v2/me', { photos: 'delete', password: 'not this one' })
    assert.match(mistyped.text, /wrong-password/, 'however fresh the sign-in')
    const nobody = await waymark.fetch('/v2/me', { method: 'DELETE' })
    assert.equal(nobody.status, 401)
    assert.match(await nobody.text(), /This requires a browser session\./)
    waymark.system.advance(11 * 60_000)
    const stale = await owner.call('DELETE', '/v2/me', { photos: 'delete' })
    assert.match(stale.text, /stale-session/)
    const wrong = await owner.call('DELETE', '/v2/me', { photos: 'delete', password: 'not this one' })
    assert.match(wrong.text, /wrong-password/)
    const right = await owner.call('DELETE', '/v2/me', { photos: 'delete', password: owner.password })
    assert.equal(right.status, 200, right.text)
    assert.match(right.headers.get('set-cookie') ?? '', /__Host-waymark=; Max-Age=0/)
  })

  void it('works for admins, returns not found afterwards, and never deletes the last admin', async (t) => {
    const { waymark, owner, db } = await start(t)
    const admin = await addOwner(waymark, 'admin')
    const path = `/v2/admin/accounts/${owner.accountId}`
    assert.equal((await owner.call('DELETE', path, { photos: 'delete' })).status, 403)
    assert.equal((await admin.call('DELETE', '/v2/admin/accounts/7', { photos: 'delete' })).status, 404)
    const own = await admin.call('DELETE', `/v2/admin/accounts/${admin.accountId}`, { photos: 'delete' })
    assert.equal(own.status, 403)
    const last = await admin.call('DELETE', '/v2/me', { photos: 'delete' })
    assert.deepEqual([last.status, /last-admin/.test(last.text)], [409, true])
    assert.equal((await admin.call('GET', '/v2/me')).status, 200) // nothing was deleted
    assert.equal((await admin.call('DELETE', path, { photos: 'delete' })).status, 200)

    assert.equal((await admin.call('DELETE', path, { photos: 'delete' })).status, 404)
    assert.equal((await admin.call('GET', path)).status, 404)
    assert.equal((await admin.call('PATCH', path, { suspended: false })).status, 404)
    assert.equal((await admin.call('POST', `${path}/reset-link`)).status, 404)
    const list = await admin.call('GET', '/v2/admin/accounts')
    assert.ok(!list.text.includes(String(owner.accountId)))
    const token = await waymark.tokenFor(admin.accountId, 'routes:read')
    const routes = await waymark.fetch(`/Accounts/${owner.accountId}/Routes`, { token })
    assert.deepEqual([routes.status, /Invalid Account ID/.test(await routes.text())], [404, true])
    const entry = await db
      .selectFrom('audit')
      .selectAll()
      .where('action', '=', 'account.deleted')
      .executeTakeFirstOrThrow()
    assert.deepEqual(
      [entry.actor_id, entry.account_id, entry.via],
      [admin.accountId, owner.accountId, 'session'],
    )
    assert.equal((JSON.parse(entry.detail) as { photosDeleted: number }).photosDeleted, 3)

    // With a second admin, the first can be deleted.
    const second = await addOwner(waymark, 'admin')
    assert.equal((await admin.call('DELETE', '/v2/me', { photos: 'delete' })).status, 200)
    assert.equal((await second.call('GET', '/v2/admin/accounts')).status, 200)
  })
})

function reportBy(reporterId: number, imageId: number) {
  return {
    id: 77,
    image_id: imageId,
    at: 1,
    reporter_id: reporterId,
    reason: 'other',
    note: 'look at it',
    closed_at: null,
    closed_by: null,
  }
}
