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
    trusted: Type.Boolean({ description: 'Whether photos of this account are published without review.' }),
    hasPassword: Type.Boolean(),
    unclaimed: Type.Boolean({
      description:
        'The account was imported from another server and has not been claimed yet. email may be empty.',
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
      Type.Boolean({ description: 'Whether photos of the account are published without review.' }),
    ),
    email: Type.Optional(
      Type.String({ ...openapiOnly(emailRule), description: 'Only for an unclaimed account.' }),
    ),
  },
  { ...strict, title: 'AccountPatch' },
)

export const Link = Type.Object(
  { url: Type.String({ description: 'Works once; it cannot be shown again.' }) },
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
        'Whether its redirect URIs are approved: users are then redirected there even if they have never authorized it.',
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
      Type.Boolean({ description: 'true approves its redirect URIs; false withdraws the approval.' }),
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
      description: 'acctID of the actor; null for the command line and the server.',
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
      description: 'When the next backup is due.',
    }),
    isLate: Type.Boolean({ description: 'Whether a backup has been due for more than three hours.' }),
    last: Type.Union(
      [
        Type.Object(
          {
            at: Type.Unsafe<string>({ type: 'string', format: 'date-time' }),
            seconds: count('Duration in seconds.'),
            bytes: count('Size of the backup.'),
            file: Type.String(),
          },
          strict,
        ),
        Type.Null(),
      ],
      { description: 'The last successful backup.' },
    ),
    failure: Type.Union(
      [
        Type.Object(
          { at: Type.Unsafe<string>({ type: 'string', format: 'date-time' }), message: Type.String() },
          strict,
        ),
        Type.Null(),
      ],
      { description: 'The last failure since the last success.' },
    ),
  },
  strict,
)

export const StorageReport = Type.Object(
  {
    database: Type.Object(
      { bytes: count('Size of the main file.'), walBytes: count('Size of its write-ahead log.') },
      strict,
    ),
    disks: Type.Array(
      Type.Object(
        {
          name: openEnum(['database', 'blobs']),
          freeBytes: Type.Integer(),
          isLow: Type.Boolean({ description: 'Whether less is free than the setting DISK_FREE_WARNING_MB.' }),
        },
        strict,
      ),
      { description: 'Both may be on the same disk; then both have the same free space.' },
    ),
    lowBytes: count('The setting DISK_FREE_WARNING_MB, in bytes; 0 if the warning is off.'),
    images: Type.Unsafe<Readonly<Record<(typeof imageStates)[number], number>>>(
      Type.Object(Object.fromEntries(byState) as Record<string, ReturnType<typeof Type.Integer>>, {
        ...strict,
        description: 'Number of images by state; those in the trash count as deleted.',
      }),
    ),
    originalBytes: count(
      'Size of the photos as uploaded, counted per account; a file uploaded by several accounts is stored once. Smaller sizes are not included.',
    ),
    storedTwice: count(
      'Photos whose original is still stored in addition to size lg, as in versions before 0.3; a background job converts them.',
    ),
    unreadPhotos: count(
      'Photos of older versions whose time, direction and altitude a background job has not read yet.',
    ),
    lastSweepAt: timestampOrNull(
      'When garbage collection last finished; null if not since the start of the server.',
    ),
    backup: Type.Union([BackupReport, Type.Null()], {
      description: 'Scheduled backups; null if BACKUP_SCHEDULE is off.',
    }),
  },
  { ...strict, title: 'StorageReport' },
)
export type StorageReport = Static<typeof StorageReport>
