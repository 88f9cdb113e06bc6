// The mark of an unfinished migration or restore: a table that exists while one writes into a database.
import { sql } from 'kysely'
import type { Db } from './database.ts'

/** Dropped in the transaction that brings the rows, so there is never half an installation without the mark. */
export const arrivalTable = 'waymark_arrival'

export interface Arrival {
  readonly command: 'move' | 'restore'
  /** What is being brought, and with which photos: a continuation must bring the same. */
  readonly of: string
}

/** @param tables names of the existing tables, if known. */
export async function findArrival(db: Db, tables?: readonly string[]): Promise<Arrival | undefined> {
  const names = tables ?? (await db.introspection.getTables()).map(({ name }) => name)
  if (!names.includes(arrivalTable)) return undefined
  const { rows } = await sql<Arrival>`select command, source as "of" from ${sql.table(arrivalTable)}`.execute(
    db,
  )
  return rows[0]
}

export function beginArrival(db: Db, { command, of }: Arrival): Promise<void> {
  return db.transaction().execute(async (tx) => {
    await sql`create table ${sql.table(arrivalTable)} (command text not null, source text not null)`.execute(
      tx,
    )
    await sql`insert into ${sql.table(arrivalTable)} (command, source) values (${command}, ${of})`.execute(tx)
  })
}

/** In the transaction that brings the rows; it fails where another process has ended the same arrival before. */
export async function endArrival(db: Db): Promise<void> {
  await sql`drop table ${sql.table(arrivalTable)}`.execute(db)
}

/** @throws Error of one sentence if a migration or restore has not finished. */
export function requireArrived(arrival: Arrival | undefined): void {
  if (arrival === undefined) return
  const { command, of } = arrival
  throw Object.assign(
    new Error(
      `A ${command} of ${of} into this database is in progress or was interrupted: run the same "waymark ${command}" again, or choose an empty database.`,
    ),
    { failureCode: 'not-there' },
  )
}
