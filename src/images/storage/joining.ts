// Small sizes that versions before 0.3 stored in eight blobs are put in one.
import type { Blobs } from '../../storage/port.ts'
import type { Db } from '../../database/database.ts'
import { renditionKey } from './blob-keys.ts'
import { Refusal } from '../../errors.ts'
import type { NamedBytes } from './named-bytes.ts'
import { findSmallSizes, forgetSingleSizes, listSingleSizes, saveJoined } from './rendition-table.ts'
import { joinSmall } from './small-sizes.ts'
import { takeWhole, wantedOf } from './whole-blob.ts'

export interface Joining {
  readonly db: Db
  readonly blobs: Pick<Blobs, 'put' | 'open' | 'remove'>
}

/**
 * Of a content whose sizes are all in one. The blobs first: without a row nobody would find them.
 * @returns how many there were.
 */
export async function removeSingleSizes(
  { db, blobs }: Pick<Joining, 'db'> & { readonly blobs: Pick<Blobs, 'remove'> },
  sha256: string,
): Promise<number> {
  const names = (await listSingleSizes(db, sha256)).map(({ name }) => name)
  await Promise.all(names.map((name) => blobs.remove(renditionKey(sha256, name))))
  await forgetSingleSizes(db, sha256, names)
  return names.length
}

/**
 * A crash leaves all of them readable: each size is in the one blob before its own is removed. What is damaged is left out,
 * and made again when somebody asks for it.
 * @throws where the store does not answer.
 */
export async function joinSingleSizes(joining: Joining, sha256: string): Promise<void> {
  const { db, blobs } = joining
  const rows = await listSingleSizes(db, sha256)
  if (rows.length === 0) return
  if ((await findSmallSizes(db, sha256)) === undefined) {
    const taken = await Promise.all(
      rows.map(async (row) => ({ row, blob: await takeWhole(blobs, wantedOf(sha256, row)) })),
    )
    const whole: NamedBytes[] = []
    for (const { row, blob } of taken) {
      if ('bytes' in blob) whole.push({ name: row.name, bytes: blob.bytes, digest: row.digest })
      else if (blob.error instanceof Refusal) throw blob.error // the store does not answer: nothing is known of it
    }
    if (whole.length === 0) return
    const small = joinSmall(whole)
    await blobs.put(renditionKey(sha256, small.name), small.bytes, 'remakeable')
    const isSaved = await saveJoined(db, sha256, { ...small, bytes: small.bytes.length })
    if (!isSaved) {
      // The photo is being deleted for good; unless it has come again since.
      if ((await findSmallSizes(db, sha256)) === undefined)
        await blobs.remove(renditionKey(sha256, small.name))
      return
    }
  }
  await removeSingleSizes(joining, sha256)
}
