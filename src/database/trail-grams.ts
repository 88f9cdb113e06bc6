// N-grams (two and three characters) of the folded texts of trails, by which a search finds the few trails to look at.
//
// Triggers on the trails maintain them (migration 0017), so no write can forget them, not even that of an older node or
// an operator's SQL. Triggers can do it because the column `search` is already folded.
import { sql, type RawBuilder } from 'kysely'

/**
 * In characters: two are enough for a search, and three are more selective. Others need a migration that refills the
 * table.
 */
const sizes = { short: 2, long: 3 } as const
const allSizes = `select ${sizes.short} as characters union all select ${sizes.long}`

/** Where n-grams of a text may start. */
const startsIn = (length: string): string =>
  `with recursive step (start) as (select 1 union all select start + 1 from step where start < ${length}) select start from step`

const piece = (text: string): string => `substr(${text}, place.start, size.characters)`
const isWhole = (text: string): string => `place.start + size.characters <= length(${text}) + 1`

/** A query for the n-grams of a text, such as a column of the row of a trigger; the same in both engines. */
export const gramsOf = (text: string): string => `
  select distinct ${piece(text)} as gram from (${startsIn(`length(${text})`)}) as place
    cross join (${allSizes}) as size where ${isWhole(text)}`

/** Inserts those of all trails into the empty table, in its own order, which makes it smaller and is faster. */
export const fillTrailGrams = `
  insert into trail_gram (gram, sort_key, trail_id)
    select distinct ${piece('trail.search')}, trail.sort_key, trail.id
      from trail cross join (${startsIn('(select max(length(search)) from trail)')}) as place
      cross join (${allSizes}) as size where ${isWhole('trail.search')} order by 1, 2, 3`

/** The n-grams of a longer text are enough by then. */
const maxGrams = 16

/** N-grams that every text with these folded words has; none if the words are too short. */
export function gramsIn(words: string): string[] {
  const characters = Array.from(words)
  const size = Math.min(characters.length, sizes.long)
  if (size < sizes.short) return []
  const grams = characters
    .slice(size - 1)
    .map((_last, start) => characters.slice(start, start + size).join(''))
  return [...new Set(grams)].slice(0, maxGrams)
}

/** Which trails are sampled: by a prime, since ids may come in steps. The index `trail_gram_sample` has the same text. */
export const isSampled = 'trail_id % 31 = 0'
/** An n-gram with this many counts as common. */
const maxCounted = 50

/** The rarest of the n-grams, of which there is at least one, according to the sample. */
export function rarestOf(grams: readonly string[]): RawBuilder<string> {
  if (grams.length === 1) return sql`${grams[0]}`
  const sought = grams.map((gram) => sql`select ${gram} as gram`)
  return sql`(select gram from (${sql.join(sought, sql` union all `)}) as sought
    order by (select count(*) from (select 1 from trail_gram as known
      where known.gram = sought.gram and known.${sql.raw(isSampled)} limit ${sql.lit(maxCounted)}) as counted)
    limit 1)`
}
