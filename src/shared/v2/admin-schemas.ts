// TypeBox schemas of the v2 endpoints for admins (contract, Part D): they give types, judge bodies and document.
import { Type, type Static } from 'typebox'
import { imageStates } from '../image-states.ts'
import { redirectUri, roleName, scopeWord } from './account-schemas.ts'
import { openEnum, pageOf, strict, timestamp, timestampOrNull } from './schema-parts.ts'
import { displayNameRule, emailRule, openapiOnly, visibleNameRule } from './openapi-rules.ts'

const id = Type.Integer({ minimum: 1 })

export const AdminAccount = Type.Object(
  {
    acctID: id,
    displayName: Type.String(),
    email: Type.String(),
    emailVerified: Type.Boolean(),
    role: roleName,
    trails: Type.Unsafe<readonly number[] | null>({
      type: ['array', 'null'],
      items: { type: 'integer' },
      description: 'The trails a reviewer is limited to; null for no limit.',
    }),
    suspended: Type.Boolean(),
    trusted: Type.Boolean({ description: 'Photos of this account are listed without review.' }),
    hasPassword: Type.Boolean(),
    unclaimed: Type.Boolean({
      description: 'It came from another server, and nobody has claimed it yet. email may be empty.',
    }),
    createdAt: timestamp(),
  },
  { ...strict, title: 'AdminAccount' },
)
export type AdminAccountDocument = Static<typeof AdminAccount>
export const AdminAccountSet = pageOf(AdminAccount, 'AdminAccountSet')

export const NewAccount = Type.Object(
  {
    email: Type.String(openapiOnly(emailRule)),
    displayName: Type.String(openapiOnly(displayNameRule)),
    role: Type.Optional(roleName),
    acctID: Type.Optional(id),
  },
  { ...strict, title: 'NewAccount' },
)

export const AccountPatch = Type.Object(
  {
    role: Type.Optional(roleName),
    trails: Type.Optional(
      Type.Unsafe<readonly number[] | null>({
        anyOf: [{ type: 'null' }, { type: 'array', items: { type: 'integer', minimum: 1 } }],
      }),
    ),
    suspended: Type.Optional(Type.Boolean()),
    trusted: Type.Optional(
      Type.Boolean({ description: 'Whether photos of the account are listed without review.' }),
    ),
    email: Type.Optional(
      Type.String({ ...openapiOnly(emailRule), description: 'Only for an account that is unclaimed.' }),
    ),
  },
  { ...strict, title: 'AccountPatch' },
)

export const Link = Type.Object(
  { url: Type.String({ description: 'Works once; it cannot be had again.' }) },
  { ...strict, title: 'Link' },
)

export const NewInvitation = Type.Object(
  { email: Type.String(openapiOnly(emailRule)), role: Type.Optional(roleName) },
  { ...strict, title: 'NewInvitation' },
)
const invitation = {
  id: Type.String(),
  email: Type.String(),
  role: roleName,
  expiresAt: timestamp(),
}
export const MadeInvitation = Type.Object(
  { ...invitation, url: Type.String() },
  { ...strict, title: 'MadeInvitation' },
)
export const Invitation = Type.Object(
  { ...invitation, createdAt: timestamp() },
  { ...strict, title: 'Invitation' },
)
export const InvitationSet = pageOf(Invitation, 'InvitationSet')

export const AdminClient = Type.Object(
  {
    clientId: Type.String(),
    name: Type.String(),
    acctID: id,
    publisher: Type.String(),
    scopes: Type.Array(Type.String()),
    redirectUris: Type.Array(Type.String()),
    isPublic: Type.Boolean(),
    isApproved: Type.Boolean({
      description:
        'Whether its redirect addresses are approved: even people who have not allowed it anything are sent there.',
    }),
    createdAt: timestamp(),
  },
  { ...strict, title: 'AdminClient' },
)
export const AdminClientSet = pageOf(AdminClient, 'AdminClientSet')

