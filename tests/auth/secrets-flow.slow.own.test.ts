// Creates every kind of secret on one server; its database, log and backup contain none in plain text (trust 41, trap 2).
import assert from 'node:assert/strict'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import * as oidc from 'openid-client'
import { sql } from 'kysely'
import { loggerTo } from '../../src/http/server.ts'
import { backUp, readZip } from '../helpers/backups.ts'
import { filesBelow, newFolder } from '../helpers/folders.ts'
import { submit, typeDeviceCode } from '../helpers/oauth-people.ts'
import { signInTo, startOauthSite } from '../helpers/oauth-site.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { addSignedIn, createVisitor } from '../helpers/visitor.ts'

const made = (text: string): Record<string, string> => JSON.parse(text) as Record<string, string>

void test('trust 41: after sign-up, reset, key, client, code, refresh, device and backup no secret is stored in plain text', async (t) => {
  const log: string[] = []
  const logger = loggerTo({ write: (line) => void log.push(line) }, 'trace')
  const site = await startOauthSite(t, { logger, environment: { SIGN_UP: 'open' } })
  const { waymark } = site
  const { secrets } = waymark
  const noted: string[] = []
  const note = (what: string, secret: string | undefined): void => {
    assert.ok(secret !== undefined && secret.length > 7, what)
    secrets.note(what, secret)
    noted.push(secret)
  }

  const ann = createVisitor(waymark)
  const signUp = { email: 'ann@trails.example', name: 'Ann', password: 'three small stones' }
  assert.equal((await submit(ann, await ann.get('/sign-up'), signUp)).status, 200)
  note('password', signUp.password)
  note('session', ann.jar.get('waymark'))
  const key = made((await ann.call('POST', '/v2/me/keys', { name: 'site' })).text)
  note('API key', key['apiKey'])
  const rotated = await ann.call('POST', `/v2/me/keys/${key['prefix']}/rotate`, {})
  note('API key', made(rotated.text)['apiKey'])
  const client = await ann.call('POST', '/v2/me/clients', {
    name: 'own',
    scopes: ['images:read'],
    redirectUris: ['https://own.example/back'],
  })
  note('client secret', made(client.text)['clientSecret'])
  const again = await ann.call('POST', `/v2/me/clients/${made(client.text)['clientId']}/secret`)
  note('client secret', made(again.text)['clientSecret'])

  const admin = await addSignedIn(waymark, 'admin')
  const { acctID } = JSON.parse((await ann.call('GET', '/v2/me')).text) as { acctID: number }
  const reset = made((await admin.call('POST', `/v2/admin/accounts/${acctID}/reset-link`)).text)['url'] ?? ''
  note('reset link', reset.split('/').at(-1))
  const password = 'four larger stones'
  note('password', password)
  assert.equal((await submit(ann, await ann.get(reset), { password })).status, 200)
  const invited = await admin.call('POST', '/v2/admin/invitations', { email: 'guest@trails.example' })
  note('invitation', made(invited.text)['url']?.split('/').at(-1))
  note('set-up link', (await waymark.app.services.joining.makeSetUpLink())?.split('/').at(-1))

  const person = Object.assign(ann, { email: signUp.email, password })
  const application = await site.application({ isPublic: false })
  const { tokens, back, checks } = await signInTo(application, person)
  note('code', back.searchParams.get('code') ?? undefined)
  note('code verifier', checks.pkceCodeVerifier)
  const refreshed = await oidc.refreshTokenGrant(application, tokens.refresh_token ?? '')
  const begun = await oidc.initiateDeviceAuthorization(application, { scope: 'openid images:read' })
  const waiting = await oidc.initiateDeviceAuthorization(application, { scope: 'images:read' })
  await typeDeviceCode(person, begun.user_code)
  const device = await oidc.pollDeviceAuthorizationGrant(application, { ...begun, interval: 0.01 })
  const own = await oidc.clientCredentialsGrant(application)
  for (const [
    what,
    { access_token: token, refresh_token: refreshToken, id_token: idToken },
  ] of Object.entries({
    tokens,
    refreshed,
    device,
    own: { ...own, refresh_token: undefined, id_token: undefined },
  })) {
    note(`access token of ${what}`, token)
    if (what === 'own') continue
    note(`refresh token of ${what}`, refreshToken)
    note(`ID token of ${what}`, idToken)
  }
  for (const { device_code: code, user_code: userCode } of [begun, waiting]) {
    note('device code', code)
    note('user code', userCode)
    note('user code', userCode.replace('-', ''))
  }
  for (const [name, value] of [...ann.jar, ...admin.jar]) note(`cookie ${name}`, value)

  // Uses the secrets in valid and invalid requests, which are logged.
  await waymark.addTrail(7, 'Rim Trail')
  await waymark.upload(
    { accountId: acctID, token: refreshed.access_token },
    7,
    await jpegPicture({ width: 12, height: 9 }),
  )
  for (const secret of noted) {
    await waymark.fetch(`/Trails/7/Images?api_key=${encodeURIComponent(secret)}`)
    await waymark.fetch('/v2/images', { token: secret.replaceAll(' ', '') })
    // In a path, only long secrets can be recognised; a short one looks like any other word.
    if (secret.length >= 32) await waymark.fetch(`/join/${encodeURIComponent(secret)}`)
    await waymark.fetch(`/device?user_code=${encodeURIComponent(secret)}`)
    await waymark.fetch(`/oauth/authorize?client_id=${encodeURIComponent(secret)}`, { redirect: 'manual' })
  }
  await oidc.tokenRevocation(application, own.access_token)

  const backupFile = path.join(await newFolder(t), 'backup.zip')
  await backUp(waymark.installation, backupFile)
  const folder = path.join(await newFolder(t), 'searched')
  await mkdir(folder)
  for (const [name, bytes] of await readZip(backupFile))
    await writeFile(path.join(folder, name.replaceAll('/', '_')), bytes)
  await writeFile(path.join(folder, 'backup.zip'), await readFile(backupFile))
  assert.ok((await filesBelow(folder)).length >= 4)
  // As text too: a value in a dump may be split in the file.
  const { rows } = await sql<{ name: string }>`select name from sqlite_master where type = 'table'`.execute(
    waymark.installation.database.db,
  )
  for (const { name } of rows) {
    const { rows: content } = await sql`select * from ${sql.id(name)}`.execute(
      waymark.installation.database.db,
    )
    await writeFile(path.join(folder, `${name}.json`), JSON.stringify(content))
  }
  assert.ok(log.length > 100 && noted.length > 30, `${log.length} lines, ${noted.length} secrets`)
  assert.deepEqual(await secrets.search(folder, log.join('')), [])
  assert.deepEqual(await secrets.search(waymark.dataDir, ''), [])
  await rm(folder, { recursive: true })
})
