// Fills an installation with photos in seconds, without a server: consistent rows and blobs of noise. Half of the
// originals are stored as uploaded, like versions before 0.3, and half are rebuilt.
import { randomBytes } from 'node:crypto'
import { imageSizes } from '../../../src/shared/image-sizes.ts'
import { originalKey, renditionKey } from '../../../src/images/storage/blob-keys.ts'
import { removedFrom } from '../../../src/images/storage/originals.ts'
import { saveRenditions } from '../../../src/images/storage/rendition-table.ts'
import { trailId, withInstallation } from './installation.ts'
import { sha256Of } from './pictures.ts'

const renditionNames = imageSizes.flatMap((size) => (size === 'lg' ? [] : [`${size}.jpeg`, `${size}.webp`]))
const rowsAtOnce = 100

export interface Stock {
  readonly photos: number
  /** Of an original; its remainder besides size lg is a hundred bytes. */
  readonly photoBytes: number
  /** Of each small size. */
  readonly smallBytes: number
}

/** Adds photos to an installation created by `prepare`. */
export const fillStore = (dataDir: string, { photos, photoBytes, smallBytes }: Stock): Promise<void> =>
  withInstallation(dataDir, async ({ database: { db }, blobs }) => {
    const { id: submitter } = await db.selectFrom('account').select('id').executeTakeFirstOrThrow()

    async function put(key: string, bytes: Uint8Array): Promise<void> {
      await blobs.put(key, bytes, 'remakeable')
    }

    for (let done = 0; done < photos; done += rowsAtOnce) {
      const originals = Array.from({ length: Math.min(rowsAtOnce, photos - done) }, () =>
        randomBytes(photoBytes),
      )
      await db.transaction().execute(async (tx) => {
        for (const [index, original] of originals.entries()) {
          const sha256 = sha256Of(original)
          const bytes = original.length
          const isRebuilt = index % 2 === 1
          const place = isRebuilt ? 'rebuilt' : 'stored'
          await tx
            .insertInto('content')
            .values({ sha256, bytes, condemned_at: null, original: place })
            .execute()
          const large = Buffer.concat([original.subarray(0, 20), original.subarray(120)])
          const removed = removedFrom(sha256, original, { name: 'lg', bytes: large, digest: sha256Of(large) })
          if (!removed) throw new Error('what was cut out of noise is not found')
          if (!isRebuilt) await put(originalKey(sha256), original)
          const made: { readonly name: string; readonly bytes: Uint8Array }[] = [
            { name: 'lg', bytes: large },
            ...(isRebuilt ? [removed] : []),
            ...renditionNames.map((name) => ({ name, bytes: randomBytes(smallBytes) })),
          ]
          for (const rendition of made) await put(renditionKey(sha256, rendition.name), rendition.bytes)
          const rows = made.map(({ name, bytes: own }) => ({
            name,
            bytes: own.length,
            digest: sha256Of(own),
          }))
          await saveRenditions(tx, sha256, rows)
          const number = done + index + 1
          await tx
            .insertInto('image')
            .values({
              id: number,
              seq: number,
              trail_id: trailId,
              submitter_id: submitter,
              state: 'pending',
              title: '',
              caption: '',
              lat: '0',
              lon: '0',
              latitude: null,
              longitude: null,
              mime_type: 'image/png',
              sha256,
              bytes,
              width: 1,
              height: 1,
              posted_at: 0,
              updated_at: 0,
              details_set_at: null,
              accepted_title: null,
              accepted_caption: null,
            })
            .execute()
        }
      })
    }
  })
