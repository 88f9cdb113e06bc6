// A session that expires while a page is open: one sign-in for all waiting requests, and the page stays as it is.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { SiteInfo } from '../../client/client.ts'
import { createFetch, createSignInAgain, isSomebodyElse, readSite } from '../../web/data/sign-in-again.ts'

const reported = { name: 'Trails', publicUrl: 'https://trails.example' }
const viewer = { acctID: 42, displayName: 'Ann', role: 'member' }
const signedIn = { ...reported, viewer } as SiteInfo
const signedOut = { ...reported, viewer: null } as SiteInfo

/** Answers in the order in which it is asked. */
function siteOf(...answers: readonly SiteInfo[]) {
  const left = [...answers]
  return { site: async () => left.shift() ?? signedOut }
}

void test('a user whose session expires is asked to sign in again, and stays on the page whatever they answer', async () => {
  for (const isSignedIn of [true, false]) {
    const again = createSignInAgain()
    const read = readSite(siteOf(signedOut, signedIn), again, signedIn)
    while (!again.isAsking()) await new Promise(setImmediate)
    again.answer(isSignedIn)
    assert.deepEqual((await read).viewer, viewer)
  }
})

void test('visitors, and users who are still signed in, are never asked', async () => {
  const again = createSignInAgain()
  assert.equal((await readSite(siteOf(signedOut), again, undefined)).viewer, null)
  assert.equal((await readSite(siteOf(signedOut), again, signedOut)).viewer, null)
  assert.deepEqual((await readSite(siteOf(signedIn), again, signedIn)).viewer, viewer)
  assert.equal(again.isAsking(), false)
})

void test('a different user is distinguished from no user and from the same user', () => {
  const other = { ...reported, viewer: { ...viewer, acctID: 43 } } as SiteInfo
  assert.equal(isSomebodyElse(signedIn, other), true)
  for (const [before, now] of [
    [signedIn, signedIn],
    [signedIn, signedOut],
    [signedOut, signedIn],
  ] as const)
    assert.equal(isSomebodyElse(before, now), false)
})

function answerWith(t: TestContext, ...statuses: readonly number[]): string[] {
  const left = [...statuses]
  const bodies: string[] = []
  t.mock.method(globalThis, 'fetch', async (request: Request) => {
    bodies.push(await request.text())
    return new Response('told', { status: left.shift() ?? 200 })
  })
  return bodies
}

void test('a request that waited for the sign-in is sent again in full', async (t) => {
  const again = createSignInAgain()
  const bodies = answerWith(t, 401, 200)
  const answer = createFetch(again, () => true)('https://trails.example/v2/me', {
    method: 'POST',
    body: 'typed',
  })
  while (!again.isAsking()) await new Promise(setImmediate)
  again.answer(true)
  assert.equal((await answer).status, 200)
  assert.deepEqual(bodies, ['typed', 'typed'])
})

void test('once the account is deleted there is no prompt: waiting requests are refused, and new ones at once', async (t) => {
  const again = createSignInAgain()
  answerWith(t, 401, 401)
  const send = createFetch(again, () => true)
  const waiting = send('https://trails.example/v2/events')
  while (!again.isAsking()) await new Promise(setImmediate)
  again.retire()
  assert.equal((await waiting).status, 401)
  assert.equal((await send('https://trails.example/v2/events')).status, 401)
  assert.equal(again.isAsking(), false)
})

function keepEarly(t: TestContext, url: string, body: string): void {
  globalThis.waymarkEarly ??= new Map()
  globalThis.waymarkEarly.set(url, Promise.resolve(new Response(body)))
  t.after(() => {
    globalThis.waymarkEarly = undefined
  })
}

const siteUrl = 'https://trails.example/v2/site'
const textOf = async (answer: Promise<Response>): Promise<string> => (await answer).text()

void test('what was requested before the app answers its first request of that URL, and no other', async (t) => {
  answerWith(t)
  const send = createFetch(createSignInAgain(), () => false)
  keepEarly(t, siteUrl, 'early')
  assert.equal(await textOf(send(siteUrl)), 'early')
  assert.equal(await textOf(send(siteUrl)), 'told')
})

void test('what was requested early, but came after the app had asked itself, is never used', async (t) => {
  answerWith(t)
  const send = createFetch(createSignInAgain(), () => false)
  assert.equal(await textOf(send(siteUrl)), 'told')
  keepEarly(t, siteUrl, 'as it was')
  assert.equal(await textOf(send(siteUrl)), 'told')
})

void test('once something was changed, nothing that was requested before is used', async (t) => {
  answerWith(t)
  const send = createFetch(createSignInAgain(), () => false)
  keepEarly(t, siteUrl, 'as it was')
  await send('https://trails.example/v2/me', { method: 'PATCH', body: '{}' })
  assert.equal(await textOf(send(siteUrl)), 'told')
})
