// The embedded OAuth 2.1 authorization server: oidc-provider with our store, clients, lifetimes and policies (C29, D5).
import type { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Client, Configuration, KoaContextWithOIDC, TokenEndpointGrantContext } from 'oidc-provider'
import { InvalidGrant, InvalidRequest, InvalidScope } from 'oidc-provider/lib/helpers/errors.js'
import { Provider } from 'oidc-provider/lib/provider.js'
import type { Db } from '../../database/database.ts'
import { refusals, type Refusal } from '../../errors.ts'
import type { Site } from '../../site/site.ts'
import { isAccount } from './oauth-clients-table.ts'
import { isClientSecret } from './oauth-clients.ts'
import { cookieNamesOf, nameCookiesByRequest } from './oauth-cookies.ts'
import { createErrorPage, createHeldPage, type RenderErrorPage } from './oauth-error-page.ts'
import { asOneRequest, createAsking, failingOnce, type AskOnce } from './oauth-failures.ts'
import { guardForwarding } from './oauth-forwarding.ts'
import { createDevicePages, typedCodeOf } from './oauth-device-pages.ts'
import { slowDownPolls, tellInterval } from './oauth-device-polls.ts'
import { endpoints, lifetimes } from './oauth-offer.ts'
import { createProviderSessions } from './oauth-session-mirror.ts'
import { createOauthStore } from './oauth-store.ts'
import { isScope, scopes, scopeWords } from '../scopes.ts'
import type { Secret } from '../secret.ts'
import { loadSigningKeys } from './signing-keys.ts'

export interface OauthServerDependencies {
  readonly db: Db
  readonly secret: Secret
  /** The issuer, and the prefix of every URL in responses. */
  readonly publicUrl: string
  /** Renders the frame of the pages that users see. */
  readonly site: Site
  /** Origins whose pages may call the token endpoint, besides those of a client's redirect URIs. */
  readonly corsOrigins: readonly string[]
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number
  /** Maps a failure to its refusal: if the storage failed, the provider's 500 is not the right status. */
  readonly refusalOf: (error: unknown) => Refusal
  /** Counts a poll with a device code, by its hash. @returns whether it came too early. */
  readonly isPollTooFast: (device: string) => Promise<boolean>
  /** Called if a code or refresh token is used a second time. */
  readonly onMisuse: (misuse: { readonly accountId: number | null; readonly address: string }) => void
  /** The account signed in with these cookies. */
  readonly signedInAs: (cookies: string | undefined) => Promise<number | undefined>
}

export interface OauthRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Of the sender. */
  readonly address: string
  /** Receives internal errors, never a client's mistakes. */
  readonly onFault: (error: unknown) => void
}

/** The error handler of each request, found by the provider's context. */
const tellers = new WeakMap<IncomingMessage, OauthRequest['onFault']>()

function tellFault({ req }: Pick<KoaContextWithOIDC, 'req'>, error: unknown): void {
  tellers.get(req)?.(error)
}

/** A client may inspect and revoke only its own tokens. */
function isOwner(client: Client, token: { clientId?: string | undefined }): boolean {
  return token.clientId === client.clientId
}

function mayRevoke(client: Client, token: { clientId?: string | undefined }): boolean {
  // RFC 7009 section 2.1: refused. A 200 would let the client believe that the token was revoked.
  if (!isOwner(client, token)) throw new InvalidRequest('the token was issued to another client')
  return true
}

/** May pages of this origin read the client's response (contract D2)? */
function isCorsOrigin(
  { publicUrl, corsOrigins }: OauthServerDependencies,
  origin: string,
  client?: Client,
): boolean {
  if (origin === new URL(publicUrl).origin || corsOrigins.includes(origin)) return true
  const uris = Array.isArray(client?.['redirectUris']) ? (client['redirectUris'] as string[]) : []
  return uris.some((uri) => URL.parse(uri)?.origin === origin)
}

/**
 * The provider lets any origin read errors that occur before it knows the client, such as "unknown client". Only the
 * public keys are for everyone.
 */
function narrowCors(dependencies: OauthServerDependencies) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<unknown>): Promise<void> => {
    await next()
    if (ctx.method !== 'POST') return
    const { client } = (ctx as Partial<KoaContextWithOIDC>).oidc ?? {}
    if (!isCorsOrigin(dependencies, ctx.get('Origin'), client)) ctx.remove('Access-Control-Allow-Origin')
  }
}

/**
 * The provider responds with 500 to any error it does not know. A full or failing disk is reported with its usual
 * status, in an OAuth error, which its clients understand.
 */
