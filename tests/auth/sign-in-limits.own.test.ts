// Guessing passwords ends in 429 before anything is checked, reveals no accounts, and never locks people out of a browser
// in which they have signed in before (contract C38, D6).
import assert from 'node:assert/strict'
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { mock, test, type TestContext } from 'node:test'
import { byCommand } from '../../src/accounts/audit/audit.ts'
import type { Answer, Visitor } from '../helpers/visitor.ts'
import type { Waymark } from '../helpers/waymark.ts'

/** Counts hashes, which are computed as usual. Must run before any module imports the function. */
const argon2 = mock.method(crypto, 'argon2')
syncBuiltinESMExports()
const { addMember, addSignedIn, createVisitor } = await import('../helpers/visitor.ts')
const { startWaymark } = await import('../helpers/waymark.ts')
const { hashPassword } = await import('../../src/auth/passwords.ts')
const hashes = (): number => argon2.mock.callCount()

async function start(t: TestContext, environment: Record<string, string> = {}): Promise<Waymark> {
  const waymark = await startWaymark({
    environment: { RATE_LIMIT_FACTOR: '1', TRUST_PROXY: '127.0.0.1', ...environment },
    guessClock: () => 0, // a busy machine may need longer than the first wait of 5 s
  })
  t.after(() => waymark.close())
  return waymark
}

const signIn = (waymark: Waymark, email: string, password: string, address = '192.0.2.1'): Promise<Answer> =>
  createVisitor(waymark).post('/sign-in', { email, password }, { 'x-forwarded-for': address })

const deviceCookie = ({ jar }: Visitor): string => `__Host-waymark-device=${jar.get('__Host-waymark-device')}`

function assertLimited(answer: Answer, message: string): void {
  assert.equal(answer.status, 429, message)
  const seconds = Number(answer.headers.get('retry-after'))
  assert.ok(Number.isInteger(seconds) && seconds > 0 && seconds <= 900, message)
  assert.deepEqual(answer.headers.getSetCookie(), [], message)
}

void test('guessing from one address slows down sign-ins to that account there, and other addresses still get in', async (t) => {
  const waymark = await start(t, { RATE_SIGN_IN_ACCOUNT: '3' })
  const { email, password } = await addMember(waymark)
  for (const written of [email, email.toUpperCase(), ` ${email}`])
    assert.equal((await signIn(waymark, written, 'wrong')).status, 403)
  assertLimited(await signIn(waymark, email, password), 'right password')
  assert.equal((await signIn(waymark, email, password, '198.51.100.7')).status, 303)
  const other = await addMember(waymark)
  assert.equal((await signIn(waymark, other.email, other.password)).status, 303)
})

void test('a password cannot be guessed from a thousand addresses either: all together get five times as many attempts', async (t) => {
  const waymark = await start(t, { RATE_SIGN_IN_ACCOUNT: '3' })
  const { email, password } = await addMember(waymark)
  for (let attempt = 0; attempt < 15; attempt += 1)
    assert.equal((await signIn(waymark, email, 'wrong', `192.0.2.${attempt}`)).status, 403)
  assertLimited(await signIn(waymark, email, password, '198.51.100.7'), 'right password')
})

void test('a browser in which the person signed in before still works, however many strangers guess', async (t) => {
  const waymark = await start(t, { RATE_SIGN_IN_ACCOUNT: '3', RATE_SIGN_IN: '20' })
  const member = await addSignedIn(waymark)
  const { email, password } = member
  await member.post('/sign-out', {})
  for (let attempt = 0; attempt < 25; attempt += 1)
    await signIn(waymark, email, 'wrong', attempt < 10 ? '127.0.0.1' : `192.0.2.${attempt}`)
  assertLimited(
    await signIn(waymark, email, password, '127.0.0.1'),
    'a new browser at the address of a stranger',
  )
  assertLimited(await signIn(waymark, email, password, '198.51.100.7'), 'a new browser elsewhere')
  assert.equal((await member.post('/sign-in', { email, password })).status, 303)
})

