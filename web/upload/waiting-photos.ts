// How many photos wait in this browser while nobody is signed in.
import { useQuery } from '@tanstack/react-query'
import { useHasUploads } from '../data/uploads-mark.ts'
import { isOver } from './photo.ts'
import { createStore } from './store.ts'

/** Of one account at most, the one that added photos last: what others left here is nobody else's to hear of. */
async function countWaiting(): Promise<number> {
  const photos = await createStore({ onNoRoom: () => undefined }).load()
  const acctId = photos.at(-1)?.acctId
  return photos.filter((photo) => photo.acctId === acctId && !isOver(photo)).length
}

export function useWaitingPhotos(isSignedOut: boolean): number {
  const hasUploads = useHasUploads()
  const { data } = useQuery({
    queryKey: ['uploads', 'waiting'],
    queryFn: countWaiting,
    enabled: isSignedOut && hasUploads,
    networkMode: 'always',
    gcTime: 0,
  })
  return data ?? 0
}
