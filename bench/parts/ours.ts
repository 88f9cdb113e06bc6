// Waymark itself: prepares a data folder, then starts the real server on it in its own process, with all features on.
import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { createAccounts } from '../../src/accounts/accounts.ts'
import { createApp, type App } from '../../src/app.ts'
import { createApiKeys } from '../../src/auth/api-keys.ts'
import { registerClient } from '../../src/auth/oauth/oauth-clients.ts'
import { saveObject } from '../../src/auth/oauth/oauth-objects-table.ts'
import { hashId } from '../../src/auth/oauth/oauth-store.ts'
import { hashPassword } from '../../src/auth/passwords.ts'
import { scopes } from '../../src/auth/scopes.ts'
import { readConfig, type Environment } from '../../src/settings/config.ts'
import type { Role } from '../../src/database/schema.ts'
import { loggerTo } from '../../src/http/server.ts'
import { openInstallation, type Installation } from '../../src/installation.ts'
import { createTrails } from '../../src/trails/trails.ts'
import { watchChild, type Child } from './child.ts'

const root = path.resolve(import.meta.dirname, '../..')
export const oursName = 'waymark'
const startMs = 60_000
/** The longest lifetime of a token. No path takes that long. */
const tokenMs = 900_000

/** Every limit is active, but none is reached (contract D2, RATE_LIMIT_FACTOR). */
export const oursEnvironment = (dataDir: string): Record<string, string> => ({
  DATA_DIR: dataDir,
  PUBLIC_URL: 'https://trails.example',
  RATE_LIMIT_FACTOR: '1000000',
  QUOTA_PENDING_IMAGES: '0',
  QUOTA_BYTES: '0',
  QUOTA_ROUTES: '0',
  DISK_FREE_WARNING_MB: '0',
  WEB_APP: 'off',
  HOST: '127.0.0.1',
  PORT: '0',
})

/** Used by a path to fill the data folder before the server starts. */
export interface Filling {
  readonly installation: Installation
  readonly services: App['services']
  /** Adds an account; its name must be unique. */
  addAccount(name: string, role?: Role): Promise<number>
  addTrail(id: number, name: string): Promise<void>
  addKey(accountId: number): Promise<string>
  /** A valid access token with all scopes. */
  addToken(accountId: number): Promise<string>
}

function fillingOf(installation: Installation, services: App['services']): Filling {
  const { db } = installation.database
  const { system } = installation
  const accounts = createAccounts({ db, system, hashPassword })
  const apiKeys = createApiKeys(db, () => system.now())
  let tokens = 0
  return {
    installation,
    services,
    addAccount: (name, role = 'member') => {
      const email = `${name.toLowerCase().replaceAll(/\W+/g, '.')}@trails.example`
      return accounts.create({ email, displayName: name, role, id: undefined, password: undefined })
    },
    addTrail: async (id, name) => {
      await createTrails(db, () => system.now()).importAll([{ id, name, slug: undefined }])
    },
    addKey: async (accountId) => (await apiKeys.create(accountId, { name: 'bench' })).apiKey,
    addToken: async (accountId) => {
      const scope = scopes.join(' ')
      const client = { name: 'bench', scope, now: system.now(), isPublic: true, redirectUris: [], accountId }
      const { clientId } = await registerClient(db, client)
      tokens += 1
      const token = `bench-token-${accountId}-${tokens}-of-this-run`
      const payload = JSON.stringify({ accountId: String(accountId), clientId, scope })
      const owner = { grantId: null, userCode: null, uid: clientId, accountId, clientId }
      const expiresAt = system.now() + tokenMs
      await saveObject(db, { kind: 'AccessToken', idHash: hashId(token), payload, ...owner, expiresAt })
      return token
    },
  }
}

/** Creates a data folder and fills it with `fill`. */
export async function prepareData<Result>(
  dataDir: string,
  fill: (filling: Filling) => Promise<Result>,
  environment: Environment = {},
): Promise<Result> {
  const config = readConfig({ ...oursEnvironment(dataDir), ...environment })
  const installation = await openInstallation(config)
  const app = await createApp(installation, { logger: loggerTo({ write: () => undefined }, 'error') })
  try {
    return await fill(fillingOf(installation, app.services))
  } finally {
    await app.close()
    await installation.close()
  }
}

export interface Ours extends Child {
  readonly port: number
  readonly url: string
}

/**
 * Runs `waymark serve` on the folder, with its log in a file beside the data.
 * @throws Error with its output if it does not start to listen.
 */
export async function startOurs(dataDir: string, environment: Environment = {}): Promise<Ours> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const log = openSync(`${dataDir}.log`, 'a')
  const { npm_lifecycle_event: _, ...inherited } = process.env
  const server = spawn(process.execPath, [path.join(root, 'bin/waymark.cjs'), 'serve'], {
    stdio: ['ignore', log, 'pipe'],
    env: { ...inherited, ...oursEnvironment(dataDir), ...environment },
  }) as ChildProcessByStdio<null, null, Readable>
  closeSync(log)
  let words = ''
  server.stderr.setEncoding('utf8').on('data', (text: string) => {
    words += text
  })
  const child = watchChild(server, oursName, () => words)
  const deadline = AbortSignal.timeout(startMs)
  const addressIn = (): string | undefined => /listens on (http:\S+)/.exec(words)?.[1]
  while (addressIn() === undefined) {
    if (child.death() !== undefined) throw new Error(child.death())
    await Promise.race([once(server.stderr, 'data', { signal: deadline }), once(server, 'exit')])
  }
  const url = addressIn() ?? ''
  return { ...child, url, port: Number(new URL(url).port) }
}