export const NewAdminClient = Type.Object(
  {
    acctID: id,
    name: Type.String(openapiOnly(visibleNameRule)),
    scopes: Type.Array(scopeWord, { minItems: 1 }),
    redirectUris: Type.Optional(Type.Array(redirectUri, { maxItems: 20 })),
    isPublic: Type.Optional(Type.Boolean()),
  },
  { ...strict, title: 'NewAdminClient' },
)
export const MadeClient = Type.Object(
  { clientId: Type.String(), clientSecret: Type.Optional(Type.String()) },
  { ...strict, title: 'MadeClient' },
)
export const ClientPatch = Type.Object(
  {
    name: Type.Optional(Type.String(openapiOnly(visibleNameRule))),
    scopes: Type.Optional(Type.Array(scopeWord, { minItems: 1 })),
    redirectUris: Type.Optional(Type.Array(redirectUri, { maxItems: 20 })),
    isApproved: Type.Optional(
      Type.Boolean({ description: 'Approves its redirect addresses, or withdraws that.' }),
    ),
  },
  { ...strict, title: 'ClientPatch' },
)
export const ClientSecret = Type.Object({ clientSecret: Type.String() }, { ...strict, title: 'ClientSecret' })

export const Setting = Type.Object(
  {
    variable: Type.String(),
    value: Type.String(),
    isDefault: Type.Boolean(),
    help: Type.String(),
  },
  { ...strict, title: 'Setting' },
)
export const SettingSet = pageOf(Setting, 'SettingSet')

export const AuditEntry = Type.Object(
  {
    position: id,
    at: timestamp(),
    actor: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'acctID of who did it; null for the command line and the server.',
    }),
    via: Type.String(),
    action: Type.String(),
    acctID: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
    detail: Type.Unsafe<Record<string, unknown>>({ type: 'object' }),
  },
  { ...strict, title: 'AuditEntry' },
)
export const AuditSet = pageOf(AuditEntry, 'AuditSet')

const count = (description: string) => Type.Integer({ minimum: 0, description })
const byState = imageStates.map((state) => [state, Type.Integer({ minimum: 0 })])

const BackupReport = Type.Object(
  {
    dueAt: Type.Unsafe<string>({
      type: 'string',
      format: 'date-time',
      description: 'When the next one is due.',
    }),
    isLate: Type.Boolean({ description: 'It has been due for more than three hours.' }),
    last: Type.Union(
      [
        Type.Object(
          {
            at: Type.Unsafe<string>({ type: 'string', format: 'date-time' }),
            seconds: count('How long it took.'),
            bytes: count('Its size.'),
            file: Type.String(),
          },
          strict,
        ),
        Type.Null(),
      ],
      { description: 'The last successful one.' },
    ),
    failure: Type.Union(
      [
        Type.Object(
          { at: Type.Unsafe<string>({ type: 'string', format: 'date-time' }), message: Type.String() },
          strict,
        ),
        Type.Null(),
      ],
      { description: 'The last failure since then.' },
    ),
  },
  strict,
)

export const StorageReport = Type.Object(
  {
    database: Type.Object(
      { bytes: count('Of the main file.'), walBytes: count('Of its write-ahead log.') },
      strict,
    ),
    disks: Type.Array(
      Type.Object(
        {
          name: openEnum(['database', 'blobs']),
          freeBytes: Type.Integer(),
          isLow: Type.Boolean({ description: 'Less than the setting DISK_FREE_WARNING_MB.' }),
        },
        strict,
      ),
      { description: 'Both may be on one disk, and then have the same room.' },
    ),
    lowBytes: count('The setting DISK_FREE_WARNING_MB; 0 where nothing is ever low.'),
    images: Type.Unsafe<Readonly<Record<(typeof imageStates)[number], number>>>(
      Type.Object(Object.fromEntries(byState) as Record<string, ReturnType<typeof Type.Integer>>, {
        ...strict,
        description: 'By state; those in the trash are deleted.',
      }),
    ),
    originalBytes: count(
      'Of the photos as they were sent, counted for each account; what several sent is stored once. Their smaller sizes come on top.',
    ),
    storedTwice: count(
      'Photos whose original is still stored beside size lg, as versions before 0.3 did; a background job converts them.',
    ),
    unreadPhotos: count(
      'Photos of older versions whose files a background job still has to read for time, direction and altitude.',
    ),
    lastSweepAt: timestampOrNull(
      'When what nothing refers to was last deleted; null for not since the start.',
    ),
    backup: Type.Union([BackupReport, Type.Null()], {
      description: 'Scheduled backups; null where BACKUP_SCHEDULE is off.',
    }),
  },
  { ...strict, title: 'StorageReport' },
)
export type StorageReport = Static<typeof StorageReport>
