// Ends whatever was issued to an account and to its own clients: grants, codes, access and refresh tokens.
import type { Tx } from '../database/database.ts'
import { deleteConsents } from './oauth/consent-table.ts'
import { listClients } from './oauth/oauth-clients-table.ts'
import { deleteObjectsOfAccount, deleteObjectsOfClient } from './oauth/oauth-objects-table.ts'

const maxClients = 10_000

/**
 * In the transaction of the reason. Applications have to be allowed anew. API keys stay, which read listed photos and
 * nothing else, and so do clients with their secrets, which fetch new tokens.
 */
export async function endTokens(tx: Tx, accountId: number): Promise<void> {
  await deleteConsents(tx, accountId)
  await endIssued(tx, accountId)
}

/** The same, with what was allowed remembered for when the account may act again. */
export async function endIssued(tx: Tx, accountId: number): Promise<void> {
  await deleteObjectsOfAccount(tx, accountId)
  for (const { id } of await listClients(tx, { accountId, limit: maxClients }))
    await deleteObjectsOfClient(tx, id)
}
