// The filters of the list of trails, and the SQL with which a search finds a page without reading all trails.
import { expressionBuilder, sql } from 'kysely'
import type { Box } from '../shared/geo/measures.ts'
import { contains, meets } from '../database/matching.ts'
import type { Schema } from '../database/schema.ts'
import { rarestOf } from '../database/trail-grams.ts'

/** A position in the order of the list: by the beginning of the case-folded name, then by ID. */
export interface TrailCursor {
  readonly sortKey: string
  readonly id: number
}

export interface TrailFilters {
  /** Case-folded. */
  readonly words?: string | undefined
  readonly slug?: string | undefined
  readonly within?: Box | undefined
  readonly after?: TrailCursor | undefined
}

/** A query of the IDs of the page. @param grams at least one n-gram of the search text. */
export function selectFound(
  grams: readonly string[],
  { words = '', within, after }: TrailFilters,
  limit: number,
) {
  const isFound = contains('trail.search', words)
  const matches = within ? sql`${isFound} and ${meets('trail', within)}` : isFound
  return (
    expressionBuilder<Schema>()
      .selectFrom('trail_gram')
      .select('trail_gram.trail_id')
      .where('trail_gram.gram', '=', rarestOf(grams))
      // Not a join, which PostgreSQL might start at the other end: matches are checked in the order of the list, and
      // no more of them than the page needs.
      .where(sql<boolean>`(select ${matches} from trail where trail.id = trail_gram.trail_id)`)
      .$if(after !== undefined, (query) =>
        query
          .where('trail_gram.sort_key', '>=', after?.sortKey ?? '')
          .where(({ eb, or }) =>
            or([
              eb('trail_gram.sort_key', '>', after?.sortKey ?? ''),
              eb('trail_gram.trail_id', '>', after?.id ?? 0),
            ]),
          ),
      )
      .orderBy('trail_gram.sort_key')
      .orderBy('trail_gram.trail_id')
      .limit(limit)
  )
}
