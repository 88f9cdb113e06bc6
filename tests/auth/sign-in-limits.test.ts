// Guessing passwords ends in 429 before anything is checked, and tells nothing about who has an account (contract C38, D6).
import assert from 'node:assert/strict'
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { mock, test, type TestContext } from 'node:test'
import type { Answer } from '../helpers/visitor.ts'
import type { Waymark } from '../helpers/waymark.ts'

/** Counts hashes as they are made; every one is made as ever. Before anything is loaded that keeps the function. */
const argon2 = mock.method(crypto, 'argon2')
syncBuiltinESMExports()
const { addMember, createVisitor } = await import('../helpers/visitor.ts')
const { startWaymark } = await import('../helpers/waymark.ts')
const hashes = (): number => argon2.mock.callCount()

async function start(t: TestContext, environment: Record<string, string> = {}): Promise<Waymark> {
  const waymark = await startWaymark({
    environment: { RATE_LIMIT_FACTOR: '1', TRUST_PROXY: '127.0.0.1', ...environment },
  })
  t.after(() => waymark.close())
  return waymark
}

const signIn = (waymark: Waymark, email: string, password: string, address = '192.0.2.1'): Promise<Answer> =>
  createVisitor(waymark).post('/sign-in', { email, password }, { 'x-forwarded-for': address })

function assertLimited(answer: Answer, message: string): void {
  assert.equal(answer.status, 429, message)
  const seconds = Number(answer.headers.get('retry-after'))
  assert.ok(Number.isInteger(seconds) && seconds > 0 && seconds <= 900, message)
  assert.deepEqual(answer.headers.getSetCookie(), [], message)
}

void test('the limit on an account counts from wherever, before the check: the right password is refused with 429, never 401', async (t) => {
  const waymark = await start(t, { RATE_SIGN_IN_ACCOUNT: '3' })
  const { email, password } = await addMember(waymark)
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const written = [email, email.toUpperCase(), ` ${email}`][attempt] ?? email
    assert.equal((await signIn(waymark, written, 'wrong', `192.0.2.${attempt}`)).status, 403)
  }
  assertLimited(await signIn(waymark, email, password, '198.51.100.7'), 'right password')
  const other = await addMember(waymark)
  assert.equal((await signIn(waymark, other.email, other.password, '192.0.2.1')).status, 303)
})

void test('an account that does not exist is limited like one that does', async (t) => {
  const waymark = await start(t, { RATE_SIGN_IN_ACCOUNT: '3' })
  const statuses: number[] = []
  for (let attempt = 0; attempt < 4; attempt += 1)
    statuses.push((await signIn(waymark, 'nobody@trails.example', 'wrong', `192.0.2.${attempt}`)).status)
  assert.deepEqual(statuses, [403, 403, 403, 429])
})

void test('the limit on an address counts over all accounts, before the check, and costs no hash', async (t) => {
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
    signIn(waymark, email, index === 19 ? password : `wrong ${index}`, `192.0.2.${index}`),
  )
  const statuses = (await Promise.all(attempts)).map(({ status }) => status)
  assert.equal(statuses.filter((status) => status === 429).length, 17, statuses.join(' '))
  assert.equal(hashes() - before, 3)
})

void test('an unknown account costs the same hash as a wrong password, and gets the same answer', async (t) => {
  const waymark = await start(t, { RATE_LIMIT_FACTOR: '1000' })
  const known = await addMember(waymark)
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
  const times: { known: number[]; unknown: number[] } = { known: [], unknown: [] }
  for (let round = 0; round < 10; round += 1) {
    const one = await attempt(known.email)
    const other = await attempt(`nobody-${round}@trails.example`)
    assert.deepEqual([one.status, one.hashes], [403, 1])
    assert.deepEqual([other.status, other.hashes, other.text], [one.status, one.hashes, one.text])
    times.known.push(one.ms)
    times.unknown.push(other.ms)
  }
  // The fastest of ten: the machine may be busy, and a hash left out would show as ten times less.
  const [a, b] = [Math.min(...times.known), Math.min(...times.unknown)]
  assert.ok(a / b < 2.5 && b / a < 2.5, `${a} ms and ${b} ms`)
})

void test('links that work once are guessed within the same limit', async (t) => {
  const waymark = await start(t, { RATE_SIGN_IN: '4' })
  const visitor = createVisitor(waymark)
  const statuses: number[] = []
  for (const path of ['/join/a', '/reset/b', '/confirm-email/c', '/reset/d', '/join/e'])
    statuses.push((await visitor.get(path)).status)
  assert.deepEqual(statuses, [410, 410, 410, 410, 429])
})
