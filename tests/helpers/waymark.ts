// A complete Waymark for a test: real SQLite and files in its own folder, listening on loopback, with an adjustable
// clock.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { createAccounts } from '../../src/accounts/accounts.ts'
import { createApp, type App, type AppOptions } from '../../src/app.ts'
import { createApiKeys } from '../../src/auth/api-keys.ts'
import { registerClient } from '../../src/auth/oauth/oauth-clients.ts'
import { hashPassword } from '../../src/auth/passwords.ts'
import { scopes } from '../../src/auth/scopes.ts'
import type { Blobs } from '../../src/storage/port.ts'
import { readConfig, type Environment } from '../../src/settings/config.ts'
import type { Db } from '../../src/database/database.ts'
import type { Role } from '../../src/database/schema.ts'
import { loggerTo } from '../../src/http/server.ts'
import { openInstallation, type Installation } from '../../src/installation.ts'
import { realSystem, type System } from '../../src/system.ts'
import { createTrails } from '../../src/trails/trails.ts'
import { watchAnswers } from './answer-watch.ts'
import { parentOfFolders } from './folders.ts'
import { databaseSettingFor, layOutSchema } from './test-database.ts'
import { lendSigningKey } from './signing-key.ts'
import { nodesWanted, startBeside } from './test-nodes.ts'
import { settled } from './settling.ts'
import { createSecretRegistry, type SecretRegistry } from './secret-registry.ts'

/** 2026-05-14 09:08:07 UTC: all two-digit parts differ, so that swapped ones are noticed. */
export const startOfTime = Date.UTC(2026, 4, 14, 9, 8, 7)

export interface TestSystem extends System {
  /** Advances the clock. */
  advance(milliseconds: number): void
}

function createTestSystem(newId: System['newId']): TestSystem {
  let at = startOfTime
  return {
    now: () => at,
    newId,
    advance: (milliseconds) => {
      at += milliseconds
    },
  }
}

export interface Person {
  readonly accountId: number
  /** A valid access token with all scopes, or with the given ones. */
  readonly token: string
}

export interface Waymark {
  readonly app: App
  readonly installation: Installation
  readonly system: TestSystem
  readonly url: string
  readonly dataDir: string
  /** Secrets that the server issued. When it closes, files and log are searched for them. */
  readonly secrets: SecretRegistry
  addTrail(id: number, name: string, slug?: string): Promise<number>
  addPerson(options?: { name?: string; role?: Role; scope?: string; id?: number }): Promise<Person>
  /** Another token of an account. */
  tokenFor(accountId: number, scope: string): Promise<string>
  addKey(accountId: number): Promise<string>
  fetch(path: string, init?: RequestInit & { token?: string; duplex?: 'half' }): Promise<Response>
  /**
   * Uploads, and expects success.
   * @returns the new image's id.
   */
  upload(person: Person, trailId: number, bytes: Uint8Array, contentType?: string): Promise<number>
  review(person: Person, imageId: number, decision: string): Promise<Response>
  close(): Promise<void>
}

export interface WaymarkOptions extends AppOptions {
  readonly environment?: Environment
  /** Reopens this folder instead of a new one, and keeps it. */
  readonly dataDir?: string
  /** Fixed ids, for responses that are compared byte for byte. */
  readonly newId?: System['newId']
  /** Wraps the blob store, to inject faults. */
  readonly wrapBlobs?: (blobs: Blobs) => Blobs
  /** Wraps the database. */
  readonly wrapDb?: (db: Db) => Db
  /** The test itself puts a secret into a title or a name. */
  readonly storesSecrets?: true
  /** The test injects faults below the service, so 500 is allowed. */
  readonly mayFail?: true
}

