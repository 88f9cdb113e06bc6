// Leases: what one server of several does, for as long as it says so in time.
import type { Db } from './database.ts'

/**
 * Takes or keeps what one server at a time may have, until the moment `until`.
 * @param kept what this server last took it until.
 * @returns whether it has it. A moment much further ahead than any that is given was written by a clock that was wrong.
 */
export async function takeLease(
  db: Db,
  name: string,
  { now, until, kept }: { readonly now: number; readonly until: number; readonly kept: number },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('counter')
    .values({ name, value: until })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ value: until })
        .where((eb) =>
          eb.or([
            eb('counter.value', '<=', now),
            eb('counter.value', '=', kept),
            eb('counter.value', '>', until + (until - now)),
          ]),
        ),
    )
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}

export async function dropLease(db: Db, name: string, kept: number): Promise<void> {
  await db
    .updateTable('counter')
    .set({ value: 0 })
    .where('name', '=', name)
    .where('value', '=', kept)
    .execute()
}
