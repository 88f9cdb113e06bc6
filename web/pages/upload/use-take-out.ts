// Removes photos from the queue, with Undo.
import { useCallback } from 'react'
import { uploadStrings } from '../../strings/upload.ts'
import { useToast } from '../../ui/notices/toasts.tsx'
import { useUploads } from '../../upload/use-uploads.ts'

export function useTakeOut(): (ids: readonly string[]) => void {
  const uploads = useUploads()
  const toast = useToast()
  return useCallback(
    (ids) => {
      const named = uploads.snapshot().queue.filter(({ id }) => ids.includes(id))
      const mayHaveArrived = named.some(({ state }) => state === 'processing')
      void uploads.remove(ids).then((takeBack) =>
        toast({
          message: mayHaveArrived ? uploadStrings.removedOnTheWay : uploadStrings.removed(ids.length),
          undo: () => void takeBack(),
        }),
      )
    },
    [uploads, toast],
  )
}
