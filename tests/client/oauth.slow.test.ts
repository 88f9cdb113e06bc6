// OAuth in the SDK with the real server: PKCE, one refresh at a time, client credentials.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { createOauth, createTokenSource, createWaymark, type Tokens } from '../../client/client.ts'
import { registerClient, type NewClient } from '../../src/auth/oauth/oauth-clients.ts'
import { startSite } from '../browser/site.ts'
import { authorize } from '../helpers/oauth-people.ts'
import { addSignedIn } from '../helpers/visitor.ts'

const redirectUri = 'https://gallery.example/back'

async function startWithApplication(t: TestContext, client: Partial<NewClient> = {}) {
  const { waymark, url } = await startSite(t)
  const person = await addSignedIn(waymark)
  const application = await registerClient(waymark.installation.database.db, {
    accountId: person.accountId,
    name: 'Gallery',
    scope: 'images:read routes:read routes:write',
    now: waymark.system.now(),
    isPublic: true,
    redirectUris: [redirectUri],
    ...client,
  })
  waymark.secrets.note('client secret', application.clientSecret)
  const sent: string[] = []
  const oauth = createOauth({
    baseUrl: url,
    ...application,
    redirectUri,
    scopes: ['images:read', 'routes:write'],
    fetch: async (address, init) => {
      const { pathname } = new URL(address)
      sent.push(pathname)
      return fetch(address, init)
    },
  })
  return { url, person, oauth, sent }
}

void test('C29 a person signs in to an application, which acts for them until it revokes its token', async (t) => {
  const { url, person, oauth } = await startWithApplication(t)
  const begun = await oauth.begin()
  const callback = await authorize(person, new URL(begun.url))
  assert.equal(callback.origin + callback.pathname, redirectUri)
  const foreign = { ...begun, state: 'of somebody else' }
  await assert.rejects(oauth.finish(callback.href, foreign), { name: 'WaymarkProblem', code: 'wrong-state' })
  const wrong = oauth.finish(callback.href, { ...begun, verifier: 'x'.repeat(43) })
  await assert.rejects(wrong, { name: 'WaymarkProblem', code: 'invalid_grant' })

  const again = await oauth.begin()
  const tokens = await oauth.finish((await authorize(person, new URL(again.url))).href, again)
  assert.deepEqual(tokens.scopes.toSorted(), ['images:read', 'routes:write'])
  assert.ok(Math.abs(tokens.expiresAt - Date.now() - 900_000) < 10_000)
  const sdk = createWaymark({ baseUrl: url, credential: { bearer: tokens.accessToken } })
  const { acctID, scopes } = await sdk.me.get()
  assert.equal(acctID, person.accountId)
  assert.deepEqual(scopes.toSorted(), ['images:read', 'routes:write'])
  assert.equal((await sdk.routes.create(acctID, { name: 'Mine' })).name, 'Mine')

  await oauth.revoke(tokens.refreshToken ?? '')
  await assert.rejects(sdk.me.get(), { name: 'WaymarkProblem', code: 'invalid-token', status: 401 })
})

void test('C29 the application learns that the person refused', async (t) => {
  const { person, oauth } = await startWithApplication(t)
  const begun = await oauth.begin()
  const callback = await authorize(person, new URL(begun.url), 'deny')
  await assert.rejects(oauth.finish(callback.href, begun), { name: 'WaymarkProblem', code: 'access_denied' })
})

void test('tokens are refreshed before they expire, once for any number of requests, and kept', async (t) => {
  const { url, person, oauth, sent } = await startWithApplication(t)
  const begun = await oauth.begin()
  const first = await oauth.finish((await authorize(person, new URL(begun.url))).href, begun)
  const kept: Tokens[] = []
  const source = createTokenSource(
    { ...first, expiresAt: Date.now() + 30_000 },
    {
      refresh: ({ refreshToken = '' }) => oauth.refresh(refreshToken),
      onTokens: (tokens) => void kept.push(tokens),
    },
  )
  const sdk = createWaymark({ baseUrl: url, credential: source })
  sent.length = 0
  const answers = await Promise.all(Array.from({ length: 8 }, () => sdk.me.get()))
  assert.ok(answers.every(({ acctID }) => acctID === person.accountId))
  assert.deepEqual(sent, ['/oauth/token'])
  assert.equal(kept.length, 1)
  assert.notEqual(kept[0]?.refreshToken, first.refreshToken)
  assert.equal(source.tokens(), kept[0])

  // A token that the server refuses before it expires is refreshed too.
  const forgotten = createTokenSource(
    { ...source.tokens(), accessToken: 'forgotten' },
    { refresh: ({ refreshToken = '' }) => oauth.refresh(refreshToken) },
  )
  const other = createWaymark({ baseUrl: url, credential: forgotten })
  assert.equal((await other.me.get()).acctID, person.accountId)
})

void test('a program signs in by itself with its secret', async (t) => {
  const { url, person, oauth } = await startWithApplication(t, { isPublic: false })
  const source = createTokenSource(await oauth.clientCredentials(), {
    refresh: () => oauth.clientCredentials(),
  })
  const sdk = createWaymark({ baseUrl: url, credential: source })
  assert.equal((await sdk.me.get()).acctID, person.accountId)
  assert.equal(source.tokens().refreshToken, undefined)
})
