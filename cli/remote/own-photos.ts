// Finds photos that the server has already stored, although no answer told so: an earlier run was killed, or its answer lost.
import type { Waymark } from '../../client/client.ts'
import type { Patience } from './patience.ts'

/** Of a page, the most that the server gives. */
const pageLength = 500

/** By SHA-256, the images of this account on the trail. They are listed once, and only if somebody asks. */
export function createOwnPhotos(
  waymark: Pick<Waymark, 'images'>,
  { trailId, accountId }: { readonly trailId: number; readonly accountId: number },
  patience: Patience,
) {
  async function list(): Promise<ReadonlyMap<string, number>> {
    const found = new Map<string, number>()
    const filters = { trailID: trailId, submitterID: accountId, limit: pageLength }
    for (let cursor: string | null | undefined; ;) {
      const { items, next } = await patience.until(() => waymark.images.page({ ...filters, cursor }))
      for (const { sha256, imageID } of items) if (!found.has(sha256)) found.set(sha256, imageID)
      if (next === null) return found
      cursor = next
    }
  }

  let listed: Promise<ReadonlyMap<string, number>> | undefined
  return {
    find: async (sha256: string): Promise<number | undefined> => {
      listed ??= list()
      return (await listed).get(sha256)
    },
  }
}

export type OwnPhotos = ReturnType<typeof createOwnPhotos>
