// Recovery and changes of credentials: reset links, passwords, addresses, and limits on guessing.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { byCommand } from '../../src/accounts/audit/audit.ts'
import type { Environment } from '../../src/settings/config.ts'
import { until } from '../faults/harness/server.ts'
import { startMailServer } from '../helpers/mail-server.ts'
import { addMember, addSignedIn, createVisitor, type Visitor } from '../helpers/visitor.ts'
import { startWaymark, type Waymark } from '../helpers/waymark.ts'

async function started(t: TestContext, environment: Environment = {}): Promise<Waymark> {
  // All guesses come at the same time, however long hashing takes; otherwise another would be allowed after 5 s.
  const waymark = await startWaymark({ environment, guessClock: () => 0 })
  t.after(() => waymark.close())
  return waymark
}

const isSignedIn = async (visitor: Visitor): Promise<boolean> =>
  (await visitor.call('GET', '/v2/images')).status === 200

const signIn = (visitor: Visitor, email: string, password: string) =>
  visitor.post('/sign-in', { email, password })

void test('a reset link sets a password once, ends every session and signs in', async (t) => {
  const waymark = await started(t)
  const member = await addSignedIn(waymark)
  const link = await waymark.app.services.recovery.makeResetLink(member.accountId, byCommand)
  const visitor = createVisitor(waymark)
  assert.equal((await visitor.get(link)).status, 200)
  assert.equal((await visitor.post(link, { password: 'short' })).status, 400)
  assert.equal((await visitor.post(link, { password: 'a whole new word' })).status, 303)
  assert.deepEqual([await isSignedIn(member), await isSignedIn(visitor)], [false, true])
  assert.equal((await createVisitor(waymark).post(link, { password: 'yet another word' })).status, 410)
  assert.equal((await signIn(createVisitor(waymark), member.email, member.password)).status, 403)
  assert.equal((await signIn(createVisitor(waymark), member.email, 'a whole new word')).status, 303)
})

void test('a reset link ends after an hour; a newer one leaves it valid, and using one ends the others', async (t) => {
  const waymark = await started(t)
  const { accountId } = await addMember(waymark)
  const { recovery } = waymark.app.services
  const make = () => recovery.makeResetLink(accountId, byCommand)
  const [first, second, third] = [await make(), await make(), await make()]
  const visitor = createVisitor(waymark)
  for (const link of [first, second, third]) assert.equal((await visitor.get(link)).status, 200)
  assert.equal((await visitor.post(second, { password: 'a whole new word' })).status, 303)
  for (const link of [first, second, third]) assert.equal((await visitor.get(link)).status, 410)
  const late = await make()
  waymark.system.advance(3_600_000)
  assert.equal((await visitor.post(late, { password: 'another new word' })).status, 410)
})

void test('repeated requests by a stranger send three mails an hour, each with a link that stays valid', async (t) => {
  const mail = await startMailServer()
  t.after(() => mail.close())
  const waymark = await startWaymark({ environment: { SMTP_URL: mail.url, SIGN_UP: 'open' } })
  t.after(() => waymark.close())
  const member = await addMember(waymark)
  const visitor = createVisitor(waymark)
  const pages = new Set<string>()
  const ask = async (page: '/reset' | '/sign-up', email: string): Promise<void> => {
    const answer = await visitor.post(page, { email })
    assert.equal(answer.status, 200)
    pages.add(`${page} ${answer.text}`)
  }
  for (let time = 0; time < 3; time += 1) {
    await ask('/sign-up', member.email)
    await ask('/reset', ` ${member.email.toUpperCase()}`)
    await ask('/sign-up', 'new@trails.example')
    await ask('/sign-up', 'new@trails.example')
  }
  assert.equal(pages.size, 2, 'each page says the same, whether a mail goes out or not')
  const count = (to: string): number => mail.mails.filter((sent) => sent.to === to).length
  await until(() => mail.mails.length >= 6, 'the mails that may be sent')
  const links = mail.mails
    .filter(({ to }) => to === member.email)
    .map(({ text }) => /https?:\/\/\S+\/reset\/\S+/.exec(text)?.[0] ?? 'none')
  assert.equal(new Set(links).size, 3)
  for (const link of links) assert.equal((await visitor.get(link)).status, 200)
  await waymark.app.close() // sends everything pending
  assert.deepEqual([count(member.email), count('new@trails.example')], [3, 3])
})

