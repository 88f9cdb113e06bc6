// SQL of the table pulled: what came from another server, so that a later pull knows what has changed there and here.
import { createHash } from 'node:crypto'
import type { Db, Tx } from './database.ts'
import type { PulledTable } from './schema.ts'

export type PulledKind = PulledTable['kind']

/** What a server says of something, as one short text. */
export const pulledDigest = (said: readonly (string | number)[]): string =>
  createHash('sha256').update(JSON.stringify(said)).digest('hex')

/** What this server last said of those that were pulled from it, by id. Another server's IDs are other things. */
export async function findPulled(
  db: Db,
  kind: PulledKind,
  source: string,
  ids: readonly number[],
): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('pulled')
    .select(['id', 'digest'])
    .where('kind', '=', kind)
    .where('id', 'in', [...ids])
    .where('source', '=', source)
    .execute()
  return new Map(rows.map(({ id, digest }) => [id, digest]))
}

/** In the transaction that stores the same. */
export async function notePulled(
  tx: Tx,
  kind: PulledKind,
  { id, source, digest }: { readonly id: number; readonly source: string; readonly digest: string },
): Promise<void> {
  await tx
    .insertInto('pulled')
    .values({ kind, id, source, digest })
    .onConflict((conflict) => conflict.columns(['kind', 'id']).doUpdateSet({ source, digest }))
    .execute()
}
