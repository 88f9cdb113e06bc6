// OAuth for applications (docs/applications.md): authorization code with PKCE, device code, client credentials.
import { challengeOf, randomText } from './pkce.ts'
import { createProblem, isWaymarkProblem } from './problem.ts'
import { failureOf, wait } from './retry.ts'
import { createTransport, type CallOptions, type Fetch, type RequestOptions } from './transport.ts'

export interface OauthOptions {
  readonly baseUrl: string
  readonly clientId: string
  /** Only for confidential applications; never in a page, an app or a terminal. */
  readonly clientSecret?: string | undefined
  readonly redirectUri?: string | undefined
  readonly scopes?: readonly string[] | undefined
  readonly fetch?: Fetch | undefined
}

export interface Tokens {
  readonly accessToken: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
  /** Single use: each refresh returns a new one. */
  readonly refreshToken: string | undefined
  readonly scopes: readonly string[]
  /** With the scope openid: identifies the user. */
  readonly idToken: string | undefined
}

/** Store this until the user returns, for example in sessionStorage. */
export interface Begun {
  /** Where to send the user. */
  readonly url: string
  readonly verifier: string
  readonly state: string
}

export interface DeviceLogin {
  /** The code that the user types. */
  readonly userCode: string
  readonly verificationUri: string
  /** Includes the code: for a QR code, or to open in a browser. */
  readonly verificationUriComplete: string
  readonly expiresAt: number
  /** Waits for the user's decision. @throws WaymarkProblem `access_denied`, `expired_token`. */
  poll(signal?: AbortSignal): Promise<Tokens>
}

interface TokenAnswer {
  readonly access_token: string
  readonly expires_in?: number
  readonly refresh_token?: string
  readonly scope?: string
  readonly id_token?: string
}

interface DeviceAnswer {
  readonly device_code: string
  readonly user_code: string
  readonly verification_uri: string
  readonly verification_uri_complete?: string
  readonly expires_in: number
  readonly interval?: number
}

export type Oauth = ReturnType<typeof createOauth>

const isPending = (code: string): boolean => code === 'authorization_pending' || code === 'slow_down'
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

export function createOauth(options: OauthOptions) {
  const { clientId, clientSecret, redirectUri, scopes = [] } = options
  // Codes and refresh tokens work once. A speculative retry would look like a stolen token.
  const transport = createTransport({ baseUrl: options.baseUrl, fetch: options.fetch })

  function post<Data>(
    path: string,
    fields: Record<string, string>,
    rest: RequestOptions = {},
  ): Promise<Data> {
    const body = new URLSearchParams({ client_id: clientId, ...fields })
    if (clientSecret !== undefined) body.set('client_secret', clientSecret)
    return transport.request<Data>('POST', path, { ...rest, body, isRepeatable: false })
  }

  async function tokensFor(fields: Record<string, string>, rest?: CallOptions): Promise<Tokens> {
    const askedAt = Date.now()
    const answer = await post<TokenAnswer>('/oauth/token', fields, rest)
    return {
      accessToken: answer.access_token,
      expiresAt: askedAt + (answer.expires_in ?? 900) * 1_000,
      refreshToken: answer.refresh_token,
      scopes: answer.scope?.split(' ').filter((scope) => scope !== '') ?? [...scopes],
      idToken: answer.id_token,
    }
  }

  function poll(device: DeviceAnswer, expiresAt: number) {
    return async (signal?: AbortSignal): Promise<Tokens> => {
      let intervalMs = (device.interval ?? 5) * 1_000
      for (;;) {
        await wait(intervalMs, signal)
        try {
          return await tokensFor({ grant_type: deviceGrant, device_code: device.device_code }, { signal })
        } catch (error) {
          const mayComeYet =
            failureOf(error) !== 'final' || (isWaymarkProblem(error) && isPending(error.code))
          if (!mayComeYet || Date.now() > expiresAt) throw error
          // Requested by the server, or a reasonable default if it does not answer (RFC 8628, 3.5).
          if (!isWaymarkProblem(error) || error.code !== 'authorization_pending') intervalMs += 5_000
        }
      }
    }
  }

  return {
    /** Starts the authorization code flow. Store `verifier` and `state`, then send the user to `url`. */
    begin: async (): Promise<Begun> => {
      const verifier = randomText()
      const state = randomText()
      const url = transport.urlOf('/oauth/authorize', {
        client_id: clientId,
        response_type: 'code',
        redirect_uri: redirectUri,
        scope: scopes.join(' '),
        state,
        code_challenge: await challengeOf(verifier),
        code_challenge_method: 'S256',
      })
      return { url, verifier, state }
    },

    /**
     * @param callbackUrl the full URL that the user returned to. @throws WaymarkProblem `access_denied` if they
     * refused.
     */
    finish: async (
      callbackUrl: string,
      { verifier, state }: Pick<Begun, 'verifier' | 'state'>,
      rest?: CallOptions,
    ): Promise<Tokens> => {
      const answer = new URL(callbackUrl).searchParams
      // A response injected by another site, to sign the user in to someone else's account (CSRF).
      if (answer.get('state') !== state)
        throw createProblem({
          status: 400,
          code: 'wrong-state',
          title: 'The answer belongs to another sign-in',
        })
      const refusal = answer.get('error')
      if (refusal !== null) {
        const detail = answer.get('error_description') ?? undefined
        throw createProblem({ status: 403, code: refusal, title: refusal, detail })
      }
      const fields = {
        grant_type: 'authorization_code',
        code: answer.get('code') ?? '',
        code_verifier: verifier,
      }
      return tokensFor(redirectUri === undefined ? fields : { ...fields, redirect_uri: redirectUri }, rest)
    },

    /**
     * Use each refresh token once: a second use looks like theft and revokes everything. `createTokenSource` handles
     * that.
     */
    refresh: (refreshToken: string, rest?: CallOptions): Promise<Tokens> =>
      tokensFor({ grant_type: 'refresh_token', refresh_token: refreshToken }, rest),

    clientCredentials: (rest?: CallOptions): Promise<Tokens> =>
      tokensFor(
        { grant_type: 'client_credentials', ...(scopes.length > 0 ? { scope: scopes.join(' ') } : {}) },
        rest,
      ),

    /** For terminals: show the code, then poll. */
    device: async (rest?: CallOptions): Promise<DeviceLogin> => {
      const askedAt = Date.now()
      const device = await post<DeviceAnswer>('/oauth/device', { scope: scopes.join(' ') }, rest)
      const expiresAt = askedAt + device.expires_in * 1_000
      return {
        userCode: device.user_code,
        verificationUri: device.verification_uri,
        verificationUriComplete: device.verification_uri_complete ?? device.verification_uri,
        expiresAt,
        poll: poll(device, expiresAt),
      }
    },

    /** Revokes an access token, or a refresh token with everything issued from the same consent. */
    revoke: (token: string, rest?: CallOptions): Promise<void> =>
      post<void>('/oauth/revoke', { token }, rest),
  }
}
