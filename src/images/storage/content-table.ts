// SQL of the table content: distinct uploads, and the marks of those that are being deleted.
import { sql } from 'kysely'
import { inTransaction, type Db, type Tx } from '../../database/database.ts'
import { findReadOnly } from '../../database/read-only.ts'
import type { OriginalPlace } from '../../database/schema.ts'

/**
 * Makes sure the content has its row, and locks it until the transaction ends.
 * @returns false where the sweep is deleting this very content's blobs: the transaction must not go on.
 */
export async function holdContent(
  tx: Db,
  sha256: string,
  { bytes, original }: { readonly bytes: number; readonly original: Exclude<OriginalPlace, 'leaving'> },
): Promise<boolean> {
  const { condemned_at: markedAt } = await tx
    .insertInto('content')
    .values({ sha256, bytes, condemned_at: null, original })
    .onConflict((conflict) =>
      conflict.column('sha256').doUpdateSet(({ ref }) => ({
        bytes,
        // By other rules it could not be rebuilt, and now it can: the copy from then is for the back-fill to delete.
        original:
          original === 'rebuilt'
            ? sql<OriginalPlace>`case when ${ref('content.original')} = 'whole' then 'stored' else ${ref('content.original')} end`
            : original,
      })),
    )
    .returning('condemned_at')
    .executeTakeFirstOrThrow()
  return markedAt === null
}

export async function findContent(db: Db, sha256: string): Promise<{ readonly bytes: number }> {
  return db.selectFrom('content').select('bytes').where('sha256', '=', sha256).executeTakeFirstOrThrow()
}

const deletions = 'content-deletions'

/** How often a deletion of content has begun or ended: while it stays, no blob that was kept meanwhile was deleted. */
export async function countDeletions(db: Db): Promise<number> {
  const row = await db.selectFrom('counter').select('value').where('name', '=', deletions).executeTakeFirst()
  return row?.value ?? 0
}

/** To be called in the transaction that begins a deletion of blobs, and in the one that ends it. */
export async function noteDeletion(tx: Tx): Promise<void> {
  await tx
    .insertInto('counter')
    .values({ name: deletions, value: 1 })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet((expression) => ({ value: expression('counter.value', '+', 1) })),
    )
    .execute()
}

/** A mark older than this was left by a process that died: whoever deletes stops well before. */
export const markedForMs = 600_000

/**
 * First half of deleting unreferenced contents: marks them, so that no upload can take one up meanwhile. The mark comes
 * before the look for images, and `holdContent` locks the same row, so one of the two always sees the other. A mark
 * belongs to one deletion: of two that shared it the first would lift it while the second still deletes, and the bytes
 * of an upload that came in between would be lost.
 *
 * All of them in a handful of statements, however many they are: others wait for their turn to write meanwhile.
 * @param contents different ones.
 * @returns those to delete: not what an image shows, nor what another deletion is at; none where nothing may be changed,
 *   for the sweep comes by when it may be again.
 */
export function condemnContents(db: Db, contents: readonly string[], at: number): Promise<string[]> {
  return db.transaction().execute(async (tx) => {
    if (contents.length === 0 || (await findReadOnly(tx))) return []
    const marked = await tx
      .insertInto('content')
      .values(contents.map((sha256) => ({ sha256, bytes: 0, condemned_at: at })))
      .onConflict((conflict) =>
        conflict
          .column('sha256')
          .doUpdateSet({ condemned_at: at })
          .where(({ eb, or }) =>
            or([eb('content.condemned_at', 'is', null), eb('content.condemned_at', '<=', at - markedForMs)]),
          ),
      )
      .returning('sha256')
      .execute()
    if (marked.length === 0) return []
    await noteDeletion(tx)
    const ours = marked.map(({ sha256 }) => sha256)
    const shown = await listReferenced(tx, ours)
    if (shown.size > 0)
      await tx
        .updateTable('content')
        .set({ condemned_at: null })
        .where('sha256', 'in', [...shown])
        .execute()
    return ours.filter((sha256) => !shown.has(sha256))
  })
}

/** Second half, once the blobs are gone; `at` is that of the first. The rows of their renditions go with them. */
export function forgetContents(db: Db, contents: readonly string[], at: number): Promise<void> {
  return inTransaction(db, async (tx) => {
    if (contents.length === 0) return
    await noteDeletion(tx)
    await tx.deleteFrom('content').where('sha256', 'in', contents).where('condemned_at', '=', at).execute()
  })
}

