// The uploads of whoever is signed in, for components: made once, and going on whichever page is shown.
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { createWaymark } from '../../client/client.ts'
import { noteAdded } from '../data/added-order.ts'
import { baseUrl } from '../data/base.ts'
import { keys } from '../data/keys.ts'
import { ownImages } from '../data/own-images.ts'
import { useSite } from '../data/site.ts'
import { markUploads } from '../data/uploads-mark.ts'
import { useSignInAgain, useWaymark } from '../data/waymark.tsx'
import { createUploads, type Uploads } from './engine.ts'
import type { FindSent, UploadsState } from './engine-parts.ts'
import { hasLeft } from './queue-view.ts'

/** @throws where nobody is signed in: a page asks for that first. */
export function useUploads(): Uploads {
  const queries = useQueryClient()
  const waymark = useWaymark()
  const again = useSignInAgain()
  const { viewer, maxImageBytes } = useSite()
  if (viewer === null) throw new Error('uploads need an account')
  const { acctID: acctId } = viewer

  /** Without a connection nothing can be known of what was sent before; the server's own rules still hold. */
  const findSent: FindSent = async (sha256) => {
    const images = await queries
      .fetchQuery({ ...ownImages(waymark, acctId), staleTime: 60_000 })
      .catch(() => [])
    const found = images.find((image) => image.sha256 === sha256)
    return found && { imageId: found.imageID, status: found.status, trailId: found.trailID }
  }

  return useSuspenseQuery({
    queryKey: ['uploads', acctId],
    queryFn: () => {
      const uploads = createUploads({
        acctId,
        maxBytes: maxImageBytes,
        findSent,
        waymark: createWaymark({ baseUrl, credential: 'session', retries: 0 }),
        signInAgain: again.ask,
        onMade: (imageId, { addedAt }) => {
          noteAdded(acctId, imageId, addedAt)
          void queries.invalidateQueries({ queryKey: keys.images })
        },
      })
      uploads.subscribe(() => {
        const { isLoaded, queue } = uploads.snapshot()
        if (isLoaded) markUploads(hasLeft(queue))
      })
      return uploads
    },
    // It is no data that grows old: there is one for as long as the page lives.
    staleTime: 'static',
    gcTime: Infinity,
    structuralSharing: false,
  }).data
}

export function useUploadsState(): UploadsState {
  const uploads = useUploads()
  return useSyncExternalStore(uploads.subscribe, uploads.snapshot)
}