function tellStorageFailure(
  ctx: KoaContextWithOIDC,
  { code, headers }: Refusal,
  renderErrorPage: RenderErrorPage,
): void {
  if (ctx.status !== 500 || code === 'internal-error') return // a redirect to the client tells it by itself
  const { status, title } = refusals[code]
  const out = { error: 'temporarily_unavailable', error_description: title }
  const isPage = ctx.type === 'text/html' || (ctx.type === '' && ctx.accepts('json', 'html') === 'html')
  ctx.status = status
  ctx.set(headers)
  if (isPage) renderErrorPage(ctx, out)
  else ctx.body = out
}

/**
 * The provider saves the session of a page after rendering it, outside its error handling: a failure there would become
 * a bare "Internal Server Error".
 */
function tellLateFailure({ refusalOf }: OauthServerDependencies, renderErrorPage: RenderErrorPage) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<unknown>): Promise<void> => {
    try {
      await next()
    } catch (error) {
      const refusal = refusalOf(error)
      if (refusal.code === 'internal-error') throw error
      ctx.status = 500
      tellStorageFailure(ctx, refusal, renderErrorPage)
      tellFault(ctx, error)
    }
  }
}

/** OpenID Connect libraries send these by default; they have no effect here, and OpenID requires ignoring them. */
const openidScopes: ReadonlySet<string> = new Set(['openid', 'offline_access', 'profile', 'email'])

/** Scopes as sent: the provider silently drops unknown ones from what it passes on. */
function requireKnownScopes({ method, query, oidc }: KoaContextWithOIDC): void {
  const sent: unknown = (method === 'POST' ? oidc.body : query)?.['scope']
  const words = typeof sent === 'string' ? scopeWords(sent) : []
  const unknown = words.filter((word) => !openidScopes.has(word) && !isScope(word))
  if (unknown.length > 0) throw new InvalidScope('the scope is not known here', unknown.join(' '))
}

function configurationOf(
  dependencies: OauthServerDependencies,
  keys: NonNullable<Configuration['jwks']>['keys'],
  { renderErrorPage, askOnce }: { readonly renderErrorPage: RenderErrorPage; readonly askOnce: AskOnce },
) {
  const { db, secret, publicUrl } = dependencies

  return {
    adapter: failingOnce(createOauthStore(dependencies), askOnce),
    jwks: { keys },
    cookies: { keys: secret.cookieKeys, ...cookieNamesOf(publicUrl) },
    routes: {
      authorization: endpoints.authorization.path,
      token: endpoints.token.path,
      revocation: endpoints.revocation.path,
      introspection: endpoints.introspection.path,
      jwks: endpoints.jwks.path,
      device_authorization: endpoints.deviceAuthorization.path,
      code_verification: endpoints.deviceCode.path,
    },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: false },
      clientCredentials: { enabled: true },
      deviceFlow: { enabled: true, ...createDevicePages(dependencies.site) },
      revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => mayRevoke(client, token) },
      introspection: { enabled: true, allowedPolicy: (_ctx, client, token) => isOwner(client, token) },
      // On by default, and not part of the contract.
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      resourceIndicators: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
    },
    scopes: ['openid', ...scopes],
    extraParams: { scope: (ctx) => requireKnownScopes(ctx) },
    responseTypes: ['code'],
    pkce: { required: () => true },
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    ttl: lifetimes,
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    /** What a user granted to an application outlives the browser session in which it was granted. */
    expiresWithSession: async () => false,
    findAccount: async (_ctx, sub) =>
      (await isAccount(db, Number(sub))) ? { accountId: sub, claims: () => ({ sub }) } : undefined,
    interactions: { url: (_ctx, { uid }) => dependencies.site.href(`/oauth/interaction/${uid}`) },
    clientBasedCORS: (_ctx, origin, client) => isCorsOrigin(dependencies, origin, client),
    renderError: renderErrorPage,
  } satisfies Configuration
}

/**
 * The client-credentials grant. The provider's own silently drops unknown scopes: here any scope that is not registered
 * is refused, and a request without scopes gets all registered ones.
 */
