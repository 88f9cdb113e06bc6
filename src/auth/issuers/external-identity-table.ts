// SQL of the table external_identity: the account of each linked subject of a trusted issuer.
import type { Db, Tx } from '../../database/database.ts'

export interface ExternalIdentity {
  readonly issuer: string
  readonly subject: string
}

export async function findLinkedAccount(
  db: Db,
  { issuer, subject }: ExternalIdentity,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('external_identity')
    .select('account_id as accountId')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst()
  return row?.accountId
}

/** Returns false if the subject is already linked. */
export async function insertLink(
  tx: Tx,
  { issuer, subject }: ExternalIdentity,
  accountId: number,
  createdAt: number,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await tx
    .insertInto('external_identity')
    .values({ issuer, subject, account_id: accountId, created_at: createdAt })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}

/** @returns the account it was linked to. */
export async function deleteLink(tx: Tx, { issuer, subject }: ExternalIdentity): Promise<number | undefined> {
  const row = await tx
    .deleteFrom('external_identity')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .returning('account_id as accountId')
    .executeTakeFirst()
  return row?.accountId
}
