// The time zone for camera clocks without one: that of the track.
import { useEffect, useState } from 'react'
import { clockMs } from '../../../../src/shared/placing/camera-time.ts'
import { timeZoneOf } from '../../../../src/shared/placing/track-zone.ts'
import type { Track } from '../../../../src/shared/placing/track.ts'
import { cameraTimeOf } from '../../../upload/placeless.ts'
import type { Queue } from '../../../upload/queue.ts'

/** People who upload offline are mostly still where they walked. */
const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

/** UTC if every photo states its offset; undefined while the zone table is loading. */
export function useTrackZone(track: Track, photos: Queue): string | undefined {
  const [found, setFound] = useState<{ readonly of: Track; readonly zone: string }>()
  const isNeeded = photos
    .map(cameraTimeOf)
    .some((time) => clockMs(time) !== undefined && time.offsetMinutes === undefined)
  useEffect(() => {
    if (!isNeeded) return undefined
    let isOver = false
    const keep = (zone: string): void => {
      if (!isOver) setFound({ of: track, zone })
    }
    timeZoneOf(track).then(keep, () => keep(ownZone()))
    return () => {
      isOver = true
    }
  }, [track, isNeeded])
  if (!isNeeded) return 'UTC'
  return found?.of === track ? found.zone : undefined
}
