// SQL of what the review queue shows about submitters.
import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import { padded, type AskRows } from '../database/prepared-rows.ts'
import type { ImageState } from '../database/schema.ts'

/** What a reviewer should know about a submitter. */
export interface Submitter {
  readonly id: number
  readonly displayName: string
  readonly isTrusted: boolean
  /** Up to `maxCounted`. */
  readonly approved: number
  readonly rejected: number
  /** Whether any of their photos was ever accepted, whatever its state now. */
  readonly hasAccepted: boolean
}

/** Decided photos of a submitter are counted up to this number: more would not help a reviewer, and cost time. */
export const maxCounted = 1_000

function selectSubmitters(db: Db, ids: readonly number[]) {
  const counted = (state: ImageState) =>
    sql<number>`(select count(*) from (select 1 as one from image
      where image.submitter_id = account.id and image.state = ${sql.lit(state)} limit ${sql.lit(maxCounted)}) as counted)`
  return db
    .selectFrom('account')
    .select(({ eb, exists, selectFrom }) => [
      'account.id',
      'account.display_name as displayName',
      'account.trusted_at as trustedAt',
      counted('approved').as('approved'),
      counted('rejected').as('rejected'),
      // The second query is only for those for whom the first finds nothing.
      eb
        .or([
          exists(
            selectFrom('image')
              .select('image.id')
              .whereRef('image.submitter_id', '=', 'account.id')
              .where('image.state', 'in', ['approved', 'removed']),
          ),
          exists(
            selectFrom('image')
              .select('image.id')
              .whereRef('image.submitter_id', '=', 'account.id')
              .where('image.state', '=', 'deleted')
              .where('image.deleted_from', 'in', ['approved', 'removed']),
          ),
        ])
        .as('hasAccepted'),
    ])
    .where('account.id', 'in', [...ids])
}

/** @param askRows caches the query for the next page. */
export async function listSubmitters(db: Db, askRows: AskRows, ids: readonly number[]): Promise<Submitter[]> {
  const values = padded(ids)
  const rows = await askRows({
    shape: `submitters ${values.length}`,
    values,
    build: (slot) =>
      selectSubmitters(
        db,
        values.map((_none, at) => slot(at)),
      ),
  })
  return rows.map((row) => ({
    id: row.id,
    displayName: row.displayName,
    approved: row.approved,
    rejected: row.rejected,
    isTrusted: row.trustedAt !== null,
    hasAccepted: Boolean(row.hasAccepted),
  }))
}
