// Accounts from another server: no one can sign in until the owner claims the account by a link mailed to its address; an
// admin can set a missing address.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { byCommand } from '../../src/accounts/audit/audit.ts'
import { storeSubmitter, type SubmitterElsewhere } from '../../src/accounts/unclaimed.ts'
import { startMailServer } from '../helpers/mail-server.ts'
import { addMember, addSignedIn, createVisitor, type Answer } from '../helpers/visitor.ts'
import { startWaymark, type Waymark } from '../helpers/waymark.ts'

const password = 'down to the river'

async function started(t: TestContext, hasMail: boolean) {
  const mail = await startMailServer()
  t.after(() => mail.close())
  const waymark = await startWaymark({ environment: hasMail ? { SMTP_URL: mail.url } : {} })
  t.after(() => waymark.close())
  return { waymark, mail }
}

const keep = ({ installation, system }: Waymark, submitter: SubmitterElsewhere) =>
  installation.database.db.transaction().execute((tx) =>
    storeSubmitter(tx, submitter, {
      at: system.now(),
      by: byCommand,
      source: 'https://old.example/V1',
      isFrom: () => true,
      isSame: false,
    }),
  )

const accountOf = ({ text }: Answer) => JSON.parse(text) as Record<string, unknown>
const codeOf = (answer: Answer) => [answer.status, accountOf(answer)['detail']]

void test('an account with a known address is claimed through the mail that its owner requests, which confirms the address', async (t) => {
  const { waymark, mail } = await started(t, true)
  const ann = { id: 42, displayName: 'Ann', email: 'ann@trails.example' }
  assert.deepEqual(await keep(waymark, ann), { how: 'made', losses: [] })
  const admin = await addSignedIn(waymark, 'admin')
  const look = async () => accountOf(await admin.call('GET', '/v2/admin/accounts/42'))
  const { email, unclaimed, emailVerified, hasPassword, displayName } = await look()
  assert.deepEqual(
    [displayName, email, unclaimed, emailVerified, hasPassword],
    ['Ann', ann.email, true, false, false],
  )

  const visitor = createVisitor(waymark)
  for (const guess of ['', password]) {
    const refused = await visitor.post('/sign-in', { email: ann.email, password: guess })
    assert.ok([400, 401, 403].includes(refused.status), String(refused.status))
  }
  assert.equal((await visitor.post('/reset', { email: ann.email })).status, 200)
  const link = await mail.linkFor(ann.email)
  assert.equal((await visitor.post(link, { password })).status, 303)
  const claimed = await look()
  assert.deepEqual(
    [claimed['unclaimed'], claimed['emailVerified'], claimed['hasPassword']],
    [false, true, true],
  )
  const again = createVisitor(waymark)
  assert.equal((await again.post('/sign-in', { email: ann.email, password })).status, 303)
  assert.equal((JSON.parse((await again.call('GET', '/v2/me')).text) as { acctID: number }).acctID, 42)

  // From now on it is Ann's: a pull cannot rename it, and an admin cannot change its address.
  const pulled = await keep(waymark, { ...ann, displayName: 'Anna', email: 'other@trails.example' })
  assert.deepEqual(pulled, { how: 'as it was', losses: ['name-differs-here'] })
  const taken = await admin.call('PATCH', '/v2/admin/accounts/42', { email: 'thief@trails.example' })
  assert.deepEqual(codeOf(taken), [
    400,
    'Only an account that nobody has claimed yet can be given an email address.',
  ])
  assert.equal((await look())['email'], ann.email)
})

void test('an admin gives an account without an address one, and its owner claims it by the mail that is sent there', async (t) => {
  const { waymark, mail } = await started(t, true)
  await keep(waymark, { id: 43, displayName: 'Bo', email: undefined })
  const member = await addMember(waymark)
  const admin = await addSignedIn(waymark, 'admin')
  const call = (method: string, path: string, body?: unknown) =>
    admin.call(method, `/v2/admin/accounts/43${path}`, body)
  assert.equal(accountOf(await call('GET', ''))['email'], '')
  assert.deepEqual(codeOf(await call('POST', '/reset-link')), [
    400,
    'This account has no email address. Add one first.',
  ])
  assert.equal((await call('PATCH', '', { email: 'nonsense' })).status, 400)
  assert.deepEqual(codeOf(await call('PATCH', '', { email: member.email.toUpperCase() })), [
    400,
    'Another account has this email address.',
  ])
  assert.equal(
    (await member.call('PATCH', '/v2/admin/accounts/43', { email: 'x@trails.example' })).status,
    401,
  )
  assert.equal(mail.mails.length, 0)

  const given = await call('PATCH', '', { email: 'Bo@trails.example' })
  const { email, unclaimed, emailVerified } = accountOf(given)
  assert.deepEqual([given.status, email, unclaimed, emailVerified], [200, 'Bo@trails.example', true, false])
  const link = await mail.linkFor('Bo@trails.example')
  const visitor = createVisitor(waymark)
  assert.equal((await visitor.post(link, { password })).status, 303)
  const claimed = accountOf(await call('GET', ''))
  assert.deepEqual([claimed['unclaimed'], claimed['emailVerified']], [false, true])
  assert.equal(
    (await createVisitor(waymark).post('/sign-in', { email: 'bo@trails.example', password })).status,
    303,
  )
})

