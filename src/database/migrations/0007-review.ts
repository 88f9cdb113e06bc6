// Migration 0007: the review queue, the chained history, trash, reports, trails on the map, webhooks.
import { sql, type Kysely } from 'kysely'
import type { ColumnTypes } from '../database.ts'
import { chainDigest, chainStart } from '../history-chain.ts'
import type { Schema } from '../schema.ts'

const number = 'double precision'
const rowsAtOnce = 1_000

/** The history outlives its image from here on, and each row is chained to the one before. */
async function chainHistory(db: Kysely<unknown>, { whole }: ColumnTypes): Promise<void> {
  await db.schema.alterTable('image_history').renameTo('image_history_old').execute()
  await db.schema.dropIndex('image_history_by_image').execute()
  await db.schema
    .createTable('image_history')
    .addColumn('position', whole, (column) => column.primaryKey())
    .addColumn('image_id', whole, (column) => column.notNull())
    .addColumn('at', whole, (column) => column.notNull())
    .addColumn('actor_id', whole, (column) => column.notNull().references('account.id'))
    .addColumn('from_state', 'text')
    .addColumn('to_state', 'text', (column) => column.notNull())
    .addColumn('reason', 'text')
    .addColumn('note', 'text')
    .addColumn('digest', 'text', (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex('image_history_by_image')
    .on('image_history')
    .columns(['image_id', 'position'])
    .execute()
  const typed = db as Kysely<Schema & { image_history_old: Omit<Schema['image_history'], 'digest'> }>
  let digest = chainStart
  let after = 0
  for (;;) {
    const rows = await typed
      .selectFrom('image_history_old')
      .selectAll()
      .where('position', '>', after)
      .orderBy('position')
      .limit(rowsAtOnce)
      .execute()
    for (const row of rows) {
      digest = chainDigest(digest, row)
      after = row.position
      await typed
        .insertInto('image_history')
        .values({ ...row, digest })
        .execute()
    }
    if (rows.length < rowsAtOnce) break
  }
  await db.schema.dropTable('image_history_old').execute()
}

async function widenImages(db: Kysely<unknown>, { whole }: ColumnTypes): Promise<void> {
  const add = (name: string) => db.schema.alterTable('image').addColumn(name, 'text').execute()
  const addWhole = (name: string) => db.schema.alterTable('image').addColumn(name, whole).execute()
  for (const name of ['deleted_from', 'prior_title', 'prior_caption', 'licence', 'terms_version'])
    await add(name)
  for (const name of ['deleted_at', 'deleted_by', 'queued_at', 'cell']) await addWhole(name)
  await db.schema
    .alterTable('image')
    .addColumn('open_reports', whole, (column) => column.notNull().defaultTo(0))
    .execute()
  await sql`update image set queued_at = case when state = 'pending' then posted_at else updated_at end
    where state = 'pending' or (state = 'approved' and accepted_title is not null)`.execute(db)
  await sql`create index image_by_queue on image (queued_at, id) where queued_at is not null`.execute(db)
  await sql`create index image_by_trail_queue on image (trail_id, queued_at, id) where queued_at is not null`.execute(
    db,
  )
  // Reviewed images that wait again, edited or reported: few among many.
  await sql`create index image_by_second_queue on image (queued_at, id) where queued_at is not null and (accepted_title is not null or open_reports > 0)`.execute(
    db,
  )
  await sql`create index image_by_cell on image (state, cell, id) where cell is not null`.execute(db)
  await sql`create index image_by_deletion on image (deleted_at, id) where deleted_at is not null`.execute(db)

  const hashes = db.schema
    .createTable('image_hash')
    .addColumn('image_id', whole, (column) => column.primaryKey().references('image.id').onDelete('cascade'))
    .addColumn('trail_id', whole, (column) => column.notNull())
    .addColumn('dhash', 'text', (column) => column.notNull())
  await ['band_0', 'band_1', 'band_2', 'band_3']
    .reduce((table, name) => table.addColumn(name, whole, (column) => column.notNull()), hashes)
    .execute()
  for (const band of [0, 1, 2, 3])
    await db.schema
      .createIndex(`image_hash_by_band_${band}`)
      .on('image_hash')
      .columns(['trail_id', `band_${band}`])
      .execute()

  await db.schema
    .createTable('claim')
    .addColumn('image_id', whole, (column) => column.primaryKey().references('image.id').onDelete('cascade'))
    .addColumn('account_id', whole, (column) => column.notNull().references('account.id'))
    .addColumn('expires_at', whole, (column) => column.notNull())
    .execute()
  await db.schema.createIndex('claim_by_expiry').on('claim').columns(['expires_at']).execute()

  await db.schema
    .createTable('report')
    .addColumn('id', whole, (column) => column.primaryKey())
    .addColumn('image_id', whole, (column) => column.notNull().references('image.id').onDelete('cascade'))
    .addColumn('at', whole, (column) => column.notNull())
    .addColumn('reporter_id', whole, (column) => column.references('account.id'))
    .addColumn('reason', 'text', (column) => column.notNull())
    .addColumn('note', 'text', (column) => column.notNull())
    .addColumn('closed_at', whole)
    .addColumn('closed_by', whole)
    .execute()
  await db.schema.createIndex('report_by_image').on('report').columns(['image_id', 'at', 'id']).execute()
  await sql`create index report_open on report (image_id, at, id) where closed_at is null`.execute(db)
}

/** As src/trails/trail-table.ts fills them from here on. */
function textColumns({ name, slug }: { readonly name: string; readonly slug: string }) {
  const fold = (text: string): string => text.normalize('NFKC').toLowerCase()
  const start = Array.from(fold(name.trim())).slice(0, 40).join('')
  return { search: fold(`${name}\n${slug}`), sort_key: start }
}

async function widenTrails(db: Kysely<unknown>, { whole }: ColumnTypes): Promise<void> {
  for (const name of ['west', 'south', 'east', 'north', 'miles'])
    await db.schema.alterTable('trail').addColumn(name, number).execute()
  for (const name of ['search', 'sort_key'])
    await db.schema
      .alterTable('trail')
      .addColumn(name, 'text', (column) => column.notNull().defaultTo(''))
      .execute()
  await db.schema
    .alterTable('trail')
    .addColumn('updated_at', whole, (column) => column.notNull().defaultTo(0))
    .execute()
  await sql`update trail set updated_at = created_at`.execute(db)
  const typed = db as Kysely<Schema>
  for (const trail of await typed.selectFrom('trail').select(['id', 'name', 'slug']).execute())
    await typed.updateTable('trail').set(textColumns(trail)).where('id', '=', trail.id).execute()
  await db.schema.createIndex('trail_by_name').on('trail').columns(['sort_key', 'id']).execute()
  await db.schema
    .createIndex('route_shown_by_box') // a tile looks for the routes in its box without reading one elsewhere
    .on('route_shown')
    .columns(['south', 'north', 'west', 'east', 'route_id'])
    .execute()
  await db.schema
    .createTable('trail_line')
    .addColumn('trail_id', whole, (column) => column.primaryKey().references('trail.id').onDelete('cascade'))
    .addColumn('geometry', 'text', (column) => column.notNull())
    .execute()
}

/** What the feed needs to know of an event once its image is gone: who could see it before, and after. */
async function widenOutbox(db: Kysely<unknown>, { whole }: ColumnTypes): Promise<void> {
  for (const name of ['trail_id', 'submitter_id'])
    await db.schema.alterTable('outbox').addColumn(name, whole).execute()
  for (const name of ['from_state', 'to_state'])
    await db.schema.alterTable('outbox').addColumn(name, 'text').execute()
  // Whether the details of an image were changed since its last move, which an undo must know.
  await sql`create index outbox_by_update on outbox (image_id, position) where type = 'image.updated'`.execute(
    db,
  )
  await sql`update outbox set
    trail_id = (select trail_id from image where image.id = outbox.image_id),
    submitter_id = (select submitter_id from image where image.id = outbox.image_id),
    from_state = (select from_state from image_history where image_history.position = outbox.position),
    to_state = (select to_state from image_history where image_history.position = outbox.position)
    where image_id is not null`.execute(db)
  // Entries that did not change a state keep it.
  for (const state of ['pending', 'approved', 'rejected', 'removed', 'deleted'])
    await sql`update outbox set from_state = ${state}, to_state = ${state}
      where image_id is not null and to_state is null and data like ${`%"status":"${state}"%`}`.execute(db)
}

async function addWebhooks(db: Kysely<unknown>, { whole }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('webhook')
    .addColumn('id', whole, (column) => column.primaryKey())
    .addColumn('account_id', whole, (column) => column.notNull().references('account.id'))
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('events', 'text', (column) => column.notNull())
    .addColumn('scope', 'text', (column) => column.notNull())
    .addColumn('secret', 'text', (column) => column.notNull())
    .addColumn('created_at', whole, (column) => column.notNull())
    .addColumn('disabled_at', whole)
    .addColumn('disabled_reason', 'text')
    .addColumn('told_from', whole, (column) => column.notNull().defaultTo(0))
    .addColumn('failing_since', whole)
    .execute()
  await db.schema
    .createIndex('webhook_by_account')
    .on('webhook')
    .columns(['account_id', 'created_at'])
    .execute()
  await db.schema
    .createTable('delivery')
    .addColumn('id', whole, (column) => column.primaryKey())
    .addColumn('webhook_id', whole, (column) => column.notNull().references('webhook.id').onDelete('cascade'))
    .addColumn('position', whole)
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('data', 'text', (column) => column.notNull())
    .addColumn('at', whole, (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('attempts', whole, (column) => column.notNull())
    .addColumn('next_at', whole)
    .addColumn('finished_at', whole)
    .addUniqueConstraint('delivery_once', ['webhook_id', 'position'])
    .execute()
  await db.schema.createIndex('delivery_by_next').on('delivery').columns(['next_at']).execute()
  await db.schema.createIndex('delivery_by_end').on('delivery').columns(['finished_at']).execute()
  await db.schema
    .createIndex('delivery_by_webhook')
    .on('delivery')
    .columns(['webhook_id', 'at', 'id'])
    .execute()
  await db.schema
    .createTable('delivery_attempt')
    .addColumn('id', whole, (column) => column.primaryKey())
    .addColumn('delivery_id', whole, (column) =>
      column.notNull().references('delivery.id').onDelete('cascade'),
    )
    .addColumn('at', whole, (column) => column.notNull())
    .addColumn('status', whole)
    .addColumn('error', 'text')
    .addColumn('milliseconds', whole, (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex('delivery_attempt_by_delivery')
    .on('delivery_attempt')
    .columns(['delivery_id', 'at'])
    .execute()
}

export async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { whole } = types
  await chainHistory(db, types)
  await widenImages(db, types)
  await widenTrails(db, types)
  await widenOutbox(db, types)
  await addWebhooks(db, types)
  await db.schema
    .createTable('choice')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('value', 'text', (column) => column.notNull())
    .addColumn('changed_at', whole, (column) => column.notNull())
    .execute()
  await db.schema.alterTable('account').addColumn('trusted_at', whole).execute()
  await db.schema.alterTable('account').addColumn('deleted_at', whole).execute()
  await db.schema
    .alterTable('account')
    .addColumn('mails', 'text', (column) => column.notNull().defaultTo('on'))
    .execute()
}
