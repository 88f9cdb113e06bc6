// TypeBox schemas of leaving: what is asked of a deletion, and what it reports (contract, Part D).
import { Type, type Static } from 'typebox'
import { strict, stringEnum, timestamp } from './schema-parts.ts'

const count = (description: string) => Type.Integer({ minimum: 0, description })

export const photosFates = ['delete', 'keep'] as const

const photos = stringEnum(
  photosFates,
  'delete: all photos, for good. keep: those that are listed stay, by a former member; all others are deleted.',
)
const routes = Type.Optional(stringEnum(['delete'], 'Routes are always deleted.'))

export const AccountDeletion = Type.Object({ photos, routes }, { ...strict, title: 'AccountDeletion' })

export const Leaving = Type.Object(
  {
    photos,
    routes,
    password: Type.Optional(
      Type.String({ description: 'The present one; not needed within ten minutes of signing in.' }),
    ),
  },
  { ...strict, title: 'Leaving' },
)

export const LeavingReport = Type.Object(
  {
    acctID: Type.Integer({ minimum: 1 }),
    deletedAt: timestamp(),
    photos,
    photosDeleted: count('Those in the trash included.'),
    photosKept: count('Listed ones, which are by a former member from now on.'),
    contentsRemoved: count('Files that no other account had uploaded, with all their sizes.'),
    bytesRemoved: count('Of those, all sizes counted.'),
    contentsLeft: count('Of those, files that could not be removed at once: the server does within a day.'),
    routesDeleted: count('With their GPX.'),
    zonesDeleted: count('Privacy zones.'),
    sessionsEnded: count('Browsers that were signed in.'),
    passkeysDeleted: count('Passkeys.'),
    keysRevoked: count('API keys.'),
    clientsDeleted: count('The account’s own applications, with all tokens issued to them.'),
    applicationsRevoked: count('Applications that had been allowed something.'),
    webhooksDeleted: count('With what was to be delivered.'),
  },
  { ...strict, title: 'LeavingReport' },
)
export type LeavingReport = Static<typeof LeavingReport>
