// The queries and mutations of the user's photos; events of the server invalidate them (data/live.ts).
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Image, TrashedImage } from '../../../client/client.ts'
import { keys } from '../../data/keys.ts'
import { ownImages } from '../../data/own-images.ts'
import { useViewer } from '../../data/site.ts'
import { useWaymark } from '../../data/waymark.tsx'
import { photoStrings } from '../../strings/photos.ts'
import { tellProblem } from '../../ui/notices/problem-notice.tsx'
import { useToast } from '../../ui/notices/toasts.tsx'

const maxAtOnce = 3

const useAccountId = (): number => useViewer()?.acctID ?? 0

export const useOwnImages = () => useQuery(ownImages(useWaymark(), useAccountId()))

export function useOwnTrash() {
  const waymark = useWaymark()
  const acctId = useAccountId()
  return useQuery({
    queryKey: [...keys.images, 'trash', acctId],
    queryFn: async ({ signal }) => {
      const items: TrashedImage[] = []
      for await (const item of waymark.trash.each({ limit: 500 }, { signal }))
        // For staff the API returns everyone's photos; this page shows only the user's own.
        if (item.submitterID === acctId) items.push(item)
      return items
    },
  })
}

export function useHistory(imageId: number, { isWanted = true } = {}) {
  const waymark = useWaymark()
  return useQuery({
    queryKey: [...keys.image(imageId), 'history'],
    queryFn: async () => (await waymark.images.history.page(imageId, { limit: 500 })).items,
    enabled: isWanted,
  })
}

interface Outcome {
  readonly done: readonly number[]
  readonly failures: readonly unknown[]
}

/** A few at a time, independently: one failure does not stop the others. */
export async function forEach(
  ids: readonly number[],
  change: (id: number) => Promise<unknown>,
): Promise<Outcome> {
  const waiting = [...ids]
  const done: number[] = []
  const failures: unknown[] = []
  const work = async (): Promise<void> => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      try {
        await change(id)
        done.push(id)
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: maxAtOnce }, work))
  return { done, failures }
}

export function usePhotoChanges() {
  const waymark = useWaymark()
  const queries = useQueryClient()
  const toast = useToast()
  const acctId = useAccountId()
  const refresh = () => queries.invalidateQueries({ queryKey: keys.images })

  function tell({ done, failures }: Outcome, said: (count: number) => string, undo?: () => void): void {
    if (done.length > 0) toast(undo ? { message: said(done.length), undo } : { message: said(done.length) })
    if (failures.length === 0) return
    const { title } = tellProblem(failures[0])
    const all = done.length + failures.length
    toast({ message: photoStrings.done.someFailed(failures.length, all, title), tone: 'bad' })
  }

  const restore = async (ids: readonly number[]): Promise<void> => {
    const outcome = await forEach(ids, (id) => waymark.images.restore(id))
    await refresh()
    tell(outcome, photoStrings.done.restored)
  }

  return {
    restore: (ids: readonly number[]) => void restore(ids),
    /** Moves to the trash, with Undo. */
    remove: async (ids: readonly number[]): Promise<void> => {
      const gone = new Set(ids)
      queries.setQueryData<readonly Image[]>([...keys.ownImages, acctId], (images) =>
        images?.filter(({ imageID }) => !gone.has(imageID)),
      )
      const outcome = await forEach(ids, (id) => waymark.images.remove(id))
      await refresh()
      tell(outcome, photoStrings.done.deleted, () => void restore(outcome.done))
    },
    caption: async (images: readonly Image[], caption: string): Promise<void> => {
      const before = new Map(images.map((image) => [image.imageID, image.caption]))
      const ids = images.map(({ imageID }) => imageID)
      const outcome = await forEach(ids, (id) => waymark.images.change(id, { caption }))
      await refresh()
      const putBack = async (): Promise<void> => {
        const back = await forEach(outcome.done, (id) =>
          waymark.images.change(id, { caption: before.get(id) ?? '' }),
        )
        await refresh()
        tell(back, photoStrings.done.putBack)
      }
      tell(outcome, photoStrings.done.captioned, () => void putBack())
    },
    saved: async (): Promise<void> => {
      await refresh()
      toast({ message: photoStrings.done.saved })
    },
  }
}
