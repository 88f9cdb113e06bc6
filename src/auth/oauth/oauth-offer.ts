// What the authorization server offers: its grants, paths and lifetimes (contract C29, D5).

export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

export const grantTypes = ['client_credentials', 'authorization_code', 'refresh_token', deviceGrant] as const

export type GrantType = (typeof grantTypes)[number]

export interface Endpoint {
  readonly path: string
  readonly methods: readonly ('GET' | 'POST')[]
}

/** Contract D5, relative to PUBLIC_URL. Preflights are answered in http/, as everywhere. */
export const endpoints = {
  token: { path: '/oauth/token', methods: ['POST'] },
  revocation: { path: '/oauth/revoke', methods: ['POST'] },
  introspection: { path: '/oauth/introspect', methods: ['POST'] },
  jwks: { path: '/oauth/jwks', methods: ['GET'] },
  authorization: { path: '/oauth/authorize', methods: ['GET'] },
  resume: { path: '/oauth/authorize/:uid', methods: ['GET'] },
  deviceAuthorization: { path: '/oauth/device', methods: ['POST'] },
  /** Where users enter their code. */
  deviceCode: { path: '/device', methods: ['GET', 'POST'] },
  deviceResume: { path: '/device/:uid', methods: ['GET'] },
} as const satisfies Record<string, Endpoint>

const minute = 60
const day = 24 * 60 * minute

/** In seconds. A grant outlives its refresh tokens, which are renewed as long as they are used. */
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
