// An account with as many photos as a test wants, stored without decoding one.
import { createHash } from 'node:crypto'
import { positionColumns } from '../../src/images/image-table.ts'
import { bumpTrailVersion, findPlaceOnTrail, recordMove } from '../../src/events/outbox.ts'
import { originalKey, renditionKey } from '../../src/images/storage/blob-keys.ts'
import type { Installation } from '../../src/installation.ts'

export interface ManyPhotos {
  readonly accountId: number
  readonly trailId: number
  readonly count: number
  /** Of each original. */
  readonly bytes: number
}

const renditions = ['lg', 'sm.jpeg']
const small = Buffer.from('a rendition')

export async function addPhotos({ database, blobs, system }: Installation, many: ManyPhotos): Promise<void> {
  const { accountId, trailId, count, bytes } = many
  const rows: { sha256: string; state: 'pending' | 'approved' }[] = []
  for (let number = 0; number < count; number += 1) {
    const original = Buffer.alloc(bytes, `photo ${number} `)
    const sha256 = createHash('sha256').update(original).digest('hex')
    await blobs.put(originalKey(sha256), original, 'remakeable')
    for (const name of renditions) await blobs.put(renditionKey(sha256, name), small, 'remakeable')
    rows.push({ sha256, state: number % 2 === 0 ? 'approved' : 'pending' })
  }
  const at = system.now()
  await database.db.transaction().execute(async (tx) => {
    for (const { sha256, state } of rows) {
      await tx.insertInto('content').values({ sha256, bytes, condemned_at: null }).execute()
      for (const name of renditions)
        await tx.insertInto('rendition').values({ sha256, name, bytes: small.length, digest: '' }).execute()
      const imageId = system.newId()
      await bumpTrailVersion(tx, trailId)
      await tx
        .insertInto('image')
        .values({
          id: imageId,
          seq: (await findPlaceOnTrail(tx, trailId)).seq,
          trail_id: trailId,
          submitter_id: accountId,
          state,
          title: `Photo ${imageId}`,
          caption: '',
          ...positionColumns(undefined),
          mime_type: 'image/jpeg',
          sha256,
          bytes,
          width: 4,
          height: 3,
          posted_at: at,
          updated_at: at,
        })
        .execute()
      await recordMove(tx, {
        type: 'image.uploaded',
        at,
        imageId,
        trailId,
        submitterId: accountId,
        actorId: accountId,
        from: null,
        to: state,
      })
    }
  })
}
