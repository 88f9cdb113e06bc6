// CPU of finding out who is calling, against that of a bare node:http answer in the same run. `node bench/credentials.ts`
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import path from 'node:path'
import { createAccounts } from '../src/accounts/accounts.ts'
import { createAccessTokens } from '../src/auth/access-tokens.ts'
import { createApiKeys } from '../src/auth/api-keys.ts'
import { createIdentify, type Credentials } from '../src/auth/identify.ts'
import { registerClient } from '../src/auth/oauth-clients.ts'
import { saveObject } from '../src/auth/oauth-objects-table.ts'
import { hashId } from '../src/auth/oauth-store.ts'
import { hashPassword } from '../src/auth/passwords.ts'
import { createSessions } from '../src/auth/sessions.ts'
import { readConfig } from '../src/config.ts'
import { openInstallation } from '../src/installation.ts'
import { realSystem } from '../src/system.ts'
import { askMany, cpuOf, median, rangeOf, startHello } from './parts/measure.ts'

const rounds = 7
const requestsOfRound = 10_000
const checksOfRound = 10_000
/** So many of each are in the table: what is found among few is found too fast. */
const rows = 20_000

async function prepare(folder: string) {
  const config = readConfig({ DATA_DIR: folder, PUBLIC_URL: 'https://trails.example' })
  const installation = await openInstallation(config, realSystem)
  const { db } = installation.database
  const now = (): number => Date.now()
  const accounts = createAccounts({ db, system: realSystem, hashPassword })
  const account = { email: 'ann@trails.example', displayName: 'Ann', role: 'member', id: undefined } as const
  const accountId = await accounts.create({ ...account, password: undefined })
  const sessions = createSessions({ db, now, publicUrl: config.publicUrl })
  const apiKeys = createApiKeys(db, now)
  const registered = {
    accountId,
    name: 'bench',
    scope: 'images:read',
    now: now(),
    isPublic: true,
    redirectUris: [],
  }
  const { clientId } = await registerClient(db, registered)
  const payload = JSON.stringify({ accountId: String(accountId), clientId, scope: 'images:read' })
  await db.transaction().execute(async (tx) => {
    for (let row = 0; row < rows; row += 1) {
      const object = {
        kind: 'AccessToken',
        idHash: hashId(`token-${row}`),
        payload,
        grantId: null,
        userCode: null,
      }
      await saveObject(tx, { ...object, uid: clientId, accountId, clientId, expiresAt: now() + 900_000 })
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
    standingOf: accounts.standingOf,
    publicUrl: config.publicUrl,
  })
  const none: Credentials = { authorization: undefined, apiKeys: [], session: undefined }
  const access = { credential: 'reader', deed: 'list-images' } as const
  return {
    token: (turn: number) => identify(access, { ...none, authorization: `Bearer token-${turn % rows}` }),
    key: () => identify(access, { ...none, apiKeys: [apiKey] }),
    session: () => identify(access, { ...none, session }),
    close: () => installation.close(),
  }
}

const folder = await mkdtemp(path.join(tmpdir(), 'waymark-bench-'))
const hello = await startHello()
const checks = await prepare(folder)
const measured: Record<'hello' | 'token' | 'key' | 'session', number[]> = {
  hello: [],
  token: [],
  key: [],
  session: [],
}
for (let round = 0; round <= rounds; round += 1) {
  const figures = {
    hello: await cpuOf(requestsOfRound, () => askMany(hello.url, requestsOfRound)),
    token: 0,
    key: 0,
    session: 0,
  }
  for (const name of ['token', 'key', 'session'] as const) {
    figures[name] = await cpuOf(checksOfRound, async () => {
      for (let turn = 0; turn < checksOfRound; turn += 1) await checks[name](turn)
    })
  }
  if (round === 0) continue // warms up
  for (const [name, figure] of Object.entries(figures)) measured[name as keyof typeof measured].push(figure)
}
hello.close()
await checks.close()
await rm(folder, { recursive: true })

const base = median(measured.hello)
const lines = Object.entries(measured).map(([name, figures]) => {
  return `| ${name} | ${rangeOf(figures)} | ${(median(figures) / base).toFixed(2)} |`
})
process.stdout.write(
  [
    `node ${process.version}, ${availableParallelism()} cores, ${rounds} rounds of ${requestsOfRound} requests and checks`,
    '| what | CPU µs, median (least–most) | of a bare request |',
    '|---|---|---|',
    ...lines,
    '',
  ].join('\n'),
)
