// SQL of the table pulled: what came from another server, so that a later pull knows what has changed there and here.
import { createHash } from 'node:crypto'
import type { Db, Tx } from './database.ts'
import type { PulledTable } from './schema.ts'

export type PulledKind = PulledTable['kind']

/** What a server says of something, as one short text. */
export const pulledDigest = (values: readonly (string | number)[]): string =>
  createHash('sha256').update(JSON.stringify(values)).digest('hex')

export interface Pulled {
  /** Address of the server that it was last pulled from. Another server's IDs are other things. */
  readonly source: string
  /** What that server last said of it. */
  readonly digest: string
  readonly form: 'original' | null
}

/** What was pulled of those, by id, from whichever server. */
export async function findPulled(
  db: Db,
  kind: PulledKind,
  ids: readonly number[],
): Promise<Map<number, Pulled>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('pulled')
    .select(['id', 'source', 'digest', 'form'])
    .where('kind', '=', kind)
    .where('id', 'in', [...ids])
    .execute()
  return new Map(rows.map(({ id, ...pulled }) => [id, pulled]))
}

/** Every server that anything was pulled from. */
export async function listSources(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('pulled').select('source').distinct().orderBy('source').execute()
  return rows.map(({ source }) => source)
}

export interface PulledNow {
  readonly id: number
  readonly source: string
  readonly digest: string
  /** As it is known already, where it is not given. */
  readonly form?: 'original'
}

/** In the transaction that stores the same. */
export async function notePulled(
  tx: Tx,
  kind: PulledKind,
  { id, source, digest, form }: PulledNow,
): Promise<void> {
  const known = { source, digest, ...(form && { form }) }
  await tx
    .insertInto('pulled')
    .values({ kind, id, ...known })
    .onConflict((conflict) => conflict.columns(['kind', 'id']).doUpdateSet(known))
    .execute()
}