export async function startWaymark({
  environment = {},
  dataDir,
  newId = realSystem.newId,
  wrapBlobs,
  wrapDb,
  storesSecrets,
  mayFail,
  ...appOptions
}: WaymarkOptions = {}): Promise<Waymark> {
  // A wrapped store or database applies to this node only.
  const isOfSeveral = nodesWanted > 1 && wrapBlobs === undefined && wrapDb === undefined
  const folder = dataDir ?? (await mkdtemp(path.join(parentOfFolders(), 'waymark-test-')))
  const system = createTestSystem(newId)
  const config = readConfig({
    DATA_DIR: folder,
    PUBLIC_URL: 'https://trails.example',
    RATE_LIMIT_FACTOR: '1000',
    WEB_APP: 'off', // tests must not depend on whether it has been built
    ...(await databaseSettingFor(folder)),
    ...(isOfSeveral ? { TRUST_PROXY: '127.0.0.1/32' } : {}),
    ...environment,
  })
  await layOutSchema(config.databasePlace)
  const opened = await openInstallation(config, system)
  const { db: openedDb } = opened.database
  const database = { ...opened.database, db: wrapDb?.(openedDb) ?? openedDb }
  const installation = { ...opened, database, blobs: wrapBlobs?.(opened.blobs) ?? opened.blobs }
  await lendSigningKey(opened.database.db, config.secretFile, system.now())
  const secrets = createSecretRegistry()
  const log: string[] = []
  const logger = loggerTo({ write: (line) => void log.push(line) }, 'info')
  const app = await createApp(installation, { logger, ...appOptions })
  const breaches = watchAnswers({
    server: app.server.server,
    document: () => app.server.swagger(),
    documentKey: JSON.stringify(environment),
    publicUrl: config.publicUrl,
    mayFail: mayFail ?? (wrapBlobs !== undefined || wrapDb !== undefined),
  })
  await app.server.listen({ port: 0, host: '127.0.0.1' })
  const ownUrl = `http://127.0.0.1:${(app.server.server.address() as AddressInfo).port}`
  const besideOptions = {
    config,
    system,
    first: installation,
    firstUrl: ownUrl,
    app: { logger, ...appOptions },
  }
  const beside = isOfSeveral ? await startBeside(besideOptions) : undefined
  const url = beside?.url ?? ownUrl
  const { db } = installation.database
  const accounts = createAccounts({ db, system, hashPassword })
  const apiKeys = createApiKeys(db, () => system.now())
  let people = 0

  const fetchHere: Waymark['fetch'] = async (address, { token, ...init } = {}) => {
    secrets.noteRequest(init)
    const answer = await fetch(`${url}${address}`, {
      ...init,
      headers: {
        ...(init.headers as Record<string, string>),
        ...(token ? { authorization: `Bearer ${token}` } : {}),
      },
    })
    await settled(url, init.method ?? 'GET')
    const mayHold = /^\/(oauth|v2\/(me|admin|webhooks))\b/.test(address)
    secrets.noteAnswer(answer.headers, mayHold ? await answer.clone().text() : '')
    return answer
  }

  async function tokenFor(accountId: number, scope: string): Promise<string> {
    const client = { accountId, name: 'test', scope, now: system.now(), isPublic: false, redirectUris: [] }
    const { clientId, clientSecret = '' } = await registerClient(db, client)
    secrets.note('client secret', clientSecret)
    const answer = await fetchHere('/oauth/token', {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    })
    const { access_token: token } = (await answer.json()) as { access_token?: string }
    if (!token) throw new Error(`no token: ${answer.status}`)
    return token
  }

  return {
    app,
    installation,
    system,
    url,
    dataDir: folder,
    secrets,
    tokenFor,
    fetch: fetchHere,
    addTrail: async (id, name, slug) => {
      await createTrails(db, () => system.now()).importAll([{ id, name, slug }])
      return id
    },
    addPerson: async ({ name, role = 'member', scope = scopes.join(' '), id } = {}) => {
      people += 1
      const displayName = name ?? `Person ${people}`
      const email = `person${people}@trails.example`
      const accountId = await accounts.create({ email, displayName, role, id, password: undefined })
      return { accountId, token: await tokenFor(accountId, scope) }
    },
    addKey: async (accountId) => {
      const { apiKey } = await apiKeys.create(accountId, { name: 'test' })
      secrets.note('API key', apiKey)
      return apiKey
    },
    upload: async (person, trailId, bytes, contentType = 'image/jpeg') => {
      const answer = await fetchHere(`/Trails/${trailId}/Images/`, {
        method: 'POST',
        token: person.token,
        headers: { 'content-type': contentType },
        body: Buffer.from(bytes),
      })
      const text = await answer.text()
      if (answer.status !== 201) throw new Error(`upload answered ${answer.status}: ${text}`)
      return Number(text)
    },
    review: (person, imageId, decision) =>
      fetchHere(`/v2/images/${imageId}/review`, {
        method: 'POST',
        token: person.token,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ decision }),
      }),
    close: async () => {
      await beside?.close()
      await app.close()
      const leaks = storesSecrets ? [] : await secrets.search(folder, log.join(''))
      await installation.close()
      if (dataDir === undefined) await rm(folder, { recursive: true, force: true })
      assert.deepEqual(leaks, [], 'a secret in clear')
      assert.deepEqual(breaches(), [], 'answers that /openapi.json does not document')
    },
  }
}