/** Content whose deletion is under way, or was interrupted by a crash. */
export async function listMarked(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('content').select('sha256').where('condemned_at', 'is not', null).execute()
  return rows.map(({ sha256 }) => sha256)
}

/**
 * Makes every mark so old that the next sweep takes it up. For the start of a server, when no deletion can be under way:
 * a clock that was ahead when the process died would else keep uploads of that content waiting until time catches up.
 */
export async function ageMarked(db: Db): Promise<void> {
  await db.updateTable('content').set({ condemned_at: 0 }).where('condemned_at', 'is not', null).execute()
}

export async function isReferenced(db: Db, sha256: string): Promise<boolean> {
  const row = await db
    .selectFrom('image')
    .select('id')
    .where('sha256', '=', sha256)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Those of the contents that an image shows. */
export async function listReferenced(db: Db, contents: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('image')
    .select('sha256')
    .distinct()
    .where('sha256', 'in', contents)
    .execute()
  return new Set(rows.map(({ sha256 }) => sha256))
}

/** Content that images show, and how many of them. */
export interface ShownContent {
  readonly sha256: string
  readonly bytes: number
  readonly images: number
}

const shownContent = (db: Db) =>
  db
    .selectFrom('content')
    .innerJoin('image', 'image.sha256', 'content.sha256')
    .select(({ fn }) => ['content.sha256', 'content.bytes', fn.countAll<number>().as('images')])
    .groupBy('content.sha256') // of the key alone: with another column SQLite would sort all contents for each page
    .orderBy('content.sha256')

/** One page of all shown content, by hash; `after` is the last hash of the page before, or empty for the first. */
export function listShownContent(db: Db, after: string, limit: number): Promise<ShownContent[]> {
  return shownContent(db).where('content.sha256', '>', after).limit(limit).execute()
}

/** Those of the contents that are shown by images, by hash. */
export async function listShownAmong(db: Db, contents: readonly string[]): Promise<ShownContent[]> {
  return contents.length === 0 ? [] : shownContent(db).where('content.sha256', 'in', contents).execute()
}

/** The contents of the images that exist. */
export async function listContentsOf(db: Db, images: readonly number[]): Promise<string[]> {
  if (images.length === 0) return []
  const rows = await db.selectFrom('image').select('sha256').distinct().where('id', 'in', images).execute()
  return rows.map(({ sha256 }) => sha256)
}

/** The first few images that show the content. */
export async function listImagesShowing(db: Db, sha256: string, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('image')
    .select('id')
    .where('sha256', '=', sha256)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** Forgets all content that no image shows, with its renditions. Only for a copy that nobody uploads to. */
export async function forgetUnshownContent(db: Db): Promise<void> {
  await db
    .deleteFrom('content')
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('image').select('id').whereRef('image.sha256', '=', 'content.sha256'))),
    )
    .execute()
}

/** How many originals that images show are stored as they came. */
export async function countOriginals(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('content')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('original', '!=', 'rebuilt')
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('image').select('id').whereRef('image.sha256', '=', 'content.sha256')),
    )
    .executeTakeFirstOrThrow()
  return count
}

export interface Stored {
  readonly images: number
  /** Distinct originals that images show. */
  readonly contents: number
  /** Rows of renditions, of all contents. */
  readonly renditions: number
}

export async function countStored(db: Db): Promise<Stored> {
  const { images, contents } = await db
    .selectFrom('image')
    .select(({ fn }) => [
      fn.countAll<number>().as('images'),
      fn.count<number>('sha256').distinct().as('contents'),
    ])
    .executeTakeFirstOrThrow()
  const { renditions } = await db
    .selectFrom('rendition')
    .select(({ fn }) => fn.countAll<number>().as('renditions'))
    .executeTakeFirstOrThrow()
  return { images, contents, renditions }
}

/** What the files of all photos take, roughly: an original that is rebuilt from its parts is not counted a second time. */
export async function sumStoredBytes(db: Db): Promise<number> {
  const { renditions } = await db
    .selectFrom('rendition')
    .select(({ fn }) => fn.coalesce(fn.sum<number>('bytes'), sql<number>`0`).as('renditions'))
    .executeTakeFirstOrThrow()
  const { originals } = await db
    .selectFrom('content')
    .where('original', '<>', 'rebuilt')
    .select(({ fn }) => fn.coalesce(fn.sum<number>('bytes'), sql<number>`0`).as('originals'))
    .executeTakeFirstOrThrow()
  return renditions + originals
}
