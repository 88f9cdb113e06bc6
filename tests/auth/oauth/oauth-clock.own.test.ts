// Tokens with a wrong clock: a token issued far in the future becomes invalid when the clock is corrected (trust 12).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerOf, basic, startOauth } from '../../helpers/oauth-harness.ts'

const minute = 60_000
const year = 365 * 24 * 60 * minute

void test('trust 12: a token issued while the clock was a year ahead is invalid once the clock is right', async (t) => {
  const oauth = await startOauth()
  t.after(() => oauth.close())
  const { clientId, clientSecret } = await oauth.registerConfidential()
  const issue = async () => {
    const form = { grant_type: 'client_credentials' }
    const answer = await oauth.post('/oauth/token', form, basic(clientId, clientSecret))
    return (await answerOf(answer)).access_token
  }
  const stateOf = async (token: string) => (await oauth.accessTokens.find(token)).state
  const right = Date.now()
  t.mock.timers.enable({ apis: ['Date'], now: right + year })
  const ahead = await issue()
  assert.equal(await stateOf(ahead), 'live')
  t.mock.timers.setTime(right)
  assert.equal(await stateOf(ahead), 'expired') // so that clients request another (C30)

  // Corrections by seconds, which are normal, revoke nothing.
  const token = await issue()
  t.mock.timers.setTime(right - 30_000)
  assert.equal(await stateOf(token), 'live')
  t.mock.timers.setTime(right + 16 * minute)
  assert.equal(await stateOf(token), 'expired')
})
