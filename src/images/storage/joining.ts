// Small sizes that versions before 0.3 stored in eight blobs are put in one.
import type { Blobs } from '../../storage/port.ts'
import type { Db } from '../../database/database.ts'
import { renditionKey } from './blob-keys.ts'
import { digestOf, type NamedBytes } from './named-bytes.ts'
import { findSmallSizes, forgetSingleSizes, listSingleSizes, saveJoined } from './rendition-table.ts'
import { joinSmall } from './small-sizes.ts'

export interface Joining {
  readonly db: Db
  readonly blobs: Pick<Blobs, 'put' | 'read' | 'remove'>
}

/** Of a content whose sizes are all in one. The blobs first: without a row nobody would find them. */
export async function removeSingleSizes({ db, blobs }: Joining, sha256: string): Promise<void> {
  const names = (await listSingleSizes(db, sha256)).map(({ name }) => name)
  for (const name of names) await blobs.remove(renditionKey(sha256, name))
  await forgetSingleSizes(db, sha256, names)
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
    const whole: NamedBytes[] = []
    for (const { name, digest } of rows) {
      const bytes = await blobs.read(renditionKey(sha256, name))
      if (bytes && digestOf(bytes) === digest) whole.push({ name, bytes, digest })
    }
    if (whole.length === 0) return
    const small = joinSmall(whole)
    await blobs.put(renditionKey(sha256, small.name), small.bytes, 'remakeable')
    const isSaved = await saveJoined(db, sha256, { ...small, bytes: small.bytes.length })
    if (!isSaved) return
  }
  await removeSingleSizes(joining, sha256)
}
