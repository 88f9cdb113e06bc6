// An installation for fault tests: a trail, an account, a client, and reading access to its data.
import { createAccounts } from '../../../src/accounts/accounts.ts'
import { registerClient } from '../../../src/auth/oauth/oauth-clients.ts'
import { hashPassword } from '../../../src/auth/passwords.ts'
import { scopes } from '../../../src/auth/scopes.ts'
import { readConfig, type Environment } from '../../../src/settings/config.ts'
import { openInstallation, type Installation } from '../../../src/installation.ts'
import { createTrails } from '../../../src/trails/trails.ts'

export const trailId = 4711

/** Opens the installation, with or without a running server. `settings` name its stores if they are not files. */
export async function withInstallation<T>(
  dataDir: string,
  work: (installation: Installation) => Promise<T>,
  settings: Environment = {},
): Promise<T> {
  const installation = await openInstallation(readConfig({ ...settings, DATA_DIR: dataDir }))
  try {
    return await work(installation)
  } finally {
    await installation.close()
  }
}

/**
 * Creates the trail, the account and the client.
 * @returns the client's credentials for HTTP Basic.
 */
export const prepare = (dataDir: string, settings: Environment = {}): Promise<string> =>
  withInstallation(dataDir, (installation) => prepareIn(installation), settings)

async function prepareIn({ database: { db }, system }: Installation): Promise<string> {
  const now = () => system.now()
  await createTrails(db, now).importAll([{ id: trailId, name: 'Rim Trail', slug: undefined }])
  const accountId = await createAccounts({ db, system, hashPassword }).create({
    email: 'ann@trails.example',
    displayName: 'Ann',
    role: 'admin',
    id: undefined,
    password: undefined,
  })
  const { clientId, clientSecret = '' } = await registerClient(db, {
    accountId,
    name: 'faults',
    scope: scopes.join(' '),
    now: now(),
    isPublic: false,
    redirectUris: [],
  })
  return `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`
}

/** Requests a token for the client. The test checks the response. */
export const requestToken = (url: string, authorization: string): Promise<Response> =>
  fetch(`${url}/oauth/token`, {
    method: 'POST',
    headers: { authorization },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  })

export async function tokenOf(url: string, authorization: string): Promise<string> {
  const answer = await requestToken(url, authorization)
  const { access_token: token } = (await answer.json()) as { access_token?: string }
  if (!token) throw new Error(`no token: ${answer.status}`)
  return token
}
