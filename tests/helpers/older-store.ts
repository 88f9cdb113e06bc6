// Stores photos like versions before 0.3: the uploaded original beside size lg.
import { hash } from 'node:crypto'
import type { Installation } from '../../src/installation.ts'
import { isRemovedName, originalKey, renditionKey } from '../../src/images/storage/blob-keys.ts'
import { findContent } from '../../src/images/storage/content-table.ts'
import type { Part } from '../../src/images/storage/named-bytes.ts'
import {
  findRendition,
  forgetRendition,
  listRenditions,
  saveRenditions,
} from '../../src/images/storage/rendition-table.ts'
import { findBase, isWebp, smallName } from '../../src/images/storage/small-sizes.ts'
import { makeWebpSizes } from '../../src/imaging/resize.ts'
import { removedFrom, takeOriginal } from '../../src/images/storage/originals.ts'
import { rowsOf } from '../../src/images/view/rendition-store.ts'

/**
 * The original of a content, in either storage form.
 * @throws if it is missing or damaged.
 */
export async function originalOf(
  { database: { db }, blobs }: Pick<Installation, 'database' | 'blobs'>,
  sha256: string,
): Promise<Buffer> {
  const { bytes } = await findContent(db, sha256)
  const taken = await takeOriginal(blobs, { sha256, bytes }, await listRenditions(db, sha256))
  if ('fault' in taken) throw new Error(`the original ${taken.fault}`)
  return taken.bytes
}

/** Stores each small size as a blob of its own, in both formats. */
async function storeSingleSizes(
  { database: { db }, blobs }: Pick<Installation, 'database' | 'blobs'>,
  sha256: string,
): Promise<void> {
  const { parts } = (await findRendition(db, sha256, smallName)) ?? {}
  if (!parts) return
  const all = (await blobs.read(renditionKey(sha256, smallName))) ?? Buffer.alloc(0)
  const bytesOf = ({ start, bytes }: Part): Uint8Array => all.subarray(start, start + bytes)
  const base = parts.some(({ name }) => isWebp(name)) ? undefined : findBase(parts)
  const webp = (base ? await makeWebpSizes(bytesOf(base)) : []).map(({ name, bytes }) => ({
    name,
    bytes,
    digest: hash('sha256', bytes, 'hex'),
  }))
  const plain = parts
    .filter(({ name }) => !name.startsWith('base.'))
    .map((part) => ({ name: part.name, bytes: bytesOf(part), digest: part.digest }))
  const singles = [...plain, ...webp]
  for (const { name, bytes } of singles) await blobs.put(renditionKey(sha256, name), bytes, 'remakeable')
  await saveRenditions(db, sha256, rowsOf(singles))
  await forgetRendition(db, sha256, smallName)
  await blobs.remove(renditionKey(sha256, smallName))
}

/** Converts an uploaded content to the form of older versions. */
export async function storeAsBefore(
  installation: Pick<Installation, 'database' | 'blobs'>,
  sha256: string,
): Promise<void> {
  const { database, blobs } = installation
  const { db } = database
  await storeSingleSizes(installation, sha256)
  const original = await originalOf(installation, sha256)
  await blobs.put(originalKey(sha256), original, 'durable')
  for (const { name } of await listRenditions(db, sha256)) {
    if (!isRemovedName(name)) continue
    await db.deleteFrom('rendition').where('sha256', '=', sha256).where('name', '=', name).execute()
    await blobs.remove(renditionKey(sha256, name))
  }
  await db.updateTable('content').set({ original: 'stored' }).where('sha256', '=', sha256).execute()
}

/** Replaces size lg by one of an older rule, with the matching remainder of the original. */
export async function storeOlderLarge(
  installation: Pick<Installation, 'database' | 'blobs'>,
  sha256: string,
  large: Uint8Array,
): Promise<void> {
  const { database, blobs } = installation
  const { db } = database
  const original = await originalOf(installation, sha256)
  const older = { name: 'lg', bytes: large, digest: hash('sha256', large, 'hex') }
  const removed = removedFrom(sha256, original, older)
  if (!removed) throw new Error('the original cannot be rebuilt from this size lg')
  for (const { name } of await listRenditions(db, sha256)) {
    if (!isRemovedName(name)) continue
    await forgetRendition(db, sha256, name)
    await blobs.remove(renditionKey(sha256, name))
  }
  for (const { name, bytes } of [removed, older])
    await blobs.put(renditionKey(sha256, name), bytes, 'durable')
  await saveRenditions(db, sha256, rowsOf([removed, older]))
  const row = db.updateTable('rendition').set({ version: 0 })
  await row.where('sha256', '=', sha256).where('name', '=', 'lg').execute()
}