async function grantClientCredentials(ctx: TokenEndpointGrantContext): Promise<void> {
  const { client, params, provider } = ctx.oidc
  const registered = scopeWords(client.scope ?? '')
  const asked = params.scope === undefined ? registered : scopeWords(params.scope)
  const refused = asked.filter((scope) => !registered.includes(scope))
  if (refused.length > 0)
    throw new InvalidScope('the client is not registered for this scope', refused.join(' '))

  const token = new provider.ClientCredentials({ client, scope: asked.join(' ') })
  ctx.oidc.entity('ClientCredentials', token)
  const accessToken = await token.save()
  ctx.body = {
    access_token: accessToken,
    token_type: token.tokenType,
    expires_in: token.expiration,
    scope: token.scope,
  }
}

/** Used before, or revoked, in the terms of the provider and our store. */
function isReplay(error: Error): boolean {
  const { error_detail: detail = '' } = error as Error & { readonly error_detail?: string }
  return error instanceof InvalidGrant && /already (?:used|consumed)|not found/.test(detail)
}

/** A code in the URL of the device page fills in the form, which the user still submits. */
function withoutUserCode(request: IncomingMessage, path: string): string {
  const [page = '', query] = path.split('?', 2)
  if (page !== endpoints.deviceCode.path || query === undefined) return path
  const code = new URLSearchParams(query).get('user_code')
  if (code !== null) typedCodeOf.set(request, code.slice(0, 20))
  return page
}

/** Creates the signing key at the first start. */
export async function createOauthServer(dependencies: OauthServerDependencies) {
  const { db, secret, publicUrl, now, refusalOf } = dependencies
  const keys = await loadSigningKeys(db, secret, now())
  const renderErrorPage = createErrorPage(dependencies.site)
  const askOnce = createAsking((error) => refusalOf(error).code !== 'internal-error')
  const provider = new Provider(publicUrl, configurationOf(dependencies, keys, { renderErrorPage, askOnce }))
  const { signedInAs } = dependencies
  nameCookiesByRequest(provider)
  guardForwarding(provider, { db, signedInAs, askOnce, renderHeld: createHeldPage(dependencies.site) })

  provider.Client.prototype.compareClientSecret = function (this: Client, secretSent: string): boolean {
    return isClientSecret(secretSent, String(this['clientSecret']))
  }
  provider.registerGrantType('client_credentials', grantClientCredentials, 'scope')
  provider.use(narrowCors(dependencies))
  provider.use(slowDownPolls(dependencies.isPollTooFast))
  provider.on('device_authorization.success', (_ctx, body) => tellInterval(body))
  provider.use(tellLateFailure(dependencies, renderErrorPage))
  provider.on('grant.error', (ctx: KoaContextWithOIDC, error: Error) => {
    const { entities } = ctx.oidc
    const used = entities.RefreshToken ?? entities.AuthorizationCode ?? entities.DeviceCode
    if (isReplay(error))
      dependencies.onMisuse({ accountId: Number(used?.accountId) || null, address: ctx.ip })
  })
  provider.on('server_error', (ctx: KoaContextWithOIDC, error: Error) => {
    tellStorageFailure(ctx, refusalOf(error), renderErrorPage)
    tellFault(ctx, error)
  })
  // Errors that escape the provider's error handling; a broken connection (which names a system call) is not one.
  const emitter: EventEmitter = provider
  emitter.on('error', (error: Error, ctx: KoaContextWithOIDC) => {
    if (!('syscall' in error)) tellFault(ctx, error)
  })

  const providerSessions = createProviderSessions(provider, signedInAs)

  // The provider takes scheme, host and client address from the X-Forwarded headers, which `handle` sets.
  provider.proxy = true
  const callback = provider.callback()
  const { host, protocol, pathname } = new URL(publicUrl)
  const publicPath = pathname.replace(/\/$/, '')

  return {
    publicUrl,
    /** For the sign-in pages. */
    provider,
    /**
     * Handles a request whose URL no longer has the path of PUBLIC_URL. Whatever Host or X-Forwarded header the client
     * sent, the URLs in the response are those of PUBLIC_URL.
     */
    handle: async ({ request, response, address, onFault }: OauthRequest): Promise<void> => {
      tellers.set(request, onFault)
      const path = (request.url ?? '/').replace(/^https?:\/\/[^/?#]*/i, '') // an absolute URL names a host, too
      Object.assign(request, { originalUrl: publicPath + path })
      request.url = withoutUserCode(request, path)
      request.headers['x-forwarded-host'] = host
      request.headers['x-forwarded-proto'] = protocol.slice(0, -1)
      request.headers['x-forwarded-for'] = address
      await providerSessions.forgetStranger(request, response)
      await asOneRequest(() => callback(request, response))
    },
  }
}

export type OauthServer = Awaited<ReturnType<typeof createOauthServer>>
