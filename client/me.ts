// The user's own account: profile, keys, sessions, applications, privacy zones, passkeys, account deletion.
import { wholeSet } from './paging.ts'
import { keyed, type ChangeOptions, type MakeOptions } from './trails.ts'
import type { CallOptions, Transport } from './transport.ts'
import type {
  ApiKey,
  ApiKeyRotation,
  EmailChange,
  EmailChanged,
  GrantedApp,
  HiddenSize,
  Leaving,
  LeavingReport,
  MadeApiKey,
  MadeOwnClient,
  Me,
  MePatch,
  NewApiKey,
  NewOwnClient,
  NewPasskey,
  NewZone,
  OwnClient,
  OwnClientPatch,
  OwnClientSecret,
  Passkey,
  PasskeyOptionsRequest,
  PasskeyRemoval,
  PasswordChange,
  Session,
  Zone,
} from './types.ts'

const part = encodeURIComponent

export function createMeCalls(transport: Transport) {
  const { request } = transport
  /** Lists without pagination. */
  const listOf =
    <Item>(path: string) =>
    (options?: CallOptions) =>
      wholeSet<Item>(transport, path, options)

  return {
    get: (options?: CallOptions) => request<Me>('GET', '/v2/me', options),
    change: (patch: MePatch, options?: ChangeOptions) =>
      request<Me>('PATCH', '/v2/me', { ...options, body: patch }),
    setPassword: (change: PasswordChange, options?: CallOptions) =>
      request<void>('POST', '/v2/me/password', { ...options, body: change }),
    setEmail: (change: EmailChange, options?: CallOptions) =>
      request<EmailChanged>('PUT', '/v2/me/email', { ...options, body: change, isRepeatable: false }),
    /** Deletes the account permanently. */
    remove: (leaving: Leaving, options?: CallOptions) =>
      request<LeavingReport>('DELETE', '/v2/me', { ...options, body: leaving, isRepeatable: false }),
    /** A zip of everything, as a response to stream: it may be larger than memory. */
    takeout: (options?: CallOptions) =>
      request<Response>('GET', '/v2/me/takeout', { ...options, as: 'response' }),

    keys: {
      list: listOf<ApiKey>('/v2/me/keys'),
      /** The key is returned only in this response. */
      create: (key: NewApiKey, options?: MakeOptions) =>
        request<MadeApiKey>('POST', '/v2/me/keys', { ...keyed(options), body: key }),
      rotate: (prefix: string, rotation: ApiKeyRotation = {}, options?: MakeOptions) =>
        request<MadeApiKey>('POST', `/v2/me/keys/${part(prefix)}/rotate`, {
          ...keyed(options),
          body: rotation,
        }),
      revoke: (prefix: string, options?: CallOptions) =>
        request<void>('DELETE', `/v2/me/keys/${part(prefix)}`, options),
    },
    sessions: {
      list: listOf<Session>('/v2/me/sessions'),
      end: (sessionId: string, options?: CallOptions) =>
        request<void>('DELETE', `/v2/me/sessions/${part(sessionId)}`, options),
      endOthers: (options?: CallOptions) => request<void>('DELETE', '/v2/me/sessions', options),
    },
    apps: {
      list: listOf<GrantedApp>('/v2/me/apps'),
      revoke: (clientId: string, options?: CallOptions) =>
        request<void>('DELETE', `/v2/me/apps/${part(clientId)}`, options),
    },
    clients: {
      list: listOf<OwnClient>('/v2/me/clients'),
      get: (clientId: string, options?: CallOptions) =>
        request<OwnClient>('GET', `/v2/me/clients/${part(clientId)}`, options),
      /** The secret is returned only in this response. */
      create: (client: NewOwnClient, options?: MakeOptions) =>
        request<MadeOwnClient>('POST', '/v2/me/clients', { ...keyed(options), body: client }),
      change: (clientId: string, patch: OwnClientPatch, options?: ChangeOptions) =>
        request<OwnClient>('PATCH', `/v2/me/clients/${part(clientId)}`, { ...options, body: patch }),
      remove: (clientId: string, options?: ChangeOptions) =>
        request<void>('DELETE', `/v2/me/clients/${part(clientId)}`, options),
      newSecret: (clientId: string, options?: MakeOptions) =>
        request<OwnClientSecret>('POST', `/v2/me/clients/${part(clientId)}/secret`, keyed(options)),
    },
    zones: {
      list: listOf<Zone>('/v2/me/zones'),
      /** How much a new zone would hide, by radius. */
      hiddenSizes: async (options?: CallOptions): Promise<readonly HiddenSize[]> =>
        (await request<{ hiddenSizes: HiddenSize[] }>('GET', '/v2/me/zones', options)).hiddenSizes,
      create: (zone: NewZone, options?: MakeOptions) =>
        request<Zone>('POST', '/v2/me/zones', { ...keyed(options), body: zone }),
      remove: (zoneID: number, options?: CallOptions) =>
        request<void>('DELETE', `/v2/me/zones/${zoneID}`, options),
    },
    passkeys: {
      list: listOf<Passkey>('/v2/me/passkeys'),
      /** Options for PublicKeyCredential.parseCreationOptionsFromJSON(). */
      options: (asked: PasskeyOptionsRequest = {}, options?: CallOptions) =>
        request<object>('POST', '/v2/me/passkey-options', { ...options, body: asked }),
      add: (passkey: NewPasskey, options?: CallOptions) =>
        request<Passkey>('POST', '/v2/me/passkeys', { ...options, body: passkey }),
      remove: (credentialId: string, removal: PasskeyRemoval = {}, options?: CallOptions) =>
        request<void>('DELETE', `/v2/me/passkeys/${part(credentialId)}`, { ...options, body: removal }),
    },
  }
}
