// The cost of authentication by token, API key and session, relative to a complete bare response of node:http.
import path from 'node:path'
import { createAccounts } from '../../src/accounts/accounts.ts'
import { createAccessTokens } from '../../src/auth/access-tokens.ts'
import { createApiKeys } from '../../src/auth/api-keys.ts'
import { createIdentify, type Credentials } from '../../src/auth/identify.ts'
import { registerClient } from '../../src/auth/oauth/oauth-clients.ts'
import { saveObject } from '../../src/auth/oauth/oauth-objects-table.ts'
import { hashId } from '../../src/auth/oauth/oauth-store.ts'
import { hashPassword } from '../../src/auth/passwords.ts'
import { createSessions } from '../../src/auth/sessions.ts'
import { readConfig } from '../../src/settings/config.ts'
import { openInstallation } from '../../src/installation.ts'
import { realSystem } from '../../src/system.ts'
import type { BenchPath, Contender } from '../parts/bench.ts'
import { measureCpu } from '../parts/cpu.ts'
import { helloName, startHello } from '../parts/hello.ts'
import { startLoad } from '../parts/load.ts'
import { oursEnvironment } from '../parts/ours.ts'

/** Tokens in the table: lookups in a small table would be too fast. */
const tokens = 20_000
const checksOfTurn = 200
const lifeMs = 900_000

async function openChecks(folder: string) {
  const config = readConfig(oursEnvironment(folder))
  const installation = await openInstallation(config)
  const { db } = installation.database
  const { now } = realSystem
  const accounts = createAccounts({ db, system: realSystem, hashPassword })
  const account = { email: 'ann@trails.example', displayName: 'Ann', role: 'member', id: undefined } as const
  const accountId = await accounts.create({ ...account, password: undefined })
  const sessions = createSessions({ db, now, publicUrl: config.publicUrl })
  const apiKeys = createApiKeys(db, now)
  const scope = 'images:read'
  const client = { accountId, name: 'bench', scope, now: now(), isPublic: true, redirectUris: [] }
  const { clientId } = await registerClient(db, client)
  const payload = JSON.stringify({ accountId: String(accountId), clientId, scope })
  await db.transaction().execute(async (tx) => {
    for (let row = 0; row < tokens; row += 1) {
      const owner = { grantId: null, userCode: null, uid: clientId, accountId, clientId }
      const object = { kind: 'AccessToken', idHash: hashId(`token-${row}`), payload, ...owner }
      await saveObject(tx, { ...object, expiresAt: now() + lifeMs })
    }
  })
  const { apiKey } = await apiKeys.create(accountId, { name: 'bench' })
  const { token: session } = await db
    .transaction()
    .execute((tx) =>
      sessions.begin(
        tx,
        { id: accountId, role: 'member' },
        { accountId, via: 'session' },
        { browser: '', how: 'bench' },
      ),
    )
  const identify = createIdentify({
    apiKeys,
    accessTokens: createAccessTokens(db, now),
    sessions,
    accountStatusOf: accounts.accountStatusOf,
    publicUrl: config.publicUrl,
    staffSignIn: config.staffSignIn,
  })
  const none: Credentials = {
    authorization: undefined,
    apiKeys: [],
    session: undefined,
    isFromOurPage: false,
  }
  const access = { credential: 'reader', action: 'list-images' } as const
  const checks = {
    token: (turn: number) => identify(access, { ...none, authorization: `Bearer token-${turn % tokens}` }),
    'API key': () => identify(access, { ...none, apiKeys: [apiKey] }),
    session: () => identify(access, { ...none, session }),
  }
  return { checks, close: () => installation.close() }
}

/** Runs in this process, which does nothing else in the meantime. */
const checking = (name: string, check: (turn: number) => Promise<unknown>): Contender => ({
  name,
  slice: async (ms) => {
    const cpu = measureCpu([process.pid])
    const begun = performance.now()
    let done = 0
    do {
      for (let turn = 0; turn < checksOfTurn; turn += 1) await check(done + turn)
      done += checksOfTurn
    } while (performance.now() < begun + ms)
    return { done, cpuUs: cpu(), wallMs: performance.now() - begun }
  },
})

export const credentialsPath: BenchPath = {
  name: 'credentials',
  about: 'who is calling, out of 20,000 live tokens, against a whole bare answer of node:http',
  prepare: async (ground) => {
    const { checks, close } = await openChecks(path.join(ground.folder, 'data'))
    const load = startLoad(ground)
    const hello = await startHello()
    const contenders = Object.entries(checks).map(([name, check]) => checking(name, check))
    for (const contender of contenders) await contender.slice(ground.isQuick ? 1 : 500)
    const goals = [
      { what: 'token, its client and account', of: 'token', to: helloName, figure: 'cpu', atMost: 1 },
      { what: 'API key', of: 'API key', to: helloName, figure: 'cpu', atMost: 1 },
      { what: 'session cookie', of: 'session', to: helloName, figure: 'cpu' },
    ] as const
    return {
      cases: [{ name: 'who is calling', contenders: [...contenders, await load.contender(hello)], goals }],
      close: async () => {
        await Promise.all([load.close(), hello.close()])
        await close()
      },
    }
  },
}
