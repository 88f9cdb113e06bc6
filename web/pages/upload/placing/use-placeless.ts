// The photos without a location and the suggestions from their neighbours, with stable identity.
import { useMemo } from 'react'
import {
  neighbourOffers,
  placelessOf,
  type NeighbourOffer,
  type NeighbourOffers,
} from '../../../upload/placeless.ts'
import type { Queue } from '../../../upload/queue.ts'
import { useUploadsState } from '../../../upload/use-uploads.ts'

export interface Placeless {
  readonly photos: Queue
  readonly ids: readonly string[]
  readonly offers: NeighbourOffers
}

/** The queue changes with every chunk that is sent, but these rarely do, and dialogs depend on them. */
export function usePlaceless(): Placeless {
  const { queue } = useUploadsState()
  const photosText = JSON.stringify(placelessOf(queue))
  const offersText = JSON.stringify([...neighbourOffers(queue)])
  return useMemo(() => {
    const photos = JSON.parse(photosText) as Queue
    const offers = new Map(JSON.parse(offersText) as readonly (readonly [string, NeighbourOffer])[])
    return { photos, ids: photos.map(({ id }) => id), offers }
  }, [photosText, offersText])
}
