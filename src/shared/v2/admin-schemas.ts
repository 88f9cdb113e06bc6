// TypeBox schemas of the v2 endpoints for admins (contract, Part D): they give types, judge bodies and document.
import { Type, type Static } from 'typebox'
import { imageStates } from '../image-states.ts'

const role = Type.Unsafe<'member' | 'reviewer' | 'admin'>({
  type: 'string',
  enum: ['member', 'reviewer', 'admin'],
})
const moment = Type.String({ format: 'date-time' })
const id = Type.Integer({ minimum: 1 })
const strict = { additionalProperties: false }
const setOf = <Item extends ReturnType<typeof Type.Object>>(item: Item) =>
  Type.Object(
    { items: Type.Array(item), next: Type.Unsafe<string | null>({ type: ['string', 'null'] }) },
    strict,
  )

export const AdminAccount = Type.Object(
  {
    acctID: id,
    displayName: Type.String(),
    email: Type.String(),
    emailVerified: Type.Boolean(),
    role,
    trails: Type.Unsafe<readonly number[] | null>({
      type: ['array', 'null'],
      items: { type: 'integer' },
      description: 'The trails a reviewer is limited to; null for no limit.',
    }),
    suspended: Type.Boolean(),
    trusted: Type.Boolean({ description: 'Photos of this account are listed without review.' }),
    hasPassword: Type.Boolean(),
    createdAt: moment,
  },
  strict,
)
export type AdminAccountDocument = Static<typeof AdminAccount>
export const AdminAccountSet = setOf(AdminAccount)

export const NewAccount = Type.Object(
  {
    email: Type.String(),
    displayName: Type.String(),
    role: Type.Optional(role),
    acctID: Type.Optional(id),
  },
  strict,
)

export const AccountPatch = Type.Object(
  {
    role: Type.Optional(role),
    trails: Type.Optional(
      Type.Unsafe<readonly number[] | null>({
        anyOf: [{ type: 'null' }, { type: 'array', items: { type: 'integer', minimum: 1 } }],
      }),
    ),
    suspended: Type.Optional(Type.Boolean()),
    trusted: Type.Optional(
      Type.Boolean({ description: 'Whether photos of the account are listed without review.' }),
    ),
  },
  strict,
)

export const Link = Type.Object(
  { url: Type.String({ description: 'Works once; it cannot be had again.' }) },
  strict,
)

export const NewInvitation = Type.Object({ email: Type.String(), role: Type.Optional(role) }, strict)
const invitation = {
  id: Type.String(),
  email: Type.String(),
  role,
  expiresAt: moment,
}
export const MadeInvitation = Type.Object({ ...invitation, url: Type.String() }, strict)
export const Invitation = Type.Object({ ...invitation, createdAt: moment }, strict)
export const InvitationSet = setOf(Invitation)

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
    createdAt: moment,
  },
  strict,
)
export const AdminClientSet = setOf(AdminClient)

export const NewAdminClient = Type.Object(
  {
    acctID: id,
    name: Type.String(),
    scopes: Type.Array(Type.String()),
    redirectUris: Type.Optional(Type.Array(Type.String())),
    isPublic: Type.Optional(Type.Boolean()),
  },
  strict,
)
export const MadeClient = Type.Object(
  { clientId: Type.String(), clientSecret: Type.Optional(Type.String()) },
  strict,
)
export const ClientPatch = Type.Object(
  {
    name: Type.Optional(Type.String()),
    scopes: Type.Optional(Type.Array(Type.String())),
    redirectUris: Type.Optional(Type.Array(Type.String())),
    isApproved: Type.Optional(
      Type.Boolean({ description: 'Approves its redirect addresses, or withdraws that.' }),
    ),
  },
  strict,
)
export const ClientSecret = Type.Object({ clientSecret: Type.String() }, strict)

export const Setting = Type.Object(
  {
    variable: Type.String(),
    value: Type.String(),
    isDefault: Type.Boolean(),
    help: Type.String(),
  },
  strict,
)
export const SettingSet = setOf(Setting)

export const AuditEntry = Type.Object(
  {
    position: id,
    at: moment,
    actor: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'acctID of who did it; null for the command line and the server.',
    }),
    via: Type.String(),
    action: Type.String(),
    acctID: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
    detail: Type.Unsafe<Record<string, unknown>>({ type: 'object' }),
  },
  strict,
)
export const AuditSet = setOf(AuditEntry)

const count = (description: string) => Type.Integer({ minimum: 0, description })
const byState = imageStates.map((state) => [state, Type.Integer({ minimum: 0 })])

export const StorageReport = Type.Object(
  {
    database: Type.Object(
      { bytes: count('Of the main file.'), walBytes: count('Of its write-ahead log.') },
      strict,
    ),
    disks: Type.Array(
      Type.Object(
        {
          name: Type.Unsafe<'database' | 'blobs'>({ type: 'string', enum: ['database', 'blobs'] }),
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
    lastSweepAt: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'date-time',
      description: 'When what nothing refers to was last deleted; null for not since the start.',
    }),
  },
  { ...strict, title: 'StorageReport' },
)
export type StorageReport = Static<typeof StorageReport>
