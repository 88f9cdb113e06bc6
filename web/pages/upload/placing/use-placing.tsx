// The active remedy and its photos: opens its dialog or asks the device.
import { lazy, Suspense, useCallback, useState, type ReactNode } from 'react'
import type { Queue } from '../../../upload/queue.ts'
import type { Remedy } from './remedies.tsx'
import { useChooser } from './use-chooser.tsx'
import { useDevice } from './use-device.ts'
import type { Placeless } from './use-placeless.ts'
import { useTrack } from './use-track.ts'

const TrackDialog = lazy(async () => ({ default: (await import('./track-dialog.tsx')).TrackDialog }))
const LineDialog = lazy(async () => ({ default: (await import('./line-dialog.tsx')).LineDialog }))

interface Open {
  readonly remedy: 'track' | 'line'
  /** Undefined for all that have no location, including those that are still being read. */
  readonly ids: readonly string[] | undefined
}

export interface Placing {
  readonly isAsking: boolean
  readonly isOpen: boolean
  readonly onRemedy: (remedy: Remedy, ids: readonly string[] | undefined) => void
  /** GPX files added with photos, or alone. */
  readonly takeTracks: (files: readonly File[]) => void
  /** Photos that were just taken with the camera. */
  readonly placeTaken: (added: Promise<readonly string[]>) => Promise<void>
  readonly parts: ReactNode
}

/** @param onAdd adds files that match no photo of the list. */
export function usePlacing(
  { photos, ids: allIds }: Placeless,
  onAdd: (files: readonly File[]) => void,
): Placing {
  const [open, setOpen] = useState<Open>()
  const { isAsking, placeNow, placeTaken } = useDevice()
  const { input, choose } = useChooser(onAdd)
  const onRemedy = useCallback(
    (remedy: Remedy, ids: readonly string[] | undefined): void => {
      if (remedy === 'device') void placeNow(ids ?? allIds)
      else if (remedy === 'chooser') choose(ids ?? allIds)
      else setOpen({ remedy, ids })
    },
    [placeNow, choose, allIds],
  )
  const track = useTrack()
  const { readFiles } = track
  const takeTracks = useCallback(
    (files: readonly File[]): void => {
      setOpen((before) => ({ remedy: 'track', ids: before?.ids }))
      readFiles(files)
    },
    [readFiles],
  )
  const close = (): void => setOpen(undefined)
  const named: Queue = open?.ids ? photos.filter(({ id }) => open.ids?.includes(id)) : photos
  return {
    isAsking,
    isOpen: open !== undefined,
    onRemedy,
    takeTracks,
    placeTaken,
    parts: (
      <>
        {input}
        <Suspense>
          {open?.remedy === 'track' && <TrackDialog photos={named} state={track} onClose={close} />}
          {open?.remedy === 'line' && <LineDialog photos={named} onClose={close} />}
        </Suspense>
      </>
    ),
  }
}
