// What the list of trails is asked for, and the SQL by which a search finds a page of it without reading all trails.
import { expressionBuilder, sql } from 'kysely'
import type { Box } from '../shared/geo/measures.ts'
import { contains, meets } from '../database/matching.ts'
import type { Schema } from '../database/schema.ts'
import { rarestOf } from '../database/trail-grams.ts'

/** A place in the order of the list: by the beginning of the name, folded, alike ones by id. */
export interface TrailCursor {
  readonly sortKey: string
  readonly id: number
}

export interface TrailFilters {
  /** Folded. */
  readonly words?: string | undefined
  readonly slug?: string | undefined
  readonly within?: Box | undefined
  readonly after?: TrailCursor | undefined
}

/** A query of the ids of the page. @param grams pieces of the words, at least one. */
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
      // No join, which PostgreSQL might begin at the other end: whoever has the piece is looked at in the order of the
      // list, and no more of them than the page needs.
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
