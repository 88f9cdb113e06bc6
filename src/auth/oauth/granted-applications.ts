// The applications that a user has authorized: lists them, and revokes access so that their tokens stop working at
// once.
import { recordAudit, type AuditActor } from '../../accounts/audit/audit.ts'
import type { Db } from '../../database/database.ts'
import { refuse } from '../../errors.ts'
import { deleteConsent, listConsents, type GrantedApplication } from './consent-table.ts'
import { deleteObjectsOfAccount } from './oauth-objects-table.ts'

export type { GrantedApplication } from './consent-table.ts'

export function createGrantedApplications(db: Db, now: () => number) {
  return {
    list: (accountId: number): Promise<GrantedApplication[]> => listConsents(db, accountId),

    /** @throws refusals `invalid-client-id`, `read-only`. */
    revoke: (accountId: number, clientId: string, by: AuditActor): Promise<void> =>
      db.transaction().execute(async (tx) => {
        const wasAllowed = await deleteConsent(tx, accountId, clientId)
        const objects = await deleteObjectsOfAccount(tx, accountId, clientId)
        if (!wasAllowed && objects === 0) throw refuse('invalid-client-id')
        await recordAudit(tx, {
          at: now(),
          by,
          action: 'consent.revoked',
          accountId,
          detail: { client: clientId },
        })
      }),
  }
}

export type GrantedApplications = ReturnType<typeof createGrantedApplications>
