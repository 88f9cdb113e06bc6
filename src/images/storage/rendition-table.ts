// SQL of the table rendition: what is stored of a content besides an original as it came.
import { sql } from 'kysely'
import type { Db } from '../../database/database.ts'
import { renditionVersion } from '../../imaging/renditions.ts'
import { isRemovedName, removedName } from './blob-keys.ts'

export interface StoredRendition {
  readonly name: string
  readonly bytes: number
  /** SHA-256 of the rendition, hex. */
  readonly digest: string
}

export interface FoundRendition extends StoredRendition {
  /** Of the rules that it was made by. */
  readonly version: number
}

/**
 * All that is stored of a content besides an original as it came. What was removed of it is among them only where it is
 * for the size lg that there is: then the original can be rebuilt.
 */
export async function listRenditions(db: Db, sha256: string): Promise<StoredRendition[]> {
  const rows = await db
    .selectFrom('rendition')
    .select(['name', 'bytes', 'digest'])
    .where('sha256', '=', sha256)
    .orderBy('name')
    .execute()
  const large = rows.find(({ name }) => name === 'lg')
  const removed = large && removedName(large.digest)
  return rows.filter(({ name }) => !isRemovedName(name) || name === removed)
}

/** What another size lg lacked keeps its row for as long as it is stored, so that it is deleted with the content. */
export async function saveRenditions(
  db: Db,
  sha256: string,
  renditions: readonly StoredRendition[],
): Promise<void> {
  const rows = renditions.map(({ name, bytes, digest }) => ({
    sha256,
    name,
    bytes,
    digest,
    version: renditionVersion,
  }))
  const inserting = db.insertInto('rendition').values(rows)
  const { numInsertedOrUpdatedRows = 0n } = await inserting
    .onConflict((conflict) => conflict.columns(['sha256', 'name']).doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows === BigInt(rows.length)) return
  // Apart from the rest, since what replaces a size touches every answer in memory (database/written.ts).
  await inserting
    .onConflict((conflict) =>
      conflict.columns(['sha256', 'name']).doUpdateSet(({ ref }) => ({
        bytes: ref('excluded.bytes'),
        digest: ref('excluded.digest'),
        version: ref('excluded.version'),
      })),
    )
    .execute()
}

/** The first of the names that the content has a rendition for. */
export async function findRendition(
  db: Db,
  sha256: string,
  names: readonly string[],
): Promise<FoundRendition | undefined> {
  const rows = await db
    .selectFrom('rendition')
    .select(['name', 'bytes', 'digest', 'version'])
    .where('sha256', '=', sha256)
    .where('name', 'in', [...names])
    .execute()
  return names.map((name) => rows.find((row) => row.name === name)).find((row) => row !== undefined)
}

/** A literal, as the index over versions is one of size lg alone. */
const isLarge = sql<boolean>`name = 'lg'`

/** Contents whose size lg was made by older rules, the oldest first. */
export async function listOutdated(db: Db, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('rendition')
    .select('sha256')
    .where(isLarge)
    .where('version', '<', renditionVersion)
    .orderBy('version')
    .orderBy('sha256')
    .limit(limit)
    .execute()
  return rows.map(({ sha256 }) => sha256)
}

export async function countOutdated(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('rendition')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where(isLarge)
    .where('version', '<', renditionVersion)
    .executeTakeFirstOrThrow()
  return count
}

/** Size lg stays as it is, though it was made by older rules. */
export async function keepOutdated(db: Db, sha256: string): Promise<void> {
  await db
    .updateTable('rendition')
    .set({ version: renditionVersion })
    .where('sha256', '=', sha256)
    .where('name', '=', 'lg')
    .execute()
}

/** Forgets what was removed of the content, but for what is among the renditions. */
export async function forgetRemoved(
  db: Db,
  sha256: string,
  renditions: readonly Pick<StoredRendition, 'name'>[],
): Promise<void> {
  const names = renditions.map(({ name }) => name).filter(isRemovedName)
  await db
    .deleteFrom('rendition')
    .where('sha256', '=', sha256)
    .where('name', 'like', `${removedName('')}%`)
    .$if(names.length > 0, (query) => query.where('name', 'not in', names))
    .execute()
}

/** Forgets a rendition: it is made again when somebody asks for it. */
export async function forgetRendition(db: Db, sha256: string, name: string): Promise<void> {
  await db.deleteFrom('rendition').where('sha256', '=', sha256).where('name', '=', name).execute()
}
