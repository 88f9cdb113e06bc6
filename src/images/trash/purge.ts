// Takes images away for good, many at once: their rows with what hangs on them, then the files that nothing shows any more.
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db, Tx } from '../../database/database.ts'
import { recordDeletedForGood } from '../../events/deleted-for-good.ts'
import { originalKey, renditionKey } from '../storage/blob-keys.ts'
import { listReferenced } from '../storage/content-table.ts'
import { removeContents as removeMarked, type Removal } from '../storage/remove-unreferenced.ts'
import { countBytes } from '../image-table.ts'

/** So many are asked for, or changed, in one statement; others of the process have a turn after each. */
const atOnce = 100

async function* pagesOf<T>(all: readonly T[]): AsyncGenerator<readonly T[]> {
  for (let at = 0; at < all.length; at += atOnce) {
    yield all.slice(at, at + atOnce)
    await setImmediate() // the database answers without ever letting the event loop turn
  }
}

/**
 * Takes the images' rows away, from whatever state. Their history stays. Whoever could see one is told that it is deleted,
 * unless that was told when it went into the trash. The versions of their trails are the caller's to bump, before this.
 */
export async function purgeImages(
  tx: Tx,
  ids: readonly number[],
  by: { readonly at: number; readonly actorId: number },
): Promise<void> {
  for await (const page of pagesOf(ids)) {
    // An update that changes nothing is the row lock that every engine has: each state is what it goes from.
    const images = await tx
      .updateTable('image')
      .set(({ ref }) => ({ state: ref('state') }))
      .where('id', 'in', page)
      .returning(['id', 'trail_id as trailId', 'submitter_id as submitterId', 'state', 'bytes'])
      .execute()
    await recordDeletedForGood(
      tx,
      images.toSorted((one, other) => one.id - other.id),
      by,
    )
    await tx.deleteFrom('image').where('id', 'in', page).execute()
    for (const [submitterId, own] of Map.groupBy(images, (image) => image.submitterId)) {
      await countBytes(
        tx,
        submitterId,
        own.reduce((sum, { bytes }) => sum - bytes, 0),
      )
    }
  }
}

export interface Unshown {
  readonly contents: readonly string[]
  /** Of what is stored of them. */
  readonly bytes: number
}

/** Of the contents, those that no image shows. */
export async function unshownOf(tx: Tx, contents: readonly string[]): Promise<Unshown> {
  const unshown: string[] = []
  let bytes = 0
  for await (const page of pagesOf(contents)) {
    const shown = await listReferenced(tx, page)
    const free = page.filter((sha256) => !shown.has(sha256))
    if (free.length === 0) continue
    unshown.push(...free)
    const sum = sql<number | string | null>`sum(bytes)`.as('sum')
    const originals = tx.selectFrom('content').select(sum).where('original', '!=', 'rebuilt')
    const renditions = tx.selectFrom('rendition').select(sum)
    const sums = [
      await originals.where('sha256', 'in', free).executeTakeFirst(),
      await renditions.where('sha256', 'in', free).executeTakeFirst(),
    ]
    for (const row of sums) bytes += Number(row?.sum ?? 0)
  }
  return { contents: unshown, bytes }
}

async function keysOf(db: Db, contents: readonly string[]): Promise<Map<string, string[]>> {
  const keys = new Map(contents.map((sha256) => [sha256, [originalKey(sha256)]]))
  const rows = await db
    .selectFrom('rendition')
    .select(['sha256', 'name'])
    .where('sha256', 'in', contents)
    .execute()
  for (const { sha256, name } of rows) keys.get(sha256)?.push(renditionKey(sha256, name))
  return keys
}

/**
 * Removes originals and renditions of contents, but for those that an image shows again by now; in the order and with the
 * marks of remove-unreferenced.ts, a page of them a commit. Once no row refers to them: a crash before this, or within,
 * leaves files that the sweep finds.
 * @returns the contents that could not be removed: the sweep tries again.
 */
export async function removeContents(removal: Removal, contents: readonly string[]): Promise<string[]> {
  const left: string[] = []
  for await (const page of pagesOf(contents))
    left.push(...(await removeMarked(removal, page, (marked) => keysOf(removal.db, marked))).left)
  return left
}
