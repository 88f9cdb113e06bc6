// Issuers on loopback: a hand-written one that can give wrong responses, and a real one (oidc-provider).
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose'
import { Provider } from 'oidc-provider/lib/provider.js'
import { startOfTime, startWaymark, type Waymark } from './waymark.ts'

/** Audience of tokens for the service. */
export const audience = 'https://trails.example'

export interface SigningKey {
  readonly kid: string
  readonly alg: string
  readonly privateKey: CryptoKey
  readonly publicJwk: JWK
}

export async function newKey(kid: string, alg = 'ES256'): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return { kid, alg, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } }
}

export async function listen(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

export type Answer = (request: IncomingMessage, response: ServerResponse) => void

const answerJson = (response: ServerResponse, document: unknown): void => {
  response.setHeader('content-type', 'application/json').end(JSON.stringify(document))
}

/** Waymark's clock in tests starts at `startOfTime`, so tokens must be valid then. */
const startSeconds = Math.floor(startOfTime / 1_000)

export interface TokenOptions {
  readonly key?: SigningKey
  /** Header fields besides alg and kid; undefined removes one. */
  readonly header?: Readonly<Record<string, unknown>>
}

/** An issuer whose responses a test can replace. It counts requests. */
export async function startIssuer(t: TestContext, { path = '' } = {}) {
  const key = await newKey('first')
  const asked: string[] = []
  const issuer = {
    url: '',
    key,
    keys: [key],
    asked,
    /** Replaced responses by path; all others are correct. */
    answers: {} as Record<string, Answer>,
    countOf: (suffix: string): number => asked.filter((target) => target.includes(suffix)).length,
    /** A valid token with these changes; a claim that is undefined is omitted. */
    token: (
      claims: Readonly<Record<string, unknown>> = {},
      { key: by = key, header = {} }: TokenOptions = {},
    ): Promise<string> => {
      const standard = { iss: issuer.url, aud: audience, sub: 'ann', scope: 'images:read images:write' }
      const times = { iat: startSeconds, exp: startSeconds + 600 }
      const { alg, kid, privateKey } = by
      return new SignJWT({ ...standard, ...times, ...claims })
        .setProtectedHeader({ alg, kid, typ: 'at+jwt', ...header })
        .sign(privateKey, { crit: { odd: true } })
    },
  }
  const base = await listen(t, (request, response) => {
    const target = request.url ?? ''
    asked.push(target)
    const answer = issuer.answers[target]
    if (answer) answer(request, response)
    else if (target === `${path}/.well-known/openid-configuration`)
      answerJson(response, { issuer: issuer.url, jwks_uri: `${base}/keys` })
    else if (target === '/keys') answerJson(response, { keys: issuer.keys.map(({ publicJwk }) => publicJwk) })
    else response.writeHead(404).end()
  })
  issuer.url = `${base}${path}`
  return issuer
}

export type Issuer = Awaited<ReturnType<typeof startIssuer>>

/** A Waymark that trusts these issuers. It is closed when the test ends. */
export async function startTrusting(
  t: TestContext,
  entries: readonly Readonly<Record<string, unknown>>[],
  settings: Readonly<Record<string, string>> = {},
): Promise<Waymark> {
  const listed = entries.map((entry) => ({ audience, ...entry }))
  const waymark = await startWaymark({
    environment: { TRUSTED_ISSUERS: JSON.stringify(listed), ...settings },
  })
  t.after(() => waymark.close())
  return waymark
}

/** Requests the caller's own photos, which requires images:read. */
export const ask = (waymark: Waymark, token: string): Promise<Response> =>
  waymark.fetch('/v2/images', { token })

/** A complete authorization server with its own keys, whose only client gets JWT access tokens for Waymark. */
export async function startProvider(t: TestContext, claims: Readonly<Record<string, unknown>>) {
  let callback: RequestListener = (_request, response) => void response.writeHead(503).end()
  const url = await listen(t, (request, response) => {
    callback(request, response)
  })
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const secret = 'a secret of nobody in particular'
  const nothing = async (): Promise<undefined> => undefined
  const provider = new Provider(url, {
    ttl: { ClientCredentials: 600 },
    // A JWT contains everything, so nothing is stored.
    adapter: () => ({
      upsert: nothing,
      find: nothing,
      findByUserCode: nothing,
      findByUid: nothing,
      consume: nothing,
      destroy: nothing,
      revokeByGrantId: nothing,
    }),
    clients: [
      {
        client_id: 'planner',
        client_secret: secret,
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'provider', alg: 'RS256', use: 'sig' }] },
    cookies: { keys: ['for tests'] },
    scopes: ['openid', 'images:read', 'images:write'],
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({
          scope: 'images:read images:write',
          audience,
          accessTokenFormat: 'jwt' as const,
          accessTokenTTL: 600,
        }),
      },
    },
    extraTokenClaims: () => claims,
  })
  const answer = provider.callback()
  callback = (request, response) => void answer(request, response)
  return {
    url,
    fetchToken: async (scope: string): Promise<string> => {
      const form = { grant_type: 'client_credentials', scope, resource: audience }
      const authorization = `Basic ${Buffer.from(`planner:${encodeURIComponent(secret)}`).toString('base64')}`
      const answer = await fetch(`${url}/token`, {
        method: 'POST',
        headers: { authorization },
        body: new URLSearchParams(form),
      })
      const document = (await answer.json()) as { access_token?: string }
      if (!document.access_token) throw new Error(JSON.stringify(document))
      return document.access_token
    },
  }
}
