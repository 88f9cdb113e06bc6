// SQL of the table rendition: what is stored of a content besides an original as it came.
import { sql, type Selectable } from 'kysely'
import type { Db, Tx } from '../../database/database.ts'
import { preparedInsert } from '../../database/prepared-rows.ts'
import { later } from '../../database/together.ts'
import { requireWritable } from '../../database/read-only.ts'
import type { RenditionTable } from '../../database/schema.ts'
import { renditionVersion } from '../../imaging/renditions.ts'
import { isRemovedName, removedName, renditionKey } from './blob-keys.ts'
import type { Part } from './named-bytes.ts'
import { readIndex, smallName, writeIndex } from './small-sizes.ts'

export interface StoredRendition {
  readonly name: string
  readonly bytes: number
  /** SHA-256 of the rendition, hex. */
  readonly digest: string
  /** Of the small sizes in one blob: where each of them is. */
  readonly parts?: readonly Part[]
}

/** The small sizes in one blob as they were made, before there was WebP. */
export interface SmallSizes extends StoredRendition {
  readonly parts: readonly Part[]
}

/** A size to be viewed, and where its bytes are. */
export interface FoundSize extends Part {
  readonly key: string
  /** Of the rules that it was made by. */
  readonly version: number
}

type Row = Selectable<RenditionTable>

/** The blob as it is since WebP was made. */
interface WithWebp {
  readonly bytes: number
  readonly digest: string
  /** As `writeIndex` gives them. */
  readonly index: string
}

function storedOf({ name, bytes, digest, parts, webp }: Row): StoredRendition {
  // In a copy of a database of a version before 0.3 there are no such columns.
  if (typeof parts !== 'string') return { name, bytes, digest }
  if (typeof webp !== 'string') return { name, bytes, digest, parts: readIndex(parts) }
  const since = JSON.parse(webp) as WithWebp
  return { name, bytes: since.bytes, digest: since.digest, parts: readIndex(since.index) }
}

/**
 * All that is stored of a content besides an original as it came. What was removed of it is among them only where it is
 * for the size lg that there is: then the original can be rebuilt. A small size that is in one blob with the others is not
 * told again where it has not yet lost the blob that was its own.
 */
export async function listRenditions(db: Db, sha256: string): Promise<StoredRendition[]> {
  const rows = await db
    .selectFrom('rendition')
    .selectAll()
    .where('sha256', '=', sha256)
    .orderBy('name')
    .execute()
  const large = rows.find(({ name }) => name === 'lg')
  const removed = large && removedName(large.digest)
  const stored = rows.filter(({ name }) => !isRemovedName(name) || name === removed).map(storedOf)
  const joined = new Set(stored.flatMap(({ parts }) => parts?.map(({ name }) => name) ?? []))
  return stored.filter(({ name }) => !joined.has(name))
}

/** Whether any rendition of the content has its row. */
export async function hasRenditions(db: Db, sha256: string): Promise<boolean> {
  const { rows } = await sql`select 1 from rendition where sha256 = ${sha256} limit 1`.execute(db)
  return rows.length > 0
}

const rowsOf = (sha256: string, renditions: readonly StoredRendition[]) =>
  renditions.map(({ name, bytes, digest, parts }) => ({
    sha256,
    name,
    bytes,
    digest,
    version: renditionVersion,
    parts: parts === undefined ? null : writeIndex(parts),
    webp: null,
  }))

/** Of a content that has none (`hasRenditions`): the transaction has it as a key, or runs alone. */
export async function insertRenditions(
  tx: Tx,
  sha256: string,
  renditions: readonly StoredRendition[],
): Promise<void> {
  if (renditions.length > 0) await later(tx, preparedInsert(tx, 'rendition', ...rowsOf(sha256, renditions)))
}

/** What another size lg lacked keeps its row for as long as it is stored, so that it is deleted with the content. */
export async function saveRenditions(
  db: Db,
  sha256: string,
  renditions: readonly StoredRendition[],
): Promise<void> {
  if (renditions.length === 0) return
  const rows = rowsOf(sha256, renditions)
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
        parts: ref('excluded.parts'),
        webp: ref('excluded.webp'),
      })),
    )
    .execute()
}

