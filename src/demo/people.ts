// The invented people of the demo: their roles, cameras and accounts.
import { findAccountByEmailKey } from '../accounts/account-table.ts'
import type { Accounts } from '../accounts/accounts.ts'
import type { AccountActor } from '../auth/guard.ts'
import { scopes } from '../auth/scopes.ts'
import type { Db } from '../database/database.ts'
import type { Role } from '../database/schema.ts'
import type { PersonName } from './demo-trail.ts'

export interface DemoPerson {
  readonly displayName: string
  readonly role: Role
  readonly email: string
  readonly camera: { readonly model: string; readonly serialNumber: string }
}

export const people: Readonly<Record<PersonName, DemoPerson>> = {
  admin: {
    displayName: 'Rowan (trail office)',
    role: 'admin',
    email: 'admin@trails.example',
    camera: { model: 'Office 1', serialNumber: 'WM-0001' },
  },
  reviewer: {
    displayName: 'Juniper',
    role: 'reviewer',
    email: 'reviewer@trails.example',
    camera: { model: 'Pocket 20', serialNumber: 'WM-2044' },
  },
  ida: {
    displayName: 'Ida F.',
    role: 'member',
    email: 'ida@trails.example',
    camera: { model: 'Reflex 850', serialNumber: 'WM-8500931' },
  },
  tomas: {
    displayName: 'Tomás R.',
    role: 'member',
    email: 'tomas@trails.example',
    camera: { model: 'Phone X', serialNumber: 'WM-77123' },
  },
  boots: {
    displayName: 'Old Boots',
    role: 'member',
    email: 'boots@trails.example',
    camera: { model: 'Compact Zoom', serialNumber: 'WM-19' },
  },
}

export const personNames = Object.keys(people) as PersonName[]

export type AccountIds = Readonly<Record<PersonName, number>>

/** Creates missing accounts; without passwords, so that nobody can sign in to an incomplete demo. */
export async function ensureAccounts(db: Db, accounts: Accounts): Promise<AccountIds> {
  const found: [PersonName, number][] = []
  for (const name of personNames) {
    const { email, displayName, role } = people[name]
    const known = await findAccountByEmailKey(db, email)
    const account = { email, displayName, role, id: undefined, password: undefined }
    found.push([name, known?.id ?? (await accounts.create(account))])
  }
  return Object.fromEntries(found) as AccountIds
}

/** The actor for calls of services. */
export function actorOf(name: PersonName, ids: AccountIds): AccountActor {
  return {
    kind: 'account',
    accountId: ids[name],
    role: people[name].role,
    scopes: new Set(scopes),
    via: 'client',
  }
}
