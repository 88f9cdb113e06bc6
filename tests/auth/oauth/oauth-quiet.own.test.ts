// The provider prints nothing to the console: no notice about defaults, no warning about this Node.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'

const run = promisify(execFile)
const harness = new URL('../../helpers/oauth-harness.ts', import.meta.url).href

const script = `
  const { answerOf, basic, startOauth } = await import(${JSON.stringify(harness)})
  const oauth = await startOauth()
  const { clientId, clientSecret } = await oauth.registerConfidential()
  const headers = basic(clientId, clientSecret)
  const form = { grant_type: 'client_credentials' }
  const { access_token: token } = await answerOf(await oauth.post('/oauth/token', form, headers))
  await oauth.post('/oauth/introspect', { token }, headers)
  await oauth.post('/oauth/revoke', { token }, headers)
  await oauth.post('/oauth/token', form, { ...headers, origin: 'https://evil.example' })
  await oauth.post('/oauth/token', form, { ...basic(clientId, 'wrong'), accept: 'text/html' })
  await fetch(oauth.baseUrl + '/oauth/authorize?client_id=x', { headers: { accept: 'text/html' } })
  const visitor = await oauth.register({ isPublic: true, redirectUris: ['https://app.example/back'] })
  await fetch(oauth.baseUrl + '/oauth/authorize?' + new URLSearchParams({
    client_id: visitor.clientId, redirect_uri: 'https://app.example/back', response_type: 'code',
    scope: 'images:read', code_challenge: 'c'.repeat(43), code_challenge_method: 'S256',
  }), { redirect: 'manual' })
  await oauth.close()
  process.stdout.write(String(oauth.faults.length))
`

void test('a start and a series of requests print nothing on the console', async () => {
  const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '-e', script])
  assert.equal(stdout, '0')
  assert.equal(stderr, '')
})