export async function findRendition(
  db: Db,
  sha256: string,
  name: string,
): Promise<StoredRendition | undefined> {
  const row = await db
    .selectFrom('rendition')
    .selectAll()
    .where('sha256', '=', sha256)
    .where('name', '=', name)
    .executeTakeFirst()
  return row && storedOf(row)
}

/** The first of the names that the content has a size for: among those in one blob, or in a blob of its own. */
export async function findSize(
  db: Db,
  sha256: string,
  names: readonly string[],
): Promise<FoundSize | undefined> {
  const rows = await db
    .selectFrom('rendition')
    .selectAll()
    .where('sha256', '=', sha256)
    .where('name', 'in', [...names, smallName])
    .execute()
  const small = rows.find(({ name }) => name === smallName)
  const parts = (small && storedOf(small).parts) ?? []
  for (const name of names) {
    const part = parts.find((one) => one.name === name)
    if (small && part) return { ...part, key: renditionKey(sha256, smallName), version: small.version }
  }
  for (const name of names) {
    const row = rows.find((one) => one.name === name)
    if (!row) continue
    const { bytes, digest, version } = row
    return { name, start: 0, bytes, digest, key: renditionKey(sha256, name), version }
  }
  return undefined
}

/** The small sizes in one blob as they were before there was WebP. */
export async function findSmallSizes(db: Db, sha256: string): Promise<SmallSizes | undefined> {
  const row = await db
    .selectFrom('rendition')
    .select(['name', 'bytes', 'digest', 'parts'])
    .where('sha256', '=', sha256)
    .where('name', '=', smallName)
    .executeTakeFirst()
  return typeof row?.parts === 'string' ? { ...row, parts: readIndex(row.parts) } : undefined
}

/**
 * Says that the blob has WebP.
 * @returns false where it has been made anew meanwhile, or deleted: then it must not be written.
 */
export async function saveWebp(
  db: Db,
  sha256: string,
  small: SmallSizes,
  whole: { readonly bytes: number; readonly digest: string; readonly parts: readonly Part[] },
): Promise<boolean> {
  const since: WithWebp = { bytes: whole.bytes, digest: whole.digest, index: writeIndex(whole.parts) }
  const { numUpdatedRows } = await db
    .updateTable('rendition')
    .set({ webp: JSON.stringify(since) })
    .where('sha256', '=', sha256)
    .where('name', '=', smallName)
    .where('digest', '=', small.digest)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** The small sizes in blobs of their own, as versions before 0.3 stored them. */
export async function listSingleSizes(db: Db, sha256: string): Promise<StoredRendition[]> {
  const rows = await db
    .selectFrom('rendition')
    .select(['name', 'bytes', 'digest'])
    .where('sha256', '=', sha256)
    .where('name', 'not in', ['lg', smallName])
    .execute()
  return rows.filter(({ name }) => !isRemovedName(name))
}

/**
 * Says that the small sizes of a content, which had blobs of their own, are in one.
 * @returns false where the content is being deleted: then nothing was written.
 */
export function saveJoined(db: Db, sha256: string, small: StoredRendition): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    await requireWritable(tx)
    const { numUpdatedRows } = await tx // locks its row: no deletion begins meanwhile
      .updateTable('content')
      .set(({ ref }) => ({ bytes: ref('bytes') }))
      .where('sha256', '=', sha256)
      .where('condemned_at', 'is', null)
      .executeTakeFirstOrThrow()
    if (numUpdatedRows === 0n) return false
    await saveRenditions(tx, sha256, [small])
    return true
  })
}

/** Forgets the sizes that had blobs of their own. */
export async function forgetSingleSizes(db: Db, sha256: string, names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  await db.deleteFrom('rendition').where('sha256', '=', sha256).where('name', 'in', names).execute()
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
