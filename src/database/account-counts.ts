// Compares the counts by which quotas are checked with the rows of each account, and corrects those that are wrong.
//
// The transactions that write images and routes update the counts. Nodes of an older version do not update those of routes,
// and neither does an operator's own SQL.
import { sql } from 'kysely'
import { inTransaction, type Db } from './database.ts'
import { findReadOnly } from './read-only.ts'

const accountsAtOnce = 500

const counted = {
  /** From an index alone. */
  routes: {
    route_count: sql<number>`(select count(*) from route where route.account_id = account.id)`,
    route_bytes: sql<number>`(select coalesce(sum(gpx_bytes), 0) from route where route.account_id = account.id)`,
  },
  /** Reads the row of every image. */
  images: {
    image_bytes: sql<number>`(select coalesce(sum(bytes), 0) from image where image.submitter_id = account.id)`,
  },
} as const

export type CountedRows = keyof typeof counted

interface FoundCounts {
  /** The last account that was checked; undefined if there are no more. */
  readonly last: number | undefined
  readonly wrong: readonly number[]
}

/** Compares the counts of the next accounts. */
export async function findWrongCounts(db: Db, rows: CountedRows, after: number): Promise<FoundCounts> {
  const pairs = Object.entries(counted[rows])
  const isWrong = sql.join(
    pairs.map(([column, count]) => sql`${sql.ref(column)} <> ${count}`),
    sql` or `,
  )
  const { rows: accounts } = await sql<{ id: number; isWrong: boolean | number }>`
    select id, (${isWrong}) as "isWrong" from account where id > ${after} order by id limit ${accountsAtOnce}`.execute(
    db,
  )
  const wrong = accounts.filter((account) => Boolean(account.isWrong)).map(({ id }) => id)
  return { last: accounts.length < accountsAtOnce ? undefined : accounts.at(-1)?.id, wrong }
}

/**
 * Counts the rows again and stores the result, in one transaction.
 * @returns false while the installation is read-only: it may be migrating.
 */
function mend(db: Db, rows: CountedRows, id: number): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    if (await findReadOnly(tx)) return false
    await tx.updateTable('account').set(counted[rows]).where('id', '=', id).execute()
    return true
  })
}

export interface WrongCounts {
  /** Ids of accounts. */
  readonly mended: readonly number[]
  readonly left: readonly number[]
}

/** Checks every account, and corrects wrong counts unless the installation is read-only. */
export async function mendCounts(db: Db, rows: CountedRows): Promise<WrongCounts> {
  const mended: number[] = []
  const left: number[] = []
  for (let after: number | undefined = 0; after !== undefined;) {
    const found: FoundCounts = await findWrongCounts(db, rows, after)
    for (const id of found.wrong) ((await mend(db, rows, id)) ? mended : left).push(id)
    after = found.last
  }
  return { mended, left }
}
