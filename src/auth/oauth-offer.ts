// What the authorization server offers: its grants, paths and lifetimes. People's sign-in is switched on here and nowhere else.

export type GrantType =
  | 'client_credentials'
  | 'authorization_code'
  | 'refresh_token'
  | 'urn:ietf:params:oauth:grant-type:device_code'

export type Offer = ReadonlySet<GrantType>

/**
 * The grants in force. Those that need a person at a browser wait for the sign-in and consent pages: adding them to
 * this list mounts their endpoints, names them in the metadata and lets the token endpoint take them.
 */
export const offeredGrants: Offer = new Set<GrantType>(['client_credentials'])

/** Grants that the provider knows by its configuration, offered or not. */
export const configuredGrants: readonly GrantType[] = ['authorization_code', 'refresh_token']

export interface Endpoint {
  readonly path: string
  readonly methods: readonly ('GET' | 'POST')[]
  /** The endpoint exists only where this grant is offered; undefined for those that are always there. */
  readonly grant?: GrantType
}

/** Contract D5, relative to PUBLIC_URL. Preflights are answered in http/, as everywhere. */
export const endpoints = {
  token: { path: '/oauth/token', methods: ['POST'] },
  revocation: { path: '/oauth/revoke', methods: ['POST'] },
  introspection: { path: '/oauth/introspect', methods: ['POST'] },
  jwks: { path: '/oauth/jwks', methods: ['GET'] },
  authorization: { path: '/oauth/authorize', methods: ['GET'], grant: 'authorization_code' },
  resume: { path: '/oauth/authorize/:uid', methods: ['GET'], grant: 'authorization_code' },
  deviceAuthorization: {
    path: '/oauth/device',
    methods: ['POST'],
    grant: 'urn:ietf:params:oauth:grant-type:device_code',
  },
  /** Where people type their code. */
  deviceCode: {
    path: '/device',
    methods: ['GET', 'POST'],
    grant: 'urn:ietf:params:oauth:grant-type:device_code',
  },
  deviceResume: {
    path: '/device/:uid',
    methods: ['GET'],
    grant: 'urn:ietf:params:oauth:grant-type:device_code',
  },
} as const satisfies Record<string, Endpoint>

export function mountedEndpoints(offer: Offer): Endpoint[] {
  const all: readonly Endpoint[] = Object.values(endpoints)
  return all.filter(({ grant }) => grant === undefined || offer.has(grant))
}

const minute = 60
const day = 24 * 60 * minute

/** In seconds. A grant outlives the refresh tokens under it, which renew themselves as long as they are used. */
export const lifetimes = {
  AccessToken: 15 * minute,
  ClientCredentials: 15 * minute,
  AuthorizationCode: minute,
  DeviceCode: 10 * minute,
  RefreshToken: 30 * day,
  Grant: 365 * day,
  IdToken: 15 * minute,
  Interaction: 60 * minute,
  Session: 14 * day,
} as const
