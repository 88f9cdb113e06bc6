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
  description: 'Scopes that the application may request, limited to those that the role of its owner allows.',
})
const wantedRedirectUris = Type.Array(redirectUri, {
  maxItems: 20,
  description: 'Redirect URIs: https, or http on a loopback host. They must match exactly.',
})
const visibleName = Type.String({
  description: '1 to 200 characters, without invisible ones.',
  ...openapiOnly(visibleNameRule),
})

const mails = stringEnum(
  ['on', 'off'],
  'Emails about one’s own photos and, for staff, about photos pending review.',
)

export const roleName = openEnum(['member', 'reviewer', 'admin'], undefined, 'Role')

const language = Type.Unsafe<Language | null>({
  type: ['string', 'null'],
  enum: [...languages, null],
  description:
    'Language of emails to the account; null if none was chosen. More values may be added; accept those you do not know.',
  'x-open-enum': true,
})

export const Me = Type.Object(
  {
    acctID: Type.Integer({ minimum: 1 }),
    displayName: Type.String(),
    email: Type.String(),
    emailVerified: Type.Boolean({
      description: 'Whether the address was confirmed by opening a link sent to it.',
    }),
    hasPassword: Type.Boolean({
      description: 'False if the user signs in only with a passkey or through another site.',
    }),
    role: roleName,
    passkeyRequired: Type.Optional(
      Type.Literal(true, {
        description:
          'Present if this session may only add a passkey: reviewers and admins need one on this site (STAFF_SIGN_IN), and `role` is member until they sign in with it.',
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
    scopes: Type.Array(Type.String(), { description: 'Scopes of the credential of this request.' }),
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
    prefix: Type.String({ description: 'The first characters of the key, which identify it.' }),
    name: Type.String(),
    status: openEnum(['live', 'expired', 'revoked']),
    createdAt: timestamp(),
    expiresAt: timestampOrNull('Null if the key does not expire.'),
    lastUsedAt: timestampOrNull('Accurate to the minute; null if never used.'),
    revokedAt: timestampOrNull(
      'When it was revoked; for a key replaced with an overlap, when it stops working.',
    ),
  },
  { ...strict, title: 'ApiKey' },
)
export type ApiKey = Static<typeof ApiKey>
export const ApiKeySet = wholeSetOf(ApiKey, 'ApiKeySet')

export const NewApiKey = Type.Object(
  {
    name: visibleName,
    expiresAt: Type.Optional(
      timestampOrNull('In the future; null or omitted for a key that does not expire.'),
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
        description: 'How long the old key keeps working.',
      }),
    ),
  },
  { ...strict, title: 'ApiKeyRotation' },
)

export const MadeApiKey = Type.Object(
  {
    apiKey: Type.String({ description: 'The key itself; shown only once.' }),
    prefix: Type.String(),
    name: Type.String(),
    createdAt: timestamp(),
    expiresAt: timestampOrNull('Null if the key does not expire.'),
  },
  { ...strict, title: 'MadeApiKey' },
)
export type MadeApiKey = Static<typeof MadeApiKey>

export const Session = Type.Object(
  {
    id: Type.String(),
    browser: Type.String({ description: 'The user agent of the browser.' }),
    isCurrent: Type.Boolean({ description: 'Whether this request uses this session.' }),
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
    publisher: Type.String({ description: 'Display name of the account that owns it.' }),
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
  isPublic: Type.Boolean({ description: 'Public applications have no secret.' }),
  isApproved: Type.Boolean({
    description: 'Whether an admin has approved its redirect URIs. Adding a redirect URI ends the approval.',
  }),
  createdAt: timestamp(),
}

export const OwnClient = Type.Object(ownClient, { ...strict, title: 'OwnClient' })
export type OwnClient = Static<typeof OwnClient>
export const OwnClientSet = wholeSetOf(OwnClient, 'OwnClientSet')

export const MadeOwnClient = Type.Object(
  {
    ...ownClient,
    clientSecret: Type.Optional(
      Type.String({ description: 'Only for confidential applications; shown only once.' }),
    ),
  },
  { ...strict, title: 'MadeOwnClient' },
)

export const NewOwnClient = Type.Object(
  {
    name: visibleName,
    scopes: wantedScopes,
    redirectUris: Type.Optional(wantedRedirectUris),
    isPublic: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'For applications in a browser, on a phone or in a terminal.',
      }),
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
  { clientSecret: Type.String({ description: 'The new secret; shown only once.' }) },
  { ...strict, title: 'OwnClientSecret' },
)

export const PasswordChange = Type.Object(
  {
    current: Type.String({ description: 'The current password.' }),
    password: Type.String({
      description: 'The new password: 8 to 1,024 characters.',
      ...openapiOnly(passwordRule),
    }),
  },
  { ...strict, title: 'PasswordChange' },
)

export const EmailChange = Type.Object(
  {
    email: Type.String({ description: 'The new address.', ...openapiOnly(emailRule) }),
    password: Type.String({ description: 'The current password.' }),
  },
  { ...strict, title: 'EmailChange' },
)

export const EmailChanged = Type.Object(
  {
    email: Type.String({ description: 'The current address of the account.' }),
    status: openEnum(
      ['changed', 'confirmation-sent'],
      'confirmation-sent: the address changes once the link sent to the new address is opened.',
    ),
  },
  { ...strict, title: 'EmailChanged' },
)
