// A webhook never sends what its owner could not GET: roles, trails, scopes and account status are checked at each
// attempt.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { jpegPicture } from '../../helpers/pictures.ts'
import { startWaymark, type Person, type Waymark } from '../../helpers/waymark.ts'
import { addWebhook, answerWith, ask, onLoopback, startReceiver } from './receiver.ts'

type Receiver = Awaited<ReturnType<typeof startReceiver>>

describe('which events webhooks receive', () => {
  let waymark: Waymark
  let submitter: Person
  let staff: Person
  let receiver: Receiver
  let pictures = 0

  before(async () => {
    waymark = await startWaymark(onLoopback)
    await waymark.addTrail(7, 'Trail')
    await waymark.addTrail(8, 'Other Trail')
    submitter = await waymark.addPerson()
    staff = await waymark.addPerson({ role: 'admin' })
  })
  const closing: (() => void)[] = []
  after(async () => {
    for (const close of closing) close()
    await waymark.close()
  })
  const receive = () => startReceiver((done) => void closing.push(done))
  beforeEach(async () => {
    receiver = await receive()
  })

  const work = () => waymark.app.services.webhooks.workAll()
  const upload = async (person = submitter, trailId = 7) => {
    pictures += 1
    return waymark.upload(person, trailId, await jpegPicture({ width: 10 + pictures, height: 9 }))
  }
  const reported = (): string[] =>
    receiver.received.map(({ body }) => (JSON.parse(body) as { type: string }).type)
  const addRoute = async ({ accountId, token }: Person) => {
    const answer = await waymark.fetch(`/v2/accounts/${accountId}/routes`, {
      method: 'POST',
      token,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Way home', visibility: 'public' }),
    })
    assert.equal(answer.status, 201, await answer.text())
  }
  const set = (accountId: number, fields: { role?: 'member' | 'reviewer'; suspended_at?: number | null }) =>
    waymark.installation.database.db.updateTable('account').set(fields).where('id', '=', accountId).execute()

  it('a member gets events of photos that are or just were published, and none of pending or rejected ones of others', async () => {
    const member = await waymark.addPerson()
    await addWebhook(waymark, member.token, receiver.url)
    const listed = await upload()
    const rejected = await upload()
    await work()
    assert.deepEqual(reported(), [])
    await waymark.review(staff, listed, 'approve')
    await waymark.review(staff, rejected, 'reject')
    await work()
    assert.deepEqual(reported(), ['image.approved'])
    await waymark.review(staff, listed, 'remove')
    await work()
    await waymark.review(staff, listed, 'reopen')
    await addRoute(submitter)
    await work()
    assert.deepEqual(reported(), ['image.approved', 'image.removed'])
  })

  it('the submitter gets events of their own images in every state; only the owner gets those of routes', async () => {
    const person = await waymark.addPerson()
    await addWebhook(waymark, person.token, receiver.url)
    const id = await upload(person)
    await waymark.review(staff, id, 'reject')
    await addRoute(person)
    await work()
    assert.deepEqual(reported(), ['image.uploaded', 'image.rejected', 'route.created'])
  })

  it('a reviewer gets events of the trails they are limited to', async () => {
    const reviewer = await waymark.addPerson({ role: 'reviewer' })
    await waymark.installation.database.db
      .insertInto('account_trail')
      .values({ account_id: reviewer.accountId, trail_id: 8 })
      .execute()
    await addWebhook(waymark, reviewer.token, receiver.url, ['image.uploaded'])
    await upload(submitter, 7)
    await work()
    assert.deepEqual(reported(), [])
    await upload(submitter, 8)
    await work()
    assert.deepEqual(reported(), ['image.uploaded'])
  })

  it('a webhook gets no more than the scopes it was created with', async () => {
    const reviewer = await waymark.addPerson({ role: 'reviewer' })
    const forRoutes = await waymark.tokenFor(reviewer.accountId, 'routes:read')
    const forReading = await waymark.tokenFor(reviewer.accountId, 'images:read')
    const other = await receive()
    await addWebhook(waymark, forRoutes, receiver.url)
    await addWebhook(waymark, forReading, other.url)
    const id = await upload()
    await addRoute(reviewer)
    await work()
    assert.deepEqual(reported(), ['route.created'])
    assert.equal(other.received.length, 0, 'without images:review as any member: nothing of the pending')
    await waymark.review(staff, id, 'approve')
    await work()
    assert.deepEqual([reported(), other.received.length], [['route.created'], 1])
  })

  it('a lost role applies at once, also to waiting deliveries', async () => {
    const reviewer = await waymark.addPerson({ role: 'reviewer' })
    const { id } = await addWebhook(waymark, reviewer.token, receiver.url)
    receiver.answer = answerWith(500)
    await upload()
    await work()
    assert.deepEqual(reported(), ['image.uploaded'])
    await set(reviewer.accountId, { role: 'member' })
    receiver.answer = answerWith(200)
    await upload()
    waymark.system.advance(6_000)
    await work()
    assert.deepEqual(reported(), ['image.uploaded'], 'neither the new one nor the retry')
    const log = await ask(waymark, `/${id}/deliveries`, { token: reviewer.token, method: 'GET' })
    const { items } = (await log.json()) as { items: { state: string; attempts: { error: string }[] }[] }
    assert.equal(items[0]?.state, 'failed')
    assert.match(items[0]?.attempts.at(-1)?.error ?? '', /^The account no longer has access to this event/)
  })

  it('a suspended account receives nothing, not even a test delivery', async () => {
    const person = await waymark.addPerson()
    const { id } = await addWebhook(waymark, person.token, receiver.url)
    await upload(person)
    await ask(waymark, `/${id}/test`, { token: person.token })
    await set(person.accountId, { suspended_at: waymark.system.now() })
    await waymark.review(staff, await upload(), 'approve')
    await work()
    assert.deepEqual(reported(), [])
    await set(person.accountId, { suspended_at: null })
    await waymark.review(staff, await upload(), 'approve')
    await work()
    assert.deepEqual(reported(), ['image.uploaded', 'image.approved'], 'what anybody can GET by now')
  })
})