void test('nobody can have a link issued for an account without an address', async (t) => {
  const { waymark, mail } = await started(t, true)
  await keep(waymark, { id: 50, displayName: 'Hal', email: undefined })
  const member = await addMember(waymark)
  const visitor = createVisitor(waymark)
  // What stands in the place of its address.
  assert.equal((await visitor.post('/reset', { email: 'unclaimed 50' })).status, 200)
  assert.equal((await visitor.post('/reset', { email: member.email })).status, 200)
  await mail.linkFor(member.email)
  const admin = await addSignedIn(waymark, 'admin')
  const audit = await admin.call('GET', '/v2/admin/audit?action=password.reset-issued')
  const { items } = JSON.parse(audit.text) as { items: { acctID: number }[] }
  assert.deepEqual(
    items.map(({ acctID }) => acctID),
    [member.accountId],
  )
})

void test('a link mailed to a wrong address ends once an admin enters another', async (t) => {
  const { waymark, mail } = await started(t, true)
  await keep(waymark, { id: 44, displayName: 'Cy', email: undefined })
  const admin = await addSignedIn(waymark, 'admin')
  const give = (email: string) => admin.call('PATCH', '/v2/admin/accounts/44', { email })
  assert.equal((await give('wrong@trails.example')).status, 200)
  const wrong = await mail.linkFor('wrong@trails.example')
  assert.equal((await give('right@trails.example')).status, 200)
  const visitor = createVisitor(waymark)
  assert.equal((await visitor.post(wrong, { password })).status, 410)
  assert.equal((await visitor.post(await mail.linkFor('right@trails.example'), { password })).status, 303)
})

void test('a link mailed to an address ends once the other server reports another', async (t) => {
  const { waymark, mail } = await started(t, true)
  const fay = { id: 48, displayName: 'Fay' }
  await keep(waymark, { ...fay, email: 'old@trails.example' })
  const visitor = createVisitor(waymark)
  assert.equal((await visitor.post('/reset', { email: 'old@trails.example' })).status, 200)
  const old = await mail.linkFor('old@trails.example')
  assert.equal((await keep(waymark, { ...fay, email: 'fay@trails.example' })).how, 'changed')
  assert.equal((await visitor.call('GET', old)).status, 410)
  assert.equal((await visitor.post(old, { password })).status, 410)
  const admin = await addSignedIn(waymark, 'admin')
  const look = async () => accountOf(await admin.call('GET', '/v2/admin/accounts/48'))
  assert.deepEqual([(await look())['unclaimed'], (await look())['hasPassword']], [true, false])
  assert.equal((await visitor.post('/reset', { email: 'fay@trails.example' })).status, 200)
  assert.equal((await visitor.post(await mail.linkFor('fay@trails.example'), { password })).status, 303)
  assert.deepEqual([(await look())['unclaimed'], (await look())['emailVerified']], [false, true])
})

void test('signing up with the address of an unclaimed account claims it, and confirms the address', async (t) => {
  const mail = await startMailServer()
  t.after(() => mail.close())
  const waymark = await startWaymark({ environment: { SMTP_URL: mail.url, SIGN_UP: 'open' } })
  t.after(() => waymark.close())
  await keep(waymark, { id: 49, displayName: 'Gus', email: 'gus@trails.example' })
  const visitor = createVisitor(waymark)
  assert.equal((await visitor.post('/sign-up', { email: 'gus@trails.example' })).status, 200)
  const link = await mail.linkFor('gus@trails.example', '/reset/')
  assert.equal((await visitor.post(link, { password })).status, 303)
  const admin = await addSignedIn(waymark, 'admin')
  const claimed = accountOf(await admin.call('GET', '/v2/admin/accounts/49'))
  assert.deepEqual([claimed['unclaimed'], claimed['emailVerified']], [false, true])
})

void test('without mail, the admin hands over a link; the address then stays unconfirmed', async (t) => {
  const { waymark } = await started(t, false)
  await keep(waymark, { id: 45, displayName: 'Di', email: undefined })
  const admin = await addSignedIn(waymark, 'admin')
  assert.equal(
    (await admin.call('PATCH', '/v2/admin/accounts/45', { email: 'di@trails.example' })).status,
    200,
  )
  const made = await admin.call('POST', '/v2/admin/accounts/45/reset-link')
  assert.equal(made.status, 201)
  const { url } = accountOf(made) as { url: string }
  assert.equal((await createVisitor(waymark).post(url, { password })).status, 303)
  const claimed = accountOf(await admin.call('GET', '/v2/admin/accounts/45'))
  assert.deepEqual([claimed['unclaimed'], claimed['emailVerified']], [false, false])
})

void test('what cannot be kept of a submitter is reported, and an unclaimed account follows the other server', async (t) => {
  const { waymark } = await started(t, false)
  const member = await addMember(waymark)
  const taken = await keep(waymark, { id: 46, displayName: 'Eve', email: member.email })
  assert.deepEqual(taken, { how: 'made', losses: ['address-taken'] })
  assert.deepEqual(await keep(waymark, { id: 47, displayName: ' \u0007 ', email: 'no address' }), {
    how: 'made',
    losses: ['name-unusable', 'address-unusable'],
  })
  assert.deepEqual(await keep(waymark, { id: 46, displayName: 'Eva', email: 'eva@trails.example' }), {
    how: 'changed',
    losses: [],
  })
  // A list without addresses does not remove any.
  assert.equal((await keep(waymark, { id: 46, displayName: 'Eva', email: undefined })).how, 'as it was')
  const admin = await addSignedIn(waymark, 'admin')
  const look = async (id: number) => accountOf(await admin.call('GET', `/v2/admin/accounts/${id}`))
  assert.deepEqual(
    [(await look(46))['displayName'], (await look(46))['email']],
    ['Eva', 'eva@trails.example'],
  )
  assert.deepEqual([(await look(47))['displayName'], (await look(47))['email']], ['Account 47', ''])
})
