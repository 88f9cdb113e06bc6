// A running authorization server for tests: real SQLite in a temporary folder, real Fastify on a free port.
import { once } from 'node:events'
import * as fs from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import Fastify from 'fastify'
import { createAccessTokens } from '../../src/auth/access-tokens.ts'
import { registerClient, type NewClient } from '../../src/auth/oauth/oauth-clients.ts'
import { registerOauthEndpoints } from '../../src/auth/oauth/oauth-endpoints.ts'
import { readConfig } from '../../src/settings/config.ts'
import { createAttempts } from '../../src/http/rates/attempts.ts'
import { createCountsInMemory } from '../../src/http/rates/counts-in-memory.ts'
import { createOauthServer } from '../../src/auth/oauth/oauth-server.ts'
import { loadSecret } from '../../src/auth/secret.ts'
import type { Database } from '../../src/database/database.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { refusalFor } from '../../src/http/refusals.ts'
import { plainBrand } from '../../src/site/brand.ts'
import { createSite } from '../../src/site/site.ts'

/** Two accounts that every test database has. */
export const ann = 4_711
export const ben = 4_712

export async function temporaryFolder(): Promise<string> {
  return fs.mkdtemp(path.join(tmpdir(), 'waymark-oauth-'))
}

export async function openTestDatabase(folder: string): Promise<Database> {
  const database = await openDatabase({ engine: 'sqlite', file: path.join(folder, 'waymark.sqlite') })
  await migrate(database)
  for (const id of [ann, ben]) {
    const email = `${id}@trails.example`
    const row = {
      id,
      display_name: `Hiker ${id}`,
      email,
      email_key: email,
      role: 'member' as const,
      password_hash: null,
    }
    await database.db
      .insertInto('account')
      .values({ ...row, created_at: 0 })
      .execute()
  }
  return database
}

export interface HarnessOptions {
  /** The public URL given to clients; the server itself listens on 127.0.0.1. */
  readonly publicUrl?: string
  readonly corsOrigins?: readonly string[]
}

export async function startOauth(options: HarnessOptions = {}) {
  const folder = await temporaryFolder()
  const database = await openTestDatabase(folder)
  const { db } = database
  const http = createServer()
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const baseUrl = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const { publicUrl = baseUrl, corsOrigins = [] } = options
  const publicPath = new URL(publicUrl).pathname.replace(/\/$/, '')

  const now = () => Date.now() // looked up on each call, so that a test can mock the clock
  const faults: unknown[] = []
  const secret = await loadSecret(path.join(folder, 'secret'))
  const attempts = createAttempts({ counts: createCountsInMemory(now), figures: readConfig({}) })
  const server = await createOauthServer({
    db,
    secret,
    publicUrl,
    site: createSite(publicUrl, () => plainBrand('Waymark')),
    corsOrigins,
    now,
    refusalOf: refusalFor,
    isPollTooFast: attempts.isPollTooFast,
    onMisuse: () => undefined,
    signedInAs: async () => undefined,
  })
  const app = Fastify({
    serverFactory: (handler) => http.on('request', handler),
    // As in http/server.ts, requests below the path of PUBLIC_URL are served without that path.
    rewriteUrl: ({ url = '/' }) =>
      publicPath && url.startsWith(`${publicPath}/`) ? url.slice(publicPath.length) : url,
  })
  app.addHook('onRequest', async (_request, reply) => {
    void reply.header('X-Test-Hook', 'ran')
  })
  registerOauthEndpoints(app, server, (_request, error) => faults.push(error))
  await app.ready()

  const register = (client: Partial<NewClient> = {}) =>
    registerClient(db, {
      accountId: ann,
      name: 'Uploader',
      scope: 'images:read images:write',
      now: now(),
      isPublic: false,
      redirectUris: [],
      ...client,
    })

  return {
    folder,
    database,
    db,
    secret,
    server,
    baseUrl,
    publicUrl,
    faults,
    accessTokens: createAccessTokens(db, now),
    register,
    /** A confidential client with its secret. */
    registerConfidential: async (client: Partial<NewClient> = {}) => {
      const { clientId, clientSecret = '' } = await register(client)
      return { clientId, clientSecret }
    },
    post: (endpoint: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
      fetch(`${baseUrl}${endpoint}`, { method: 'POST', body: new URLSearchParams(form), headers }),
    close: async () => {
      await app.close()
      http.close()
      http.closeAllConnections()
      await database.close()
      await fs.rm(folder, { recursive: true, force: true })
    },
  }
}

export type OauthHarness = Awaited<ReturnType<typeof startOauth>>

/** Head and body of a response. fetch can neither forge Host nor send an absolute URL in the request line. */
export function rawGet(baseUrl: string, target: string, headers: Record<string, string>): Promise<string> {
  const { hostname, port } = new URL(baseUrl)
  return new Promise((resolve, reject) => {
    const outgoing = request({ hostname, port, path: target, headers }, (response) => {
      let text = `${JSON.stringify(response.headers)}\n`
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('end', () => resolve(text))
    })
    outgoing.on('error', reject).end()
  })
}

/** Every way for a client to forge the host. */
export const forgeries = {
  host: 'evil.example',
  'x-forwarded-host': 'evil.example',
  'x-forwarded-proto': 'gopher',
  forwarded: 'host=evil.example',
}

export interface TokenAnswer {
  readonly access_token: string
  readonly refresh_token?: string
  readonly token_type: string
  readonly expires_in: number
  readonly scope: string
  readonly error?: string
  readonly error_description?: string
}

export const basic = (clientId: string, clientSecret: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
})

export const answerOf = async (response: Response): Promise<TokenAnswer> =>
  (await response.json()) as TokenAnswer
