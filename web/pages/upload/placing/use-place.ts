// Sets the locations found for photos, with Undo.
import { useCallback } from 'react'
import { placingStrings } from '../../../strings/placing.ts'
import { useToast } from '../../../ui/notices/toasts.tsx'
import type { Placement } from '../../../upload/photo.ts'
import { useUploads } from '../../../upload/use-uploads.ts'

export interface Placed {
  readonly id: string
  readonly placement: Placement
}

/** About a centimetre; more digits would be false precision. */
const rounded = (degrees: number): number => Number(degrees.toFixed(7))

type Place = (placed: readonly Placed[], message?: string) => void

export function usePlace(): Place {
  const uploads = useUploads()
  const toast = useToast()
  return useCallback(
    (placed, message = placingStrings.placed(placed.length)) => {
      if (placed.length === 0) return
      const named = new Set(placed.map(({ id }) => id))
      const before = uploads.snapshot().queue.filter(({ id }) => named.has(id))
      for (const { id, placement } of placed)
        uploads.dispatch({
          type: 'edited',
          ids: [id],
          texts: {
            position: {
              from: 'person',
              ...placement,
              lat: rounded(placement.lat),
              lon: rounded(placement.lon),
            },
          },
        })
      toast({
        message,
        undo: () => {
          for (const { id, position } of before)
            uploads.dispatch({ type: 'edited', ids: [id], texts: { position } })
        },
      })
    },
    [uploads, toast],
  )
}
