// Migration 0015: the number of listed photos in each square of the map, maintained by triggers; tiles counted them
// each time.
import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { ColumnTypes, Database } from '../database.ts'
import { fillMapSquares } from '../map-squares.ts'

/** The same text in both engines: an `old` and a `new` image are named alike. */
const zooms = Array.from({ length: 11 }, (_, index) => `select ${index + 5} as zoom`).join(' union all ')
const isListed = (row: 'old' | 'new'): string => `${row}.state = 'approved' and ${row}.cell is not null`
const square = (cell: string): string => `${cell} >> (48 - 2 * z.zoom)`
const ofOld = `map_square.zoom = z.zoom and map_square.square = ${square('old.cell')}`

/** The order of two images on the map, as `image_by_cell` has them. */
const isEarlier = `(excluded.cell, excluded.image_id) < (map_square.cell, map_square.image_id)`

const add = `
  insert into map_square (zoom, square, photos, cell, image_id)
    select z.zoom, ${square('new.cell')}, 1, new.cell, new.id from (${zooms}) as z where true
    on conflict (zoom, square) do update set photos = map_square.photos + 1,
      cell = case when ${isEarlier} then excluded.cell else map_square.cell end,
      image_id = case when ${isEarlier} then excluded.image_id else map_square.image_id end;`

/** If the first photo leaves, the next one becomes the first. */
const take = `
  update map_square set photos = photos - 1 from (${zooms}) as z where ${ofOld};
  delete from map_square
    where (zoom, square) in (select z.zoom, ${square('old.cell')} from (${zooms}) as z) and photos <= 0;
  update map_square set cell = next.cell, image_id = next.id from (${zooms}) as z, image as next
    where ${ofOld} and map_square.image_id = old.id and next.id = (
      select image.id from image where image.state = 'approved'
        and image.cell >= map_square.square << (48 - 2 * z.zoom)
        and image.cell < (map_square.square + 1) << (48 - 2 * z.zoom)
      order by image.cell, image.id limit 1);`

/** A move between two places is both, in whichever order. */
const isMove = `(old.state <> new.state or old.cell is null or new.cell is null or old.cell <> new.cell)`
const triggers = [
  { name: 'map_square_insert', on: 'insert', when: isListed('new'), does: add },
  {
    name: 'map_square_list',
    on: 'update of state, cell',
    when: `${isListed('new')} and ${isMove}`,
    does: add,
  },
  {
    name: 'map_square_unlist',
    on: 'update of state, cell',
    when: `${isListed('old')} and ${isMove}`,
    does: take,
  },
  { name: 'map_square_delete', on: 'delete', when: isListed('old'), does: take },
] as const

function statementsOf(engine: Database['engine']): RawBuilder<unknown>[] {
  const texts = triggers.flatMap(({ name, on, when, does }) =>
    engine === 'sqlite'
      ? [`create trigger ${name} after ${on} on image when ${when} begin ${does} end`]
      : [
          `create function ${name}() returns trigger language plpgsql as $$ begin ${does} return null; end $$`,
          `create trigger ${name} after ${on} on image for each row when (${when}) execute function ${name}()`,
        ],
  )
  return texts.map((text) => sql.raw(text))
}

export async function up(
  db: Kysely<unknown>,
  { whole }: ColumnTypes,
  engine: Database['engine'],
): Promise<void> {
  const table = db.schema
    .createTable('map_square')
    .addColumn('zoom', whole, (column) => column.notNull())
    .addColumn('square', whole, (column) => column.notNull())
    .addColumn('photos', whole, (column) => column.notNull())
    .addColumn('cell', whole, (column) => column.notNull())
    .addColumn('image_id', whole, (column) => column.notNull())
    .addPrimaryKeyConstraint('map_square_pk', ['zoom', 'square'])
  // It is found by nothing but its key.
  await (engine === 'sqlite' ? table.modifyEnd(sql`without rowid`) : table).execute()
  for (const statement of statementsOf(engine)) await statement.execute(db)
  await fillMapSquares(db)
}
