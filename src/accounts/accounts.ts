// Rules of accounts: valid names and addresses, unique addresses, unguessable ids, imported ids.
import type { Language } from '../shared/languages.ts'
import { countCharacters, replaceForbidden } from '../shared/text/characters.ts'
import { byServer, recordAudit, type AuditActor } from './audit/audit.ts'
import { inTransaction, type Db, type Tx } from '../database/database.ts'
import type { Role } from '../database/schema.ts'
import { drawFree, type System } from '../system.ts'
import { refuse, type DetailIn, type Refusal } from '../errors.ts'
import {
  findAccount,
  findAccountByEmailKey,
  findRole,
  hasAdmin,
  insertAccount,
  listAccountTrails,
  updatePasswordHash,
  type Account,
} from './account-table.ts'
import { textsIn } from '../texts/texts.ts'
import { checkPassword } from './password-rules.ts'

export { findSignIn, findSignInById, type Account, type SignInRow } from './account-table.ts'

const maxNameLength = 256
const maxEmailLength = 254

export interface AccountInput {
  readonly email: string
  readonly displayName: string
  readonly role: Role
  /** The id on an existing site; undefined for a new, unguessable one. */
  readonly id: number | undefined
  readonly password: string | undefined
  /** Whether a link sent to the address was opened. */
  readonly isEmailVerified?: boolean
  /** Of the request that created it. */
  readonly language?: Language | undefined
}

/** Validated input with its hashed password, before the transaction that stores it. */
export interface PreparedAccount extends Omit<AccountInput, 'password'> {
  readonly passwordHash: string | undefined
}

/** The form in which addresses are compared. */
export const emailKeyOf = (email: string): string => email.trim().toLowerCase()

const wrong = (detail: string | DetailIn): Refusal => refuse('invalid-field', { detail })

const withControls: DetailIn = (language) => textsIn(language).details.controls
const hasControls = (text: string): boolean => /\p{Control}/u.test(text) || replaceForbidden(text) !== text

/** Would checkEmail accept it? */
export function isEmail(email: string): boolean {
  try {
    checkEmail(email)
    return true
  } catch {
    return false
  }
}

/** @throws refusal `invalid-field`. */
export function checkEmail(email: string): void {
  if (!/^[^\s@<>"]+@[^\s@<>"]+$/.test(email) || email.length > maxEmailLength)
    throw wrong((language) => textsIn(language).details.email)
  if (hasControls(email)) throw wrong(withControls)
}

/** @throws refusal `invalid-field`. */
export function checkDisplayName(displayName: string): void {
  if (displayName.trim() === '' || countCharacters(displayName) > maxNameLength) {
    throw wrong((language) => textsIn(language).details.name(maxNameLength))
  }
  if (hasControls(displayName)) throw wrong(withControls)
}

/** @throws refusal `invalid-field`. */
function checkAccount({ email, displayName, id }: Omit<AccountInput, 'password'>): void {
  checkEmail(email)
  checkDisplayName(displayName)
  if (id !== undefined && (!Number.isSafeInteger(id) || id < 1)) {
    throw wrong('id must be a whole number from 1 to 9007199254740991.')
  }
}

/** The current rights of an account. */
export interface AccountStatus {
  readonly role: Role
  /** The trails a reviewer is limited to; undefined if there is no limit. */
  readonly trails: ReadonlySet<number> | undefined
}

async function taken(tx: Tx, { email, id }: PreparedAccount): Promise<Refusal | undefined> {
  const known = await findAccountByEmailKey(tx, emailKeyOf(email))
  if (known) return wrong(`An account with this email address already exists: ${known.id}.`)
  return id === undefined ? undefined : wrong(`The account ID ${id} is already in use.`)
}

/**
 * Creates an account in the transaction of what permits it.
 * @returns its id. @throws refusals `invalid-field` if the address or the id is taken, `read-only`.
 */
