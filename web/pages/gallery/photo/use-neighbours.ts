// The photos before and after one, with the order and filters of the URL.
import { useCallback, useEffect, useMemo } from 'react'
import type { Image, Trail } from '../../../../client/client.ts'
import { useGalleryAddress, useListed } from '../use-gallery.ts'

/** When this close to the end of the loaded photos, more are requested. */
const photosAhead = 2
const none: readonly Image[] = []

export interface NeighbourPhotos {
  readonly previous: number | undefined
  readonly next: number | undefined
  /** Undefined while its position in the list is unknown. */
  readonly place: { readonly at: number; readonly all: number } | undefined
}

export function useNeighbours({ trailID, images: total }: Trail, imageId: number) {
  const { filters, isFiltered } = useGalleryAddress()
  const listed = useListed({ trailId: trailID, ...filters })
  const { images = none, hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = listed
  const canLoad = hasNextPage && !isFetching && !isFetchNextPageError
  const more = useCallback(() => {
    if (canLoad) void fetchNextPage()
  }, [canLoad, fetchNextPage])
  const index = useMemo(() => images.findIndex(({ imageID }) => imageID === imageId), [images, imageId])
  // It may be far down the list, which continues to load.
  useEffect(() => {
    if (index === -1 || index >= images.length - photosAhead) more()
  }, [index, images.length, more])
  const all = isFiltered ? images.length : Math.max(total, images.length)
  return {
    images,
    hasMore: hasNextPage,
    more,
    total: all,
    previous: index > 0 ? images[index - 1]?.imageID : undefined,
    next: index === -1 ? undefined : images[index + 1]?.imageID,
    place: index === -1 ? undefined : { at: index + 1, all },
  }
}