void test('people behind the same address cannot use up the requests of a known browser', async (t) => {
  const waymark = await start(t, { RATE_ADDRESS: '12' })
  const member = await addSignedIn(waymark)
  const { email, password } = member
  await member.post('/sign-out', {})
  for (let request = 0; request < 15; request += 1)
    await waymark.fetch('/v2/me', { token: 'wrong', headers: { 'x-forwarded-for': '127.0.0.1' } })
  assertLimited(await signIn(waymark, email, password, '127.0.0.1'), 'a new browser at the address')
  assert.equal((await member.get('/sign-in')).status, 200)
  assert.equal((await member.post('/sign-in', { email, password })).status, 303)
  for (let request = 0; request < 12; request += 1) await member.get('/sign-in')
  assertLimited(await member.get('/sign-in'), 'its own limit')
})

void test('the cookie of a known browser gives no access, counts its own attempts, and applies to no other account', async (t) => {
  const waymark = await start(t, { RATE_SIGN_IN_ACCOUNT: '3' })
  const [member, other] = [await addSignedIn(waymark), await addMember(waymark)]
  const { email, password } = member
  const stolen = deviceCookie(member)
  const thief = (mail: string, word: string): Promise<Answer> =>
    createVisitor(waymark).post(
      '/sign-in',
      { email: mail, password: word },
      { 'x-forwarded-for': '192.0.2.1', cookie: stolen },
    )
  const profile = await fetch(`${waymark.url}/v2/me`, {
    headers: { cookie: stolen, 'sec-fetch-site': 'same-origin' },
  })
  assert.equal(profile.status, 401)
  // Three as the device, three as a stranger at that address.
  for (let attempt = 0; attempt < 6; attempt += 1) assert.equal((await thief(email, 'wrong')).status, 403)
  assertLimited(await thief(email, password), 'a stolen cookie')
  for (let attempt = 0; attempt < 3; attempt += 1)
    assert.equal((await thief(other.email, 'wrong')).status, 403)
  assertLimited(await thief(other.email, other.password), 'another account')
})

void test('changing the password and "sign out everywhere" make other browsers unknown, and keep this one known', async (t) => {
  const waymark = await start(t, { RATE_SIGN_IN_ACCOUNT: '3' })
  const member = await addSignedIn(waymark)
  const { email } = member
  const elsewhere = createVisitor(waymark)
  const hammer = async (): Promise<void> => {
    for (let attempt = 0; attempt < 15; attempt += 1)
      await signIn(waymark, email, 'wrong', `192.0.2.${attempt}`)
  }
  const tryIn = async (visitor: Visitor, password: string, cookie = {}): Promise<number> =>
    (await visitor.post('/sign-in', { email, password }, { 'x-forwarded-for': '198.51.100.9', ...cookie }))
      .status
  assert.equal(await tryIn(elsewhere, member.password), 303)
  assert.equal((await member.call('DELETE', '/v2/me/sessions')).status, 204)
  await hammer()
  assert.deepEqual(
    [await tryIn(elsewhere, member.password), await tryIn(member, member.password)],
    [429, 303],
  )

  const password = 'quite another phrase'
  const before = { cookie: deviceCookie(member) }
  assert.equal(await tryIn(createVisitor(waymark), member.password, before), 303)
  const changed = await member.call('POST', '/v2/me/password', { current: member.password, password })
  assert.equal(changed.status, 204, changed.text)
  assert.deepEqual(
    [await tryIn(createVisitor(waymark), password, before), await tryIn(member, password)],
    [429, 303],
  )
})

void test('correct passwords are never slowed down', async (t) => {
  const waymark = await start(t, { RATE_SIGN_IN_ACCOUNT: '2', RATE_SIGN_IN: '2' })
  const { email, password } = await addMember(waymark)
  for (let attempt = 0; attempt < 5; attempt += 1)
    assert.equal((await signIn(waymark, email, password)).status, 303)
})

void test('the form itself says how long to wait, and what to do instead', async (t) => {
  const waymark = await start(t, {
    RATE_SIGN_IN_ACCOUNT: '1',
    SMTP_URL: 'smtp://127.0.0.1:9',
    PUBLIC_URL: 'http://localhost',
  })
  const member = await addMember(waymark)
  const pages: string[] = []
  for (const email of [member.email, 'nobody@trails.example']) {
    await signIn(waymark, email, 'wrong')
    const page = await signIn(waymark, email, 'wrong')
    assert.equal(page.status, 429)
    pages.push(page.text.replaceAll(email, ''))
    assert.match(
      page.text,
      /Too many wrong passwords. Try again in \d+ seconds, sign in with a passkey, or request a link/,
    )
    assert.match(page.text, /<form/)
  }
  assert.equal(pages[0], pages[1])
})

