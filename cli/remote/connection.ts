// The server that a command speaks to, as whoever signed in with `waymark login`.
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
import { readRemoteSettings } from '../../src/settings/config.ts'
import { ownClientId, ownClientScopes } from '../../src/auth/oauth/own-client.ts'
import { fail, wrongUsage } from '../failures.ts'
import { createLogins, type Logins } from './logins.ts'
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

export const openLogins = (): Logins => createLogins(readRemoteSettings().folder)

/** @throws one sentence where nothing names a server. */
export async function serverOf({ url }: RemoteOptions, logins: Logins): Promise<string> {
  const named = url ?? readRemoteSettings().url ?? (await logins.current())
  if (named === undefined) throw wrongUsage('No server given: waymark login --url https://trails.example.')
  return serverAddress(named)
}

/** What went wrong on the way or there, as a failure of the command. */
export function remoteFailure(error: unknown): unknown {
  if (isUnreachable(error)) {
    const { cause } = error
    const why = cause instanceof Error ? ` (${cause.message})` : ''
    return fail('unreachable', `The server cannot be reached${why}. Check the URL and the connection.`)
  }
  if (!isWaymarkProblem(error)) return error
  const sentence = error.detail ?? `${error.title}.`
  const isCredential = error.status === 401 || error.code === 'invalid_grant'
  return isCredential
    ? fail('signed-out', `${sentence} Sign in with "waymark login".`)
    : fail('refused', error.detail === undefined ? sentence : `${error.title}: ${sentence}`)
}

/** The credential of a sign-in, kept fresh. */
export function sourceOf(
  baseUrl: string,
  logins: Logins,
  tokens: Tokens,
): ReturnType<typeof createTokenSource> {
  const oauth = oauthOf(baseUrl)
  return createTokenSource(tokens, {
    refresh: (held) => logins.renew(baseUrl, held, ({ refreshToken }) => oauth.refresh(refreshToken ?? '')),
  })
}

/** Runs the work with the SDK of the server; whatever it throws becomes one sentence. */
export async function withServer<Result>(
  options: RemoteOptions,
  work: (waymark: Waymark, baseUrl: string) => Promise<Result>,
): Promise<Result> {
  const logins = openLogins()
  const baseUrl = await serverOf(options, logins)
  const { token } = readRemoteSettings()
  const tokens = token === undefined ? await logins.tokensOf(baseUrl) : undefined
  if (token === undefined && tokens === undefined)
    throw fail('signed-out', `You are not signed in to ${baseUrl}: run "waymark login --url ${baseUrl}".`)
  const credential = tokens ? sourceOf(baseUrl, logins, tokens) : { bearer: token ?? '' }
  try {
    return await work(createWaymark({ baseUrl, credential, fetch: plainFetch }), baseUrl)
  } catch (error) {
    throw remoteFailure(error)
  }
}
