// The server that a command uses, with the sign-in of `waymark login` or the credential in the environment.
import {
  createOauth,
  createTokenSource,
  createWaymark,
  isUnreachable,
  isWaymarkProblem,
  type Oauth,
  type Tokens,
  type Waymark,
} from '../../client/client.ts'
import { createUnreachable } from '../../client/problem.ts'
import { readRemoteSettings } from '../../src/settings/config.ts'
import { ownClientId, ownClientScopes } from '../../src/auth/oauth/own-client.ts'
import { fail, wrongUsage } from '../failures.ts'
import { ownSecret } from './client-secret.ts'
import { createLogins, type ClientSecret, type Login, type Logins } from './logins.ts'
import { plainFetch, serverAddress } from './plain-fetch.ts'

export interface RemoteOptions {
  readonly url?: string
}

export const urlOption = [
  '--url <address>',
  'the server; by default WAYMARK_URL or the last sign-in',
] as const

export function oauthOf(baseUrl: string): Oauth {
  return createOauth({ baseUrl, clientId: ownClientId, scopes: ownClientScopes, fetch: plainFetch })
}

/** A confidential client; it has the scopes that it was registered with. */
export const oauthOfClient = (baseUrl: string, client: ClientSecret): Oauth =>
  createOauth({ baseUrl, ...client, fetch: plainFetch })

/** Other commands wait for a renewal, so it needs a timeout. */
const patienceMs = 30_000

async function inTime(renew: (signal: AbortSignal) => Promise<Tokens>): Promise<Tokens> {
  const signal = AbortSignal.timeout(patienceMs)
  try {
    return await renew(signal)
  } catch (error) {
    throw signal.aborted ? createUnreachable(error, { mayBeDone: true }) : error
  }
}

export const openLogins = (): Logins => createLogins(readRemoteSettings().folder)

/** @throws one sentence if no server is configured. */
export async function serverOf({ url }: RemoteOptions, logins: Logins): Promise<string> {
  const named = url ?? readRemoteSettings().url ?? (await logins.current())
  if (named === undefined) throw wrongUsage('No server given: waymark login --url https://trails.example.')
  return serverAddress(named)
}

/** Converts an error of the connection or the server to a command failure. */
export function remoteFailure(error: unknown): unknown {
  if (isUnreachable(error)) {
    const { cause } = error
    const why = cause instanceof Error ? ` (${cause.message})` : ''
    return fail('unreachable', `The server cannot be reached${why}. Check the URL and the connection.`)
  }
  if (!isWaymarkProblem(error)) return error
  const sentence = error.detail ?? `${error.title}.`
  if (error.code === 'invalid_client')
    return fail('signed-out', 'The server does not accept this client ID and secret.')
  // The description of the OAuth error is for programmers.
  if (error.code === 'invalid_grant')
    return fail('signed-out', 'The sign-in has expired or was revoked. Sign in with "waymark login".')
  return error.status === 401
    ? fail('signed-out', `${sentence} Sign in with "waymark login".`)
    : fail('refused', error.detail === undefined ? sentence : `${error.title}: ${sentence}`)
}

/** The credential of a sign-in, renewed before and when it expires. */
export function sourceOf(
  baseUrl: string,
  logins: Logins,
  tokens: Tokens,
): ReturnType<typeof createTokenSource> {
  const renew = ({ client, refreshToken }: Login): Promise<Tokens> =>
    inTime((signal) =>
      client
        ? oauthOfClient(baseUrl, client).clientCredentials({ signal })
        : oauthOf(baseUrl).refresh(refreshToken ?? '', { signal }),
    )
  return createTokenSource(tokens, { refresh: (held) => logins.renew(baseUrl, held, renew) })
}

/** The credential of a client in the environment: nothing is stored. */
async function sourceOfClient(baseUrl: string, client: ClientSecret) {
  const oauth = oauthOfClient(baseUrl, client)
  const renew = () => inTime((signal) => oauth.clientCredentials({ signal }))
  return createTokenSource(await renew(), { refresh: renew })
}

/** Prefixes of the classic API, which v2 does not have. */
const classicPrefix = /\/(?:v1|v1\.6)$/i
export const withoutPrefix = (base: string): string => base.replace(classicPrefix, '')

/** If WAYMARK_URL is set, the credentials in the environment are for that server, and must not be sent to another. */
export function isOfAnotherServer(baseUrl: string): boolean {
  const { url } = readRemoteSettings()
  return url !== undefined && withoutPrefix(serverAddress(url, 'WAYMARK_URL')) !== withoutPrefix(baseUrl)
}

/** A sentence, with a space before it, if the environment has credentials that are not used for this reason. */
export function remarkOnUnused(baseUrl: string): string {
  const { url, token, clientId } = readRemoteSettings()
  return isOfAnotherServer(baseUrl) && (token ?? clientId) !== undefined
    ? ` WAYMARK_URL is ${url}, so the credentials for it are not sent to ${baseUrl}.`
    : ''
}

/** @throws one sentence if nobody is signed in. */
export async function credentialFor(baseUrl: string, logins: Logins) {
  if (!isOfAnotherServer(baseUrl)) {
    const { token } = readRemoteSettings()
    if (token !== undefined) return { bearer: token }
    const client = await ownSecret()
    if (client) return sourceOfClient(baseUrl, client)
  }
  const tokens = await logins.tokensOf(baseUrl)
  if (tokens) return sourceOf(baseUrl, logins, tokens)
  throw fail(
    'signed-out',
    `You are not signed in to ${baseUrl}: run "waymark login --url ${baseUrl}".${remarkOnUnused(baseUrl)}`,
  )
}

/** Runs the work with the server's SDK; anything it throws becomes one sentence. */
export async function withServer<Result>(
  options: RemoteOptions,
  work: (waymark: Waymark, baseUrl: string) => Promise<Result>,
): Promise<Result> {
  const logins = openLogins()
  const baseUrl = await serverOf(options, logins)
  try {
    const credential = await credentialFor(baseUrl, logins)
    return await work(createWaymark({ baseUrl, credential, fetch: plainFetch }), baseUrl)
  } catch (error) {
    throw remoteFailure(error)
  }
}