void test('an account that does not exist is limited like one that does', async (t) => {
  const waymark = await start(t, { RATE_SIGN_IN_ACCOUNT: '3' })
  const statuses: number[] = []
  for (let attempt = 0; attempt < 4; attempt += 1)
    statuses.push((await signIn(waymark, 'nobody@trails.example', 'wrong')).status)
  assert.deepEqual(statuses, [403, 403, 403, 429])
})

void test('the limit on an address counts over all accounts, before the check, and needs no hash', async (t) => {
  const waymark = await start(t, { RATE_SIGN_IN: '5' })
  const { email, password } = await addMember(waymark)
  for (let attempt = 0; attempt < 5; attempt += 1)
    assert.equal((await signIn(waymark, `nobody-${attempt}@trails.example`, 'wrong')).status, 403)
  const before = hashes()
  assertLimited(await signIn(waymark, email, password), 'right password')
  assert.equal(hashes() - before, 0)
  assert.equal((await signIn(waymark, email, password, '198.51.100.7')).status, 303)
})

void test('twenty attempts at the same moment are all counted before any is checked', async (t) => {
  const waymark = await start(t, { RATE_SIGN_IN_ACCOUNT: '3', RATE_SIGN_IN: '1000' })
  const { email, password } = await addMember(waymark)
  const before = hashes()
  const attempts = Array.from({ length: 20 }, (_, index) =>
    signIn(waymark, email, index === 19 ? password : `wrong ${index}`),
  )
  const statuses = (await Promise.all(attempts)).map(({ status }) => status)
  assert.equal(statuses.filter((status) => status === 429).length, 17, statuses.join(' '))
  assert.equal(hashes() - before, 3)
})

void test('an unknown account costs the same hash as a wrong password, and gets the same response', async (t) => {
  const waymark = await start(t, { RATE_LIMIT_FACTOR: '1000' })
  const known = await addMember(waymark, 'member', hashPassword)
  const attempt = async (email: string) => {
    const before = hashes()
    const startedAt = performance.now()
    const { status, text } = await signIn(waymark, email, 'wrong')
    return {
      status,
      text: text.replaceAll(email, ''),
      hashes: hashes() - before,
      ms: performance.now() - startedAt,
    }
  }
  // The fastest of each, since the machine may be busy; more rounds come closer to the real cost. A missing hash would be
  // ten times faster in any number of rounds.
  let [a, b] = [Infinity, Infinity]
  const areEqual = (): boolean => a / b < 2.5 && b / a < 2.5
  for (let round = 0; round < 10 || (round < 100 && !areEqual()); round += 1) {
    const one = await attempt(known.email)
    const other = await attempt(`nobody-${round}@trails.example`)
    assert.deepEqual([one.status, one.hashes], [403, 1])
    assert.deepEqual([other.status, other.hashes, other.text], [one.status, one.hashes, one.text])
    a = Math.min(a, one.ms)
    b = Math.min(b, other.ms)
  }
  assert.ok(areEqual(), `${a} ms and ${b} ms`)
})

void test('one-time links are guessed within the same limit', async (t) => {
  const waymark = await start(t, { RATE_SIGN_IN: '4' })
  const visitor = createVisitor(waymark)
  const statuses: number[] = []
  for (const path of ['/join/a', '/reset/b', '/confirm-email/c', '/reset/d', '/join/e'])
    statuses.push((await visitor.get(path)).status)
  assert.deepEqual(statuses, [410, 410, 410, 410, 429])
})

void test('a valid link is never refused because others at the address guess', async (t) => {
  const waymark = await start(t, { RATE_SIGN_IN: '2' })
  const member = await addMember(waymark)
  const link = await waymark.app.services.recovery.makeResetLink(member.accountId, byCommand)
  const visitor = createVisitor(waymark)
  const statuses: number[] = []
  for (const path of ['/reset/a', '/reset/b', '/reset/c', link])
    statuses.push((await visitor.get(path)).status)
  assert.deepEqual(statuses, [410, 410, 429, 200])
  assert.equal((await visitor.post(link, { password: 'a whole new word' })).status, 303)
})
