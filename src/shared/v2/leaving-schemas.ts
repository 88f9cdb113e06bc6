// TypeBox schemas of leaving: what is asked of a deletion, and what it reports (contract, Part D).
import { Type, type Static } from 'typebox'
import { strict, stringEnum, timestamp } from './schema-parts.ts'

const count = (description: string) => Type.Integer({ minimum: 0, description })

export const photosFates = ['delete', 'keep'] as const

const photos = stringEnum(
  photosFates,
  'delete: all photos are permanently deleted. keep: published photos stay, credited to a former member; all others are deleted.',
)
const routes = Type.Optional(stringEnum(['delete'], 'Routes are always deleted.'))

export const AccountDeletion = Type.Object({ photos, routes }, { ...strict, title: 'AccountDeletion' })

export const Leaving = Type.Object(
  {
    photos,
    routes,
    password: Type.Optional(
      Type.String({ description: 'The current password; not needed within ten minutes of signing in.' }),
    ),
  },
  { ...strict, title: 'Leaving' },
)

export const LeavingReport = Type.Object(
  {
    acctID: Type.Integer({ minimum: 1 }),
    deletedAt: timestamp(),
    photos,
    photosDeleted: count('Including photos in the trash.'),
    photosKept: count('Published photos, now credited to a former member.'),
    contentsRemoved: count('Files that no other account had uploaded, in all sizes.'),
    bytesRemoved: count('Bytes of these files, in all sizes.'),
    contentsLeft: count('Files that could not be removed immediately; the server removes them within a day.'),
    routesDeleted: count('Routes, with their GPX.'),
    zonesDeleted: count('Privacy zones.'),
    sessionsEnded: count('Signed-in browsers.'),
    passkeysDeleted: count('Passkeys.'),
    keysRevoked: count('API keys.'),
    clientsDeleted: count('The account’s own applications, with all tokens issued to them.'),
    applicationsRevoked: count('Applications that had been authorized.'),
    webhooksDeleted: count('Webhooks, with their pending deliveries.'),
  },
  { ...strict, title: 'LeavingReport' },
)
export type LeavingReport = Static<typeof LeavingReport>
