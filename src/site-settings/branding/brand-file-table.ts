// SQL of the pictures of the site.
import { createHash } from 'node:crypto'
import type { Db, Tx } from '../../database/database.ts'
import type { Chosen, StoredPicture, StoredPictures } from './chosen.ts'

/** A picture of the site, drawn of an upload (imaging/marks.ts). */
export interface DrawnMark {
  readonly kind: 'logo' | 'icon'
  readonly width: number
  readonly height: number
  readonly bytes: Uint8Array
}

export async function findBrandFile(db: Db, hash: string): Promise<Uint8Array | undefined> {
  const row = await db.selectFrom('brand_file').select('bytes').where('hash', '=', hash).executeTakeFirst()
  return row?.bytes
}

/** Keeps the bytes; the choice that names them is written in the same transaction. */
export async function insertBrandFiles(tx: Tx, marks: readonly DrawnMark[]): Promise<StoredPictures> {
  const stored: (StoredPicture & Pick<DrawnMark, 'kind'>)[] = []
  for (const { kind, width, height, bytes } of marks) {
    const hash = createHash('sha256').update(bytes).digest('hex')
    await tx
      .insertInto('brand_file')
      .values({ hash, bytes })
      .onConflict((conflict) => conflict.column('hash').doNothing())
      .execute()
    stored.push({ kind, hash, width, height })
  }
  const pictureOf = ({ hash, width, height }: StoredPicture): StoredPicture => ({ hash, width, height })
  const logo = stored.find(({ kind }) => kind === 'logo')
  return {
    logo: logo ? pictureOf(logo) : null,
    icons: stored.filter(({ kind }) => kind === 'icon').map(pictureOf),
  }
}

/** Deletes those that the choice no longer names. */
export async function deleteOtherBrandFiles(tx: Tx, { logo, favicon }: Chosen): Promise<void> {
  const named = [logo, favicon].flatMap((pictures) =>
    pictures === null ? [] : [pictures.logo, pictures.icons].flat(),
  )
  const hashes = named.flatMap((picture) => (picture === null ? [] : [picture.hash]))
  await tx
    .deleteFrom('brand_file')
    .$if(hashes.length > 0, (query) => query.where('hash', 'not in', hashes))
    .execute()
}
