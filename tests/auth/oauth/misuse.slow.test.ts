// Reuse of a refresh token is audited with its account, since someone has a copy.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as oidc from 'openid-client'
import { listAudit } from '../../../src/accounts/audit/audit.ts'
import { typeDeviceCode } from '../../helpers/oauth-people.ts'
import { oauthErrorOf, startOauthSite } from '../../helpers/oauth-site.ts'
import { addMember } from '../../helpers/visitor.ts'

void test('a refresh token used twice is recorded in the audit log; a device that polls is not', async (t) => {
  const site = await startOauthSite(t)
  const application = await site.application({ redirectUris: [] })
  const begun = await oidc.initiateDeviceAuthorization(application, { scope: 'openid images:read' })
  const ask = () =>
    oidc.genericGrantRequest(application, 'urn:ietf:params:oauth:grant-type:device_code', {
      device_code: begun.device_code,
    })
  assert.equal(await oauthErrorOf(ask()), 'authorization_pending')
  const person = await addMember(site.waymark)
  await typeDeviceCode(person, begun.user_code)
  const { refresh_token: refreshToken = '' } = await ask()
  await oidc.refreshTokenGrant(application, refreshToken)
  assert.equal(await oauthErrorOf(oidc.refreshTokenGrant(application, refreshToken)), 'invalid_grant')
  await site.waymark.app.close()
  const rows = await listAudit(site.waymark.installation.database.db, { action: 'token.misused', limit: 10 })
  assert.deepEqual(
    rows.map(({ accountId, detail }) => [accountId, (JSON.parse(detail) as { times: number }).times]),
    [[person.accountId, 1]],
  )
})