void test('asking for a reset says the same for every address, and mails those with an account', async (t) => {
  const mail = await startMailServer()
  t.after(() => mail.close())
  const waymark = await started(t, { SMTP_URL: mail.url })
  const member = await addMember(waymark)
  const visitor = createVisitor(waymark)
  const known = await visitor.post('/reset', { email: member.email.toUpperCase() })
  const unknown = await visitor.post('/reset', { email: 'nobody@trails.example' })
  assert.deepEqual([known.status, known.text], [unknown.status, unknown.text])
  const link = await mail.linkFor(member.email)
  assert.equal((await visitor.post(link, { password: 'a whole new word' })).status, 303)
  assert.ok(mail.mails.every(({ to }) => to === member.email))
})

void test('without mail the page says whom to ask', async (t) => {
  const waymark = await started(t)
  const visitor = createVisitor(waymark)
  assert.match((await visitor.get('/reset')).text, /waymark accounts reset-link/)
  assert.equal((await visitor.post('/reset', { email: 'a@trails.example' })).status, 503)
})

void test('a new address applies once its link is opened and confirmed; opening alone changes nothing', async (t) => {
  const mail = await startMailServer()
  t.after(() => mail.close())
  const waymark = await started(t, { SMTP_URL: mail.url })
  const member = await addSignedIn(waymark)
  const { recovery } = waymark.app.services
  const person = { accountId: member.accountId, sessionId: '', signedInAt: 0 }
  await assert.rejects(
    recovery.changeEmail(person, 'new@trails.example', 'nonsense'),
    /password is incorrect|Incorrect password/,
  )
  assert.equal(await recovery.changeEmail(person, 'new@trails.example', member.password), false)
  const link = await mail.linkFor('new@trails.example')
  const visitor = createVisitor(waymark)
  assert.match((await visitor.get(link)).text, /new@trails\.example/)
  assert.equal((await signIn(createVisitor(waymark), 'new@trails.example', member.password)).status, 403)
  assert.equal((await visitor.post(link, {})).status, 200)
  assert.equal((await signIn(createVisitor(waymark), 'new@trails.example', member.password)).status, 303)
  assert.equal((await visitor.post(link, {})).status, 410)
})

void test('guessing ends in 429 before the password is even checked, by address and by account', async (t) => {
  const waymark = await started(t, { RATE_LIMIT_FACTOR: '1', RATE_SIGN_IN: '20', RATE_SIGN_IN_ACCOUNT: '3' })
  const member = await addMember(waymark)
  const visitor = createVisitor(waymark)
  for (let guess = 0; guess < 3; guess += 1)
    assert.equal((await signIn(visitor, member.email, `guess ${guess}`)).status, 403)
  const limited = await signIn(visitor, member.email, member.password)
  assert.equal(limited.status, 429)
  assert.ok(Number(limited.headers.get('retry-after')) > 0)
  assert.match(limited.headers.get('content-type') ?? '', /html/)
  for (let guess = 0; guess < 17; guess += 1)
    assert.equal((await signIn(visitor, `unknown-${guess}@trails.example`, 'x')).status, 403)
  assert.equal((await signIn(visitor, 'fresh@trails.example', 'x')).status, 429)
})

void test('signing out ends the session, and a session expires: a member’s after 14 days, staff’s after 12 hours', async (t) => {
  const waymark = await started(t)
  const [member, reviewer, other] = [
    await addSignedIn(waymark),
    await addSignedIn(waymark, 'reviewer'),
    await addSignedIn(waymark),
  ]
  assert.equal((await other.post('/sign-out', {})).status, 200)
  assert.equal(await isSignedIn(other), false)
  waymark.system.advance(12 * 3_600_000 - 1)
  assert.deepEqual([await isSignedIn(member), await isSignedIn(reviewer)], [true, true])
  waymark.system.advance(1)
  assert.deepEqual([await isSignedIn(member), await isSignedIn(reviewer)], [true, false])
  waymark.system.advance(14 * 24 * 3_600_000)
  assert.equal(await isSignedIn(member), false)
})

void test('a session gives a page of another site no access, whatever it sends', async (t) => {
  const waymark = await started(t)
  const member = await addSignedIn(waymark)
  const cookie = [...member.jar].map(([name, value]) => `${name}=${value}`).join('; ')
  assert.match(cookie, /^__Host-waymark=/)
  for (const headers of [
    {},
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site', origin: 'https://trails.example' },
    { 'sec-fetch-site': 'none' },
    { origin: 'https://trails.example.evil' },
    { origin: 'null' },
  ])
    assert.equal((await waymark.fetch('/v2/images', { headers: { cookie, ...headers } })).status, 401)
  const own = { cookie, origin: 'https://trails.example' }
  assert.equal((await waymark.fetch('/v2/images', { headers: own })).status, 200)
})
