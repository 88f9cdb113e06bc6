// Creating accounts: the set-up link (D6), invitations, and sign-up with and without email.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { byCommand } from '../../src/accounts/audit/audit.ts'
import { findSignIn } from '../../src/accounts/accounts.ts'
import type { Environment } from '../../src/settings/config.ts'
import { startMailServer } from '../helpers/mail-server.ts'
import { addMember, createVisitor, type Visitor } from '../helpers/visitor.ts'
import { startWaymark, type Waymark } from '../helpers/waymark.ts'

async function started(t: TestContext, environment: Environment = {}): Promise<Waymark> {
  const waymark = await startWaymark({ environment })
  t.after(() => waymark.close())
  return waymark
}

const account = (waymark: Waymark, email: string) => findSignIn(waymark.installation.database.db, email)

/** Signs in and returns the result. */
const signIn = async (visitor: Visitor, email: string, password: string): Promise<number> =>
  (await visitor.post('/sign-in', { email, password })).status

const ann = { email: 'ann@trails.example', name: 'Ann', password: 'a long walk home' }

void test('D6: the set-up link creates the first admin, once, within a day', async (t) => {
  const waymark = await started(t)
  const link = (await waymark.app.services.joining.makeSetUpLink()) ?? ''
  assert.match(link, /^https:\/\/trails\.example\/join\/[\w-]{43}$/)
  assert.equal(await waymark.app.services.joining.makeSetUpLink(), undefined, 'a second node prints none')

  const visitor = createVisitor(waymark)
  assert.match((await visitor.get(link)).text, /Set up this site/)
  const short = await visitor.post(link, { ...ann, password: 'short' })
  assert.equal(short.status, 400)
  assert.match(short.text, /Password must have 8/)
  assert.match(short.text, /value="Ann"/, 'what was typed stays')
  const done = await visitor.post(link, ann)
  assert.equal(done.status, 303, done.text)
  assert.equal((await account(waymark, ann.email))?.role, 'admin')
  assert.equal((await visitor.call('GET', '/v2/admin/accounts')).status, 200, 'and signs them in')
  assert.equal((await createVisitor(waymark).post(link, { ...ann, email: 'b@trails.example' })).status, 410)
  assert.equal((await createVisitor(waymark).get(link)).status, 410)
})

void test('D6: a set-up link expires after a day, and when another start creates a new one', async (t) => {
  const waymark = await started(t)
  const { joining } = waymark.app.services
  const first = (await joining.makeSetUpLink()) ?? ''
  waymark.system.advance(60_000)
  const second = (await joining.makeSetUpLink()) ?? ''
  const visitor = createVisitor(waymark)
  assert.equal((await visitor.get(first)).status, 410)
  assert.equal((await visitor.get(second)).status, 200)
  waymark.system.advance(24 * 3_600_000)
  assert.equal((await visitor.get(second)).status, 410)
})

void test('an invitation gives its address and role, and no other', async (t) => {
  const waymark = await started(t)
  const { joining } = waymark.app.services
  const { link } = await joining.invite('rev@trails.example', 'reviewer', byCommand)
  const visitor = createVisitor(waymark)
  const page = await visitor.get(link)
  assert.match(page.text, /rev@trails\.example/)
  await visitor.post(link, { ...ann, email: 'other@trails.example', role: 'admin' })
  assert.equal((await account(waymark, 'rev@trails.example'))?.role, 'reviewer')
  assert.equal(await account(waymark, 'other@trails.example'), undefined)
  await assert.rejects(joining.invite('REV@trails.example', 'member', byCommand), /Invalid field value/)
})

void test('an invitation that was withdrawn, or is older than seven days, is invalid', async (t) => {
  const waymark = await started(t)
  const { joining } = waymark.app.services
  const kept = await joining.invite('a@trails.example', 'member', byCommand)
  const dropped = await joining.invite('b@trails.example', 'member', byCommand)
  await joining.revokeInvitation(dropped.id, byCommand)
  const visitor = createVisitor(waymark)
  assert.equal((await visitor.get(dropped.link)).status, 410)
  assert.equal((await visitor.get(kept.link)).status, 200)
  assert.deepEqual(
    (await joining.listInvitations()).map(({ email }) => email),
    ['a@trails.example'],
  )
  waymark.system.advance(7 * 24 * 3_600_000)
  assert.equal((await visitor.get(kept.link)).status, 410)
})

for (const signUp of ['invite', 'closed']) {
  void test(`SIGN_UP=${signUp} lets nobody create an account without an invitation`, async (t) => {
    const waymark = await started(t, { SIGN_UP: signUp })
    const visitor = createVisitor(waymark)
    assert.equal((await visitor.get('/sign-up')).status, 403)
    assert.equal((await visitor.post('/sign-up', ann)).status, 403)
    assert.equal(await account(waymark, ann.email), undefined)
    assert.doesNotMatch((await visitor.get('/sign-in')).text, /sign-up/)
  })
}

void test('SIGN_UP=open without mail creates the account at once', async (t) => {
  const waymark = await started(t, { SIGN_UP: 'open' })
  const visitor = createVisitor(waymark)
  assert.match((await visitor.get('/sign-in')).text, /sign-up/)
  assert.equal((await visitor.post('/sign-up', ann)).status, 303)
  const made = await account(waymark, ann.email)
  assert.deepEqual([made?.role, made?.emailVerifiedAt], ['member', null])
  const again = await createVisitor(waymark).post('/sign-up', { ...ann, password: 'another password' })
  assert.equal(again.status, 400)
  assert.equal(await signIn(createVisitor(waymark), ann.email, ann.password), 303)
})

void test('SIGN_UP=open with mail verifies the address first, and does not reveal who has an account', async (t) => {
  const mail = await startMailServer({ refusing: 1 })
  t.after(() => mail.close())
  const waymark = await started(t, { SIGN_UP: 'open', SMTP_URL: mail.url })
  const known = await addMember(waymark)
  const visitor = createVisitor(waymark)
  const page = (text: string) => text.replaceAll(/[\w.+-]+@[\w.-]+/g, '')
  const ofNew = await visitor.post('/sign-up', { email: ann.email })
  const ofKnown = await visitor.post('/sign-up', { email: known.email })
  assert.deepEqual([ofNew.status, ofKnown.status], [200, 200])
  assert.equal(page(ofNew.text), page(ofKnown.text))
  assert.equal(await account(waymark, ann.email), undefined, 'no account before the link is opened')
  assert.match(await mail.linkFor(known.email), /\/sign-in$/)
  const link = await mail.linkFor(ann.email)
  assert.equal((await visitor.get(link)).status, 200)
  assert.equal((await visitor.post(link, ann)).status, 303)
  const made = await account(waymark, ann.email)
  assert.notEqual(made?.emailVerifiedAt, null)
})
