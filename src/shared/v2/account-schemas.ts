// TypeBox schemas of the v2 endpoints for one's own account (contract, Part D): they give types, judge bodies and document.
import { Type, type Static } from 'typebox'
import { scopeSentences } from '../scope-sentences.ts'
import { languages, type Language } from '../languages.ts'
import { openEnum, strict, stringEnum, timestamp, timestampOrNull, wholeSetOf } from './schema-parts.ts'
import {
  displayNameRule,
  emailRule,
  openapiOnly,
  passwordRule,
  redirectUriRule,
  visibleNameRule,
} from './openapi-rules.ts'

const scopeList = Type.Array(Type.String(), { description: 'OAuth scopes.' })
/** Judged by auth/oauth/oauth-clients.ts, which names the one that is unknown. */
export const scopeWord = Type.String({
  title: 'Scope',
  description: 'More values may be added; accept those you do not know.',
  ...openapiOnly({ enum: Object.keys(scopeSentences.en), 'x-open-enum': true }),
})
export const redirectUri = Type.String(openapiOnly(redirectUriRule))
const wantedScopes = Type.Array(scopeWord, {
  minItems: 1,
  description: 'Scopes that the application may ask for; only those that the role of its owner gives.',
})
const wantedRedirectUris = Type.Array(redirectUri, {
  maxItems: 20,
  description: 'Where people come back to: https, or http on a loopback host. They match exactly.',
})
const visibleName = Type.String({
  description: '1 to 200 characters, none of them invisible.',
  ...openapiOnly(visibleNameRule),
})

const mails = stringEnum(
  ['on', 'off'],
  'Mails about own photos and, to staff, about photos that wait for review.',
)

export const roleName = openEnum(['member', 'reviewer', 'admin'], undefined, 'Role')

const language = Type.Unsafe<Language | null>({
  type: ['string', 'null'],
  enum: [...languages, null],
  description:
    'Of mails to the account; null if none was chosen. More values may be added; accept those you do not know.',
  'x-open-enum': true,
})

export const Me = Type.Object(
  {
    acctID: Type.Integer({ minimum: 1 }),
    displayName: Type.String(),
    email: Type.String(),
    emailVerified: Type.Boolean({ description: 'Whether a link sent to the address was opened.' }),
    hasPassword: Type.Boolean({ description: 'False where one signs in by passkey or from elsewhere only.' }),
    role: roleName,
    passkeyRequired: Type.Optional(
      Type.Literal(true, {
        description:
          'There where this session may only add a passkey: reviewers and admins need one here (STAFF_SIGN_IN), and `role` is that of a member until they sign in with it.',
      }),
    ),
    trails: Type.Unsafe<readonly number[] | null>({
      type: ['array', 'null'],
      items: { type: 'integer' },
      description: 'The trails a reviewer is limited to; null for no limit.',
    }),
    createdAt: timestamp(),
    mails,
    language,
    scopes: Type.Array(Type.String(), { description: 'What the credential of this request may do.' }),
  },
  { ...strict, title: 'Me' },
)
export type Me = Static<typeof Me>

export const MePatch = Type.Object(
  {
    displayName: Type.Optional(
      Type.String({ description: '1 to 256 characters.', ...openapiOnly(displayNameRule) }),
    ),
    mails: Type.Optional(mails),
    language: Type.Optional(language),
  },
  { ...strict, title: 'MePatch' },
)

export const ApiKey = Type.Object(
  {
    prefix: Type.String({ description: 'The first characters of the key; they name it.' }),
    name: Type.String(),
    status: openEnum(['live', 'expired', 'revoked']),
    createdAt: timestamp(),
    expiresAt: timestampOrNull('Null for a key that stays until it is revoked.'),
    lastUsedAt: timestampOrNull('To the minute; null where it was never used.'),
    revokedAt: timestampOrNull('When it ended; of a key that was rotated with an overlap, when it will end.'),
  },
  { ...strict, title: 'ApiKey' },
)
export type ApiKey = Static<typeof ApiKey>
export const ApiKeySet = wholeSetOf(ApiKey, 'ApiKeySet')

export const NewApiKey = Type.Object(
  {
    name: visibleName,
    expiresAt: Type.Optional(
      timestampOrNull('In the future; null or absent for a key that does not expire.'),
    ),
  },
  { ...strict, title: 'NewApiKey' },
)

