// Named notes of an installation about itself, as text.
import type { Db } from './database.ts'

export type FactName = 'backup' | 'backup-id' | 'secret-fingerprint'

const table = 'installation_fact'

/** A database of a version before 0.3 has no such table; a command that changes nothing may meet one. */
async function isMissing(db: Db): Promise<boolean> {
  const tables = await db.introspection.getTables()
  return !tables.some(({ name }) => name === table)
}

/** Not inside a transaction, which a table that is missing would end. */
export async function findFact(db: Db, fact: FactName): Promise<string | undefined> {
  try {
    const row = await db.selectFrom(table).select('value').where('name', '=', fact).executeTakeFirst()
    return row?.value
  } catch (error) {
    if (await isMissing(db)) return undefined
    throw error
  }
}

export async function noteFact(db: Db, fact: FactName, value: string, at: number): Promise<void> {
  await db
    .insertInto(table)
    .values({ name: fact, value, noted_at: at })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value, noted_at: at }))
    .execute()
}

/** Of several nodes that note it at once, the first one wins. @returns the stored value. */
export async function noteFactOnce(db: Db, fact: FactName, value: string, at: number): Promise<string> {
  await db
    .insertInto(table)
    .values({ name: fact, value, noted_at: at })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  return (await findFact(db, fact)) ?? value
}

export async function forgetFact(db: Db, fact: FactName): Promise<void> {
  await db.deleteFrom(table).where('name', '=', fact).execute()
}
