// How texts and boxes are matched, alike in every table: folded texts, LIKE without its wildcards, boxes on the globe.
import { sql, type RawBuilder } from 'kysely'

/** As texts are compared: `ÖSTERLEDEN` and `österleden` are one. */
export const fold = (text: string): string => text.normalize('NFKC').toLowerCase()

/** The column, which holds folded text, has these folded words in it; `%` and `_` are letters like others. */
export function contains(column: string, words: string): RawBuilder<boolean> {
  const pattern = `%${words.replaceAll(/[\\%_]/g, (character) => `\\${character}`)}%`
  return sql<boolean>`${sql.ref(column)} like ${pattern} escape '\\'`
}

/** Degrees; where west is greater than east, the box crosses the antimeridian (RFC 7946, section 5.2). */
export interface SoughtBox {
  readonly west: number
  readonly south: number
  readonly east: number
  readonly north: number
}

/** The box of the table's row and this one share a point; either may cross the antimeridian. A row without box never does. */
export function meets(table: string, { west, south, east, north }: SoughtBox): RawBuilder<boolean> {
  const column = (name: keyof SoughtBox) => sql.ref(`${table}.${name}`)
  const isPlain = sql<boolean>`${column('west')} <= ${column('east')}`
  const inLatitude = sql<boolean>`${column('south')} <= ${north} and ${column('north')} >= ${south}`
  const inLongitude =
    west <= east
      ? sql<boolean>`((${isPlain} and ${column('west')} <= ${east} and ${column('east')} >= ${west})
          or (not ${isPlain} and (${column('west')} <= ${east} or ${column('east')} >= ${west})))`
      : sql<boolean>`(not ${isPlain} or ${column('west')} <= ${east} or ${column('east')} >= ${west})`
  return sql<boolean>`(${inLatitude} and ${inLongitude})`
}
