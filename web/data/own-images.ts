// All photos of the user in any state: one query for My photos and for finding duplicates.
import { queryOptions } from '@tanstack/react-query'
import type { Image, Waymark } from '../../client/client.ts'
import { inOrderOfAdding } from './added-order.ts'
import { keys } from './keys.ts'

const pageSize = 500

/** Newest first. Without the filter, staff would get everyone's. */
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
