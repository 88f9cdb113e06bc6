// Revokes everything issued to an account and its clients: grants, codes, access and refresh tokens.
import type { Tx } from '../database/database.ts'
import { deleteConsents } from './oauth/consent-table.ts'
import { listClients } from './oauth/oauth-clients-table.ts'
import { deleteObjectsOfAccount, deleteObjectsOfClient } from './oauth/oauth-objects-table.ts'

const maxClients = 10_000

/**
 * Call it in the transaction of the reason. Applications must be authorized again. API keys stay, as they only read
 * listed photos; so do clients and their secrets, which can fetch new tokens.
 */
export async function endTokens(tx: Tx, accountId: number): Promise<void> {
  await deleteConsents(tx, accountId)
  await endIssued(tx, accountId)
}

/** The same, but consents are kept for when the account is active again. */
export async function endIssued(tx: Tx, accountId: number): Promise<void> {
  await deleteObjectsOfAccount(tx, accountId)
  for (const { id } of await listClients(tx, { accountId, limit: maxClients }))
    await deleteObjectsOfClient(tx, id)
}
