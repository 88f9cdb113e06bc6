// Rules of one's own applications: how many, and no scope that the role of their owner does not give.
import { scopesOfRole, type AccountActor } from '../auth/guard.ts'
import {
  changeClient,
  registerClient,
  removeClient,
  rotateClientSecret,
  type ClientChange,
  type RegisteredClient,
} from '../auth/oauth/oauth-clients.ts'
import { findClientRow, listClients, type ClientRow } from '../auth/oauth/oauth-clients-table.ts'
import { minRoleOf } from '../auth/roles.ts'
import { isScope } from '../auth/scopes.ts'
import type { Db, Tx } from '../database/database.ts'
import { refuse } from '../errors.ts'
import { inEach } from '../texts/texts.ts'
import { auditActorOf } from '../auth/guard.ts'

export const maxOwnClients = 50
/** The command line may have registered more than that. */
const maxListed = 1_000

export interface OwnClientRequest {
  readonly name: string
  readonly scopes: readonly string[]
  readonly redirectUris: readonly string[]
  readonly isPublic: boolean
}

export interface OwnClientChange {
  readonly name?: string | undefined
  readonly scopes?: readonly string[] | undefined
  readonly redirectUris?: readonly string[] | undefined
}

type Alongside = ((tx: Tx) => Promise<void>) | undefined

/** What is no scope at all is said where scopes are read. @throws refusal `invalid-field`. */
function requireOwnScopes(actor: AccountActor, scopes: readonly string[]): void {
  const own = scopesOfRole(actor.role)
  const other = scopes.filter(isScope).find((scope) => !own.has(scope))
  if (other === undefined) return
  throw refuse('invalid-field', {
    detail: `scopes: ${other} requires the role ${minRoleOf(other)}; yours is ${actor.role}.`,
  })
}

export function createOwnClients(db: Db, now: () => number) {
  const changerOf = (actor: AccountActor, alongside?: Alongside) => ({
    by: auditActorOf(actor),
    now: now(),
    ownerId: actor.accountId,
    mayApprove: actor.role === 'admin',
    alongside,
  })

  async function requireRoom(tx: Tx, accountId: number): Promise<void> {
    const { length } = await listClients(tx, { accountId, limit: maxOwnClients })
    if (length < maxOwnClients) return
    throw refuse('quota-reached', {
      detail: inEach(({ limits }) => limits.applications(maxOwnClients, length)),
    })
  }

  return {
    /** Newest first. */
    list: (accountId: number): Promise<ClientRow[]> => listClients(db, { accountId, limit: maxListed }),

    /** @throws refusal `invalid-client-id`. */
    require: async (accountId: number, clientId: string): Promise<ClientRow> => {
      const row = await findClientRow(db, clientId)
      if (!row || row.accountId !== accountId) throw refuse('invalid-client-id')
      return row
    },

    /** @throws refusals `invalid-field`, `quota-reached`, `already-done`, `read-only`. */
    register: async (
      actor: AccountActor,
      { scopes, ...request }: OwnClientRequest,
      alongside?: Alongside,
    ): Promise<RegisteredClient> => {
      requireOwnScopes(actor, scopes)
      const { accountId } = actor
      return registerClient(db, {
        ...request,
        accountId,
        scope: scopes.join(' '),
        now: now(),
        by: auditActorOf(actor),
        isApproved: actor.role === 'admin',
        alongside: async (tx) => {
          await alongside?.(tx)
          await requireRoom(tx, accountId)
        },
      })
    },

    /** @throws refusals `invalid-client-id`, `invalid-field`, `read-only`. */
    change: async (
      actor: AccountActor,
      clientId: string,
      { scopes, ...change }: OwnClientChange,
    ): Promise<void> => {
      if (scopes) requireOwnScopes(actor, scopes)
      const whole: ClientChange = { ...change, scope: scopes?.join(' ') }
      await changeClient(db, clientId, whole, changerOf(actor))
    },

    /** @returns the new secret. @throws refusals `invalid-client-id`, `invalid-field`, `already-done`, `read-only`. */
    rotateSecret: (actor: AccountActor, clientId: string, alongside?: Alongside): Promise<string> =>
      rotateClientSecret(db, clientId, changerOf(actor, alongside)),

    /** @throws refusals `invalid-client-id`, `read-only`. */
    remove: (actor: AccountActor, clientId: string): Promise<void> =>
      removeClient(db, clientId, changerOf(actor)),
  }
}

export type OwnClients = ReturnType<typeof createOwnClients>
