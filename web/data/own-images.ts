// All photos that the person has ever sent, whatever became of them: one set for my photos and for finding doubles.
import { queryOptions } from '@tanstack/react-query'
import type { Image, Waymark } from '../../client/client.ts'
import { inOrderOfAdding } from './added-order.ts'
import { keys } from './keys.ts'

const pageSize = 500

/** The last added first. Staff would get everybody's without the filter. */
export const ownImages = (waymark: Waymark, acctId: number) =>
  queryOptions({
    queryKey: [...keys.ownImages, acctId],
    queryFn: async ({ signal }): Promise<readonly Image[]> => {
      const images: Image[] = []
      for await (const image of waymark.images.each({ submitterID: acctId, limit: pageSize }, { signal }))
        images.push(image)
      return inOrderOfAdding(images, acctId)
    },
  })
