// After a deletion: an email to the former address, which is free again, and requests in progress at the time.
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { after, before, describe, it } from 'node:test'
import { anotherPicture, takeOut } from '../helpers/leaving.ts'
import { startMailServer } from '../helpers/mail-server.ts'
import { createVisitor } from '../helpers/visitor.ts'
import { startWaymark, type Waymark } from '../helpers/waymark.ts'
import { assertWhole, settle, start, trailId } from './settled.ts'

void describe('after a deletion (issue 6)', () => {
  let shared: Waymark
  before(async () => {
    shared = await startWaymark()
  })
  after(() => shared.close())

  void it('mails the former address, which may sign up again', async (t) => {
    const mail = await startMailServer()
    t.after(() => mail.close())
    const environment = { SMTP_URL: mail.url, MAIL_FROM: 'waymark@trails.example', SIGN_UP: 'open' }
    const { waymark, owner } = await start(t, { environment })
    assert.equal((await owner.call('DELETE', '/v2/me', { photos: 'keep' })).status, 200)
    for (let tries = 0; mail.mails.length === 0 && tries < 3_000; tries += 1) await pause(10)
    assert.equal(mail.mails[0]?.to, owner.email)
    assert.match(mail.mails[0]?.text ?? '', /Photos deleted: 2\. Photos that stay published[^.]*: 1\./)
    const visitor = createVisitor(waymark)
    await visitor.post('/sign-up', { email: owner.email })
    const link = await mail.linkFor(owner.email)
    const password = 'another pass phrase'
    waymark.secrets.note('password', password)
    const joined = await visitor.post(link, { name: 'Ann again', displayName: 'Ann again', password })
    assert.equal(joined.status, 303, joined.text)
    const me = JSON.parse((await visitor.call('GET', '/v2/me')).text) as { acctID: number; email: string }
    assert.equal(me.email, owner.email)
    assert.notEqual(me.acctID, owner.accountId)
  })

  void it('changes nothing while the installation is read-only; the data export still works', async (t) => {
    const { waymark, owner, db } = await start(t)
    await db.insertInto('read_only').values({ id: 1, since: 0, reason: 'moving' }).execute()
    const answer = await owner.call('DELETE', '/v2/me', { photos: 'delete' })
    assert.match(answer.text, /read-only/)
    assert.equal((await takeOut(waymark, owner)).answer.status, 200)
    await db.deleteFrom('read_only').execute()
  })

  void it('refuses an upload in progress, and the next sweep removes anything it stored', async () => {
    const { waymark, owner, has, db } = await settle(shared)
    await owner.call('DELETE', '/v2/me', { photos: 'keep' })
    const own = db.selectFrom('image').select('id').where('submitter_id', '=', owner.accountId)
    const ownIds = async () => (await own.execute()).map(({ id }) => id)
    assert.deepEqual(await ownIds(), [has.images.listed])
    const actor = {
      kind: 'account',
      accountId: owner.accountId,
      role: 'member',
      scopes: new Set(['images:write' as const]),
      via: 'client',
    } as const
    const picture = await anotherPicture()
    async function* body(): AsyncGenerator<Uint8Array> {
      yield await Promise.resolve(picture)
    }
    const upload = () => waymark.app.services.upload.take(actor, { trailId, key: undefined }, body())
    await assert.rejects(upload(), { code: 'invalid-token' })
    assert.equal((await ownIds()).length, 1)
    // As a transaction that ran beside the deletion's would, on a database that lets them.
    const accountStatus = db.updateTable('account').where('id', '=', owner.accountId)
    const { deleted_at, suspended_at } = await db
      .selectFrom('account')
      .select(['deleted_at', 'suspended_at'])
      .where('id', '=', owner.accountId)
      .executeTakeFirstOrThrow()
    await accountStatus.set({ deleted_at: null, suspended_at: null }).execute()
    await upload()
    await accountStatus.set({ deleted_at, suspended_at }).execute()
    assert.equal((await ownIds()).length, 2)
    await waymark.app.sweep()
    assert.deepEqual(await ownIds(), [has.images.listed])
    await assertWhole(waymark)
  })

  void it('happens once: of two simultaneous deletions one reports, and the other gets not found', async () => {
    const { owner, db } = await settle(shared)
    const ask = () => owner.call('DELETE', '/v2/me', { photos: 'delete' })
    const answers = await Promise.all([ask(), ask()])
    const statuses = answers.map(({ status }) => status).toSorted((one, other) => one - other)
    assert.equal(statuses[0], 200)
    assert.ok(statuses[1] === 401 || statuses[1] === 404, String(statuses[1]))
    const entries = db.selectFrom('audit').select('position').where('action', '=', 'account.deleted')
    assert.equal((await entries.where('account_id', '=', owner.accountId).execute()).length, 1)
    await assertWhole(shared)
  })
})
