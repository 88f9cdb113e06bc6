// Requests that no client library sends: malformed bodies and headers get JSON errors, and never a 500.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { answerOf, basic, startOauth, type OauthHarness } from '../../helpers/oauth-harness.ts'

let oauth: OauthHarness

before(async () => {
  oauth = await startOauth()
})

after(async () => {
  await oauth.close()
  assert.deepEqual(oauth.faults, [])
})

for (const [name, init] of [
  ['JSON', { body: '{"grant_type":"client_credentials"}', headers: { 'content-type': 'application/json' } }],
  ['bytes that are no UTF-8', { body: new Uint8Array([0xff, 0xfe, 0x00]) }],
  [
    'an unknown charset',
    { body: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded; charset=x' } },
  ],
  ['60 KiB', { body: `scope=${'a'.repeat(60 * 1024)}` }],
  ['doubled fields', { body: 'grant_type=client_credentials&grant_type=client_credentials' }],
  ['fields named as those of objects', { body: '__proto__=1&constructor=2&hasOwnProperty=3' }],
  ['broken escapes', { body: 'grant_type=%E0%A4%A&scope=%' }],
  ['nothing', {}],
] as const) {
  void test(`a body of ${name} is a 4xx in JSON, never a 500`, async () => {
    const { clientId, clientSecret } = await oauth.registerConfidential()
    const headers = { 'content-type': 'application/x-www-form-urlencoded', ...basic(clientId, clientSecret) }
    const own = 'headers' in init ? init.headers : {}
    for (const endpoint of ['token', 'revoke', 'introspect']) {
      const response = await fetch(`${oauth.baseUrl}/oauth/${endpoint}`, {
        method: 'POST',
        ...init,
        headers: { ...headers, ...own },
      })
      assert.ok(response.status >= 400 && response.status < 500, `${endpoint}: ${response.status}`)
      assert.ok((await answerOf(response)).error)
    }
  })
}

for (const authorization of [
  'Basic',
  'Basic !!!',
  'Basic Og==',
  'Basic JUU6eA==',
  'Bearer x',
  'Negotiate YQ==',
]) {
  void test(`the header "Authorization: ${authorization}" is a 4xx`, async () => {
    const response = await oauth.post('/oauth/token', { grant_type: 'client_credentials' }, { authorization })
    assert.ok(response.status === 400 || response.status === 401, String(response.status))
  })
}
