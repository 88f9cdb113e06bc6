// The selected photos: one by one, a range with Shift, or all visible ones.
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { Image } from '../../../client/client.ts'

export function useSelection(images: readonly Image[]) {
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set())
  const lastId = useRef<number>(undefined)
  const shown = useRef(images)
  useEffect(() => {
    shown.current = images
  })
  // Filtered-out photos are not selected, so that nobody deletes what they do not see.
  const selected = useMemo(
    () => new Set(images.map(({ imageID }) => imageID).filter((id) => chosen.has(id))),
    [images, chosen],
  )
  const toggle = useCallback((imageId: number, isRange: boolean): void => {
    const ids = shown.current.map(({ imageID }) => imageID)
    const from = ids.indexOf(lastId.current ?? imageId)
    const to = ids.indexOf(imageId)
    lastId.current = imageId
    setChosen((before) => {
      const next = new Set(before)
      if (isRange && from >= 0)
        for (const id of ids.slice(Math.min(from, to), Math.max(from, to) + 1)) next.add(id)
      else if (!next.delete(imageId)) next.add(imageId)
      return next
    })
  }, [])
  return {
    selected,
    toggle,
    clear: () => setChosen(new Set()),
    all: () => setChosen(new Set(images.map(({ imageID }) => imageID))),
  }
}
