// Rules of accounts: what a name and an address may be, unique addresses, unguessable ids, imported ids kept.
import { countCharacters, replaceForbidden } from '../contract/characters.ts'
import type { Db } from '../database/database.ts'
import type { Role } from '../database/schema.ts'
import { refuse } from '../errors.ts'
import type { System } from '../system.ts'
import {
  findAccount,
  findAccountByEmailKey,
  findRole,
  hasAdmin,
  insertAccount,
  updatePasswordHash,
  type Account,
} from './account-table.ts'

export type { Account } from './account-table.ts'

const longestName = 256
const longestEmail = 254
const shortestPassword = 8
const longestPassword = 1_024
const attempts = 5

export interface AccountInput {
  readonly email: string
  readonly displayName: string
  readonly role: Role
  /** An existing site's id, kept; undefined for a new, unguessable one. */
  readonly id: number | undefined
  readonly password: string | undefined
}

/** @throws refusal `invalid-field`. */
function checkPassword(password: string): void {
  if (password.length >= shortestPassword && password.length <= longestPassword) return
  throw refuse('invalid-field', {
    detail: `password must have ${shortestPassword} to ${longestPassword} characters.`,
  })
}

/** @throws refusal `invalid-field`. */
function checkAccount({ email, displayName, id, password }: AccountInput): void {
  const wrong = (detail: string) => refuse('invalid-field', { detail })
  if (!/^[^\s@<>"]+@[^\s@<>"]+$/.test(email) || email.length > longestEmail)
    throw wrong('email must be an e-mail address.')
  if (displayName.trim() === '' || countCharacters(displayName) > longestName) {
    throw wrong(`name must have 1 to ${longestName} characters.`)
  }
  if (/\p{Control}/u.test(displayName) || replaceForbidden(displayName + email) !== displayName + email) {
    throw wrong('name and email must not hold control characters.')
  }
  if (id !== undefined && (!Number.isSafeInteger(id) || id < 1)) {
    throw wrong('id must be a whole number from 1 to 9007199254740991.')
  }
  if (password !== undefined) checkPassword(password)
}

export interface AccountsDependencies {
  readonly db: Db
  readonly system: System
  readonly hashPassword: (password: string) => Promise<string>
}

export function createAccounts({ db, system, hashPassword }: AccountsDependencies) {
  async function create(input: AccountInput): Promise<number> {
    checkAccount(input)
    const emailKey = input.email.toLowerCase()
    const passwordHash = input.password === undefined ? undefined : await hashPassword(input.password)
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const id = input.id ?? system.newId()
      const { email, displayName, role } = input
      const isNew = await insertAccount(db, {
        id,
        email,
        displayName,
        role,
        emailKey,
        passwordHash,
        createdAt: system.now(),
      })
      if (isNew) return id
      const known = await findAccountByEmailKey(db, emailKey)
      if (known) {
        throw refuse('invalid-field', {
          detail: `An account with this e-mail address exists already: ${known.id}.`,
        })
      }
      if (input.id !== undefined) throw refuse('invalid-field', { detail: `The account id ${id} is taken.` })
    }
    throw new Error(`no free account id in ${attempts} attempts`)
  }

  return {
    /** @returns the account's id. @throws refusal `invalid-field`, also where the address or the id is taken. */
    create,

    /** @throws refusal `invalid-account-id`. */
    require: async (id: number | undefined): Promise<Account> => {
      const account = id === undefined ? undefined : await findAccount(db, id)
      if (!account) throw refuse('invalid-account-id')
      return account
    },

    /** @throws refusals `invalid-field`, `invalid-account-id`. */
    setPassword: async (id: number, password: string): Promise<void> => {
      checkPassword(password)
      if (!(await updatePasswordHash(db, id, await hashPassword(password))))
        throw refuse('invalid-account-id')
    },

    /** The role at this moment, or undefined where the account is gone. */
    roleOf: (id: number): Promise<Role | undefined> => findRole(db, id),

    /** Makes the first admin where there is none yet (contract D6). Says whether it did. */
    ensureAdmin: async (email: string, readPassword: () => Promise<string>): Promise<boolean> => {
      if (await hasAdmin(db)) return false
      const password = await readPassword()
      await create({ email, displayName: 'Administrator', role: 'admin', id: undefined, password })
      return true
    },
  }
}

export type Accounts = ReturnType<typeof createAccounts>
