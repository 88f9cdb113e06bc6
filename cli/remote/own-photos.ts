// Finds photos that the server has stored although the response was lost, for example because an earlier run was
// killed.
import type { Waymark } from '../../client/client.ts'
import type { Patience } from './patience.ts'

/** The server's maximum page size. */
const pageLength = 500

/** The images of this account on the trail by SHA-256. Listed once, on first use. */
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
