// The sign that what a database is to hold has not come yet: a table that is there while a move or a restore works on it.
import { sql } from 'kysely'
import type { Db } from './database.ts'

/** Dropped in the transaction that brings the rows, so there is never half of an installation without the sign. */
export const arrivalTable = 'waymark_arrival'

export interface Arrival {
  readonly command: 'move' | 'restore'
  /** What comes, and with which photos: whoever goes on with it must bring the same. */
  readonly of: string
}

/** @param tables names of those that are there, where they are known. */
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

/** @throws Error of one sentence where a move or a restore has not ended. */
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