export const ApiKeyRotation = Type.Object(
  {
    overlapSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 604_800,
        default: 0,
        description: 'How long the old key still opens.',
      }),
    ),
  },
  { ...strict, title: 'ApiKeyRotation' },
)

export const MadeApiKey = Type.Object(
  {
    apiKey: Type.String({ description: 'The key itself, this once.' }),
    prefix: Type.String(),
    name: Type.String(),
    createdAt: timestamp(),
    expiresAt: timestampOrNull('Null for a key that stays until it is revoked.'),
  },
  { ...strict, title: 'MadeApiKey' },
)
export type MadeApiKey = Static<typeof MadeApiKey>

export const Session = Type.Object(
  {
    id: Type.String(),
    browser: Type.String({ description: 'What the browser calls itself.' }),
    isCurrent: Type.Boolean({ description: 'Whether this request came with it.' }),
    createdAt: timestamp(),
    lastSeenAt: timestamp(),
    expiresAt: timestamp(),
  },
  { ...strict, title: 'Session' },
)
export type Session = Static<typeof Session>
export const SessionSet = wholeSetOf(Session, 'SessionSet')

export const GrantedApp = Type.Object(
  {
    clientId: Type.String(),
    name: Type.String(),
    publisher: Type.String({ description: 'Display name of the account that answers for it.' }),
    scopes: scopeList,
    grantedAt: timestamp(),
  },
  { ...strict, title: 'GrantedApp' },
)
export type GrantedApp = Static<typeof GrantedApp>
export const GrantedAppSet = wholeSetOf(GrantedApp, 'GrantedAppSet')

const ownClient = {
  clientId: Type.String(),
  name: Type.String(),
  scopes: scopeList,
  redirectUris: Type.Array(Type.String()),
  isPublic: Type.Boolean({ description: 'A public application keeps no secret.' }),
  isApproved: Type.Boolean({
    description:
      'Whether an admin has approved its redirect addresses; another address, added by you, ends the approval.',
  }),
  createdAt: timestamp(),
}

export const OwnClient = Type.Object(ownClient, { ...strict, title: 'OwnClient' })
export type OwnClient = Static<typeof OwnClient>
export const OwnClientSet = wholeSetOf(OwnClient, 'OwnClientSet')

export const MadeOwnClient = Type.Object(
  {
    ...ownClient,
    clientSecret: Type.Optional(Type.String({ description: 'Of a confidential application, this once.' })),
  },
  { ...strict, title: 'MadeOwnClient' },
)

export const NewOwnClient = Type.Object(
  {
    name: visibleName,
    scopes: wantedScopes,
    redirectUris: Type.Optional(wantedRedirectUris),
    isPublic: Type.Optional(
      Type.Boolean({ default: false, description: 'For what runs in a browser, on a phone or a terminal.' }),
    ),
  },
  { ...strict, title: 'NewOwnClient' },
)

export const OwnClientPatch = Type.Object(
  {
    name: Type.Optional(visibleName),
    scopes: Type.Optional(wantedScopes),
    redirectUris: Type.Optional(wantedRedirectUris),
  },
  { ...strict, title: 'OwnClientPatch' },
)

export const OwnClientSecret = Type.Object(
  { clientSecret: Type.String({ description: 'The new secret, this once.' }) },
  { ...strict, title: 'OwnClientSecret' },
)

export const PasswordChange = Type.Object(
  {
    current: Type.String({ description: 'The present password.' }),
    password: Type.String({
      description: 'The new one, of 8 to 1,024 characters.',
      ...openapiOnly(passwordRule),
    }),
  },
  { ...strict, title: 'PasswordChange' },
)

export const EmailChange = Type.Object(
  {
    email: Type.String({ description: 'The new address.', ...openapiOnly(emailRule) }),
    password: Type.String({ description: 'The present password.' }),
  },
  { ...strict, title: 'EmailChange' },
)

export const EmailChanged = Type.Object(
  {
    email: Type.String({ description: 'The address that the account has now.' }),
    status: openEnum(
      ['changed', 'confirmation-sent'],
      'confirmation-sent: it changes once the link mailed to the new address is opened.',
    ),
  },
  { ...strict, title: 'EmailChanged' },
)
