// A Waymark at its own URL with a registered application, and openid-client as the application's library.
import type { TestContext } from 'node:test'
import * as oidc from 'openid-client'
import { registerClient, type NewClient } from '../../src/auth/oauth/oauth-clients.ts'
import { startSite, type ServedSite } from '../browser/site.ts'
import { authorize, type Person } from './oauth-people.ts'
import { startOfTime, type WaymarkOptions } from './waymark.ts'

export const webRedirect = 'https://gallery.example/back'
export const everyScope = 'images:read images:write routes:read routes:write'

export interface Checks {
  readonly pkceCodeVerifier: string
  readonly expectedState: string
  readonly expectedNonce: string
}

export interface OauthSite extends ServedSite {
  /** The account that owns the applications. */
  readonly publisherId: number
  /**
   * Registers an application.
   * @returns its openid-client configuration, from discovery.
   */
  application(client?: Partial<NewClient>): Promise<oidc.Configuration>
  /** Advances both clocks: Waymark's and that of the provider, which is the system clock. */
  turn(milliseconds: number): void
}

/** Stops both clocks at the same time until the test ends. */
function holdClocks(t: TestContext): (milliseconds: number) => void {
  t.mock.timers.enable({ apis: ['Date'], now: startOfTime })
  return (milliseconds) => t.mock.timers.setTime(Date.now() + milliseconds)
}

export async function startOauthSite(
  t: TestContext,
  { hasHeldClocks = false, ...options }: WaymarkOptions & { readonly hasHeldClocks?: boolean } = {},
): Promise<OauthSite> {
  const turnDate = hasHeldClocks ? holdClocks(t) : undefined
  const site = await startSite(t, options)
  const { waymark, url } = site
  const { accountId: publisherId } = await waymark.addPerson({ name: 'Gallery Makers' })
  return {
    ...site,
    publisherId,
    application: async (client = {}) => {
      const { clientId, clientSecret } = await registerClient(waymark.installation.database.db, {
        accountId: publisherId,
        name: 'Gallery',
        scope: everyScope,
        now: waymark.system.now(),
        isPublic: true,
        redirectUris: [webRedirect],
        ...client,
      })
      const how = clientSecret === undefined ? oidc.None() : oidc.ClientSecretBasic(clientSecret)
      const metadata = clientSecret === undefined ? {} : { client_secret: clientSecret }
      // Without TLS, as on loopback, the library checks no signatures unless told to.
      const execute = [oidc.allowInsecureRequests, oidc.enableNonRepudiationChecks]
      waymark.secrets.note('client secret', clientSecret)
      return oidc.discovery(new URL(url), clientId, metadata, how, {
        execute,
        [oidc.customFetch]: async (address, init) => {
          const answer = await fetch(address, init as RequestInit)
          waymark.secrets.noteAnswer(answer.headers, await answer.clone().text())
          return answer
        },
      })
    },
    turn: (milliseconds) => {
      waymark.system.advance(milliseconds)
      turnDate?.(milliseconds)
    },
  }
}

export interface Request {
  readonly address: URL
  readonly checks: Checks
}

/** An authorization request built by openid-client, with all its protections. */
export async function requestOf(
  application: oidc.Configuration,
  parameters: Record<string, string> = {},
): Promise<Request> {
  const pkceCodeVerifier = oidc.randomPKCECodeVerifier()
  const [expectedState, expectedNonce] = [oidc.randomState(), oidc.randomNonce()]
  const address = oidc.buildAuthorizationUrl(application, {
    redirect_uri: webRedirect,
    scope: 'openid images:read images:write',
    state: expectedState,
    nonce: expectedNonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    ...parameters,
  })
  return { address, checks: { pkceCodeVerifier, expectedState, expectedNonce } }
}

/** Signs the person in through the pages, and exchanges the returned code. */
export async function signInTo(
  application: oidc.Configuration,
  person: Person,
  parameters: Record<string, string> = {},
) {
  const { address, checks } = await requestOf(application, parameters)
  const back = await authorize(person, address)
  const tokens = await oidc.authorizationCodeGrant(application, back, { ...checks, idTokenExpected: true })
  return { tokens, back, checks }
}

/** The OAuth error code of the rejected promise. */
export async function oauthErrorOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise
  } catch (error) {
    if (error instanceof oidc.ResponseBodyError || error instanceof oidc.AuthorizationResponseError)
      return error.error
    throw error
  }
  return 'no error'
}
