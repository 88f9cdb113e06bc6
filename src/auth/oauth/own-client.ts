// The client of Waymark's own command line: users sign in with it by device code (waymark login), at any installation.
import { byServer, recordAudit } from '../../accounts/audit/audit.ts'
import { inTransaction, type Db } from '../../database/database.ts'
import { Refusal } from '../../errors.ts'
import { findClientRow, insertClient, oldestAdmin } from './oauth-clients-table.ts'
import { scopes, type Scope } from '../scopes.ts'

/**
 * The same id everywhere, so that the command line needs no registration. The client is public: its id is not secret
 * and proves nothing.
 */
export const ownClientId = 'waymark-cli'

/** The scopes that `waymark login` requests: those its commands need; none of them changes trails on a server. */
export const ownClientScopes: readonly Scope[] = scopes.filter((scope) => scope !== 'trails:write')

/**
 * Creates the client at the first sign-in that names it. It belongs to the oldest admin, who is responsible for the
 * installation; if there is no admin yet, or the installation is read-only, there is no client either.
 */
export async function ensureOwnClient(db: Db, now: number): Promise<void> {
  if (await findClientRow(db, ownClientId)) return
  await inTransaction(db, async (tx) => {
    const accountId = await oldestAdmin(tx)
    if (accountId === undefined || (await findClientRow(tx, ownClientId))) return
    const name = 'Waymark command line'
    const scope = ownClientScopes.join(' ')
    await insertClient(tx, {
      id: ownClientId,
      accountId,
      name,
      secretHash: null,
      scope,
      redirectUris: '[]',
      createdAt: now,
      approvedAt: now,
    })
    const detail = { client: ownClientId, name, scope, redirectUris: [], isPublic: true }
    await recordAudit(tx, { at: now, by: byServer, action: 'client.created', accountId, detail })
  }).catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error // read-only: then nobody can sign in anyway
  })
}