export async function createAccountIn(
  system: System,
  tx: Tx,
  account: PreparedAccount,
  by: AuditActor,
): Promise<number> {
  const { email, displayName, role, passwordHash, language, isEmailVerified = false } = account
  const at = system.now()
  const row = {
    email,
    displayName,
    role,
    emailKey: emailKeyOf(email),
    passwordHash,
    createdAt: at,
    emailVerifiedAt: isEmailVerified ? at : undefined,
    language,
  }
  const drawId = (): number => account.id ?? system.newId()
  const accountId = await drawFree('account id', drawId, async (id) => {
    const isNew = await insertAccount(tx, { id, ...row })
    const refusal = isNew ? undefined : await taken(tx, account)
    if (refusal) throw refusal
    return isNew
  })
  await recordAudit(tx, { at, by, action: 'account.created', accountId, detail: { role } })
  return accountId
}

export interface AccountsDependencies {
  readonly db: Db
  readonly system: System
  readonly hashPassword: (password: string) => Promise<string>
  /** The name and host of the site, which are not passwords; none if no password is set. */
  readonly siteWords?: () => readonly string[]
}

export function createAccounts({ db, system, hashPassword, siteWords = () => [] }: AccountsDependencies) {
  async function prepare({ password, ...account }: AccountInput): Promise<PreparedAccount> {
    checkAccount(account)
    const { email, displayName } = account
    if (password !== undefined) await checkPassword(password, { email, displayName, siteWords: siteWords() })
    return { ...account, passwordHash: password === undefined ? undefined : await hashPassword(password) }
  }

  async function create(input: AccountInput, by: AuditActor = byServer): Promise<number> {
    const account = await prepare(input)
    return inTransaction(db, (tx) => createAccountIn(system, tx, account, by))
  }

  return {
    /** @returns the account's id. @throws refusal `invalid-field`, also if the address or the id is taken. */
    create,

    /** Validates the input and hashes the password, which takes long. @throws refusal `invalid-field`. */
    prepare,

    /** @returns the account's id. @throws refusals `invalid-field` if the address or the id is taken, `read-only`. */
    createIn: (tx: Tx, account: PreparedAccount, by: AuditActor): Promise<number> =>
      createAccountIn(system, tx, account, by),

    /** @throws refusal `invalid-account-id`. */
    require: async (id: number | undefined): Promise<Account> => {
      const account = id === undefined ? undefined : await findAccount(db, id)
      if (!account) throw refuse('invalid-account-id')
      return account
    },

    /** @throws refusals `invalid-field`, `invalid-account-id`. */
    setPassword: async (id: number, password: string, by: AuditActor = byServer): Promise<void> => {
      const account = await findAccount(db, id)
      if (!account) throw refuse('invalid-account-id')
      const { email, displayName } = account
      await checkPassword(password, { email, displayName, siteWords: siteWords() })
      const passwordHash = await hashPassword(password)
      await inTransaction(db, async (tx) => {
        if (!(await updatePasswordHash(tx, id, passwordHash))) throw refuse('invalid-account-id')
        await recordAudit(tx, { at: system.now(), by, action: 'password.set', accountId: id })
      })
    },

    /**
     * The account's current rights, or undefined if it is deleted or suspended.
     * @param known its role, if that was just read together with the credential.
     */
    accountStatusOf: async (id: number, known?: Role): Promise<AccountStatus | undefined> => {
      const role = known ?? (await findRole(db, id))
      if (role !== 'reviewer') return role && { role, trails: undefined }
      const trails = await listAccountTrails(db, id)
      return { role, trails: trails.length === 0 ? undefined : new Set(trails) }
    },

    /** Creates the first admin if there is none yet (contract D6). Returns whether it did. */
    ensureAdmin: async (email: string, readPassword: () => Promise<string>): Promise<boolean> => {
      if (await hasAdmin(db)) return false
      const password = await readPassword()
      await create({ email, displayName: 'Administrator', role: 'admin', id: undefined, password })
      return true
    },
  }
}

export type Accounts = ReturnType<typeof createAccounts>
