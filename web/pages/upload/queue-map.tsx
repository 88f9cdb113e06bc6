// Where the photos were taken, with the line of the trail.
import { memo, useMemo } from 'react'
import { boundsOf, roomy } from '../../map/geometry.ts'
import type { Bounds, MapLine, MapPoint, Position } from '../../map/kinds.ts'
import { MapView } from '../../map/map-view.tsx'
import { partsOf } from '../../map/trail-lines.ts'
import { uploadStrings } from '../../strings/upload.ts'
import type { LineGeometry } from '../../../client/client.ts'
import styles from './upload.module.css'

export interface PlacedPhoto {
  readonly id: string
  readonly name: string
  readonly lat: number
  readonly lon: number
  readonly isFailed: boolean
}

interface QueueMapProps {
  readonly photos: readonly PlacedPhoto[]
  readonly line: LineGeometry | undefined
  readonly activeId: string | undefined
  readonly onSelect: (id: string) => void
}

export const QueueMap = memo(function QueueMap({ photos, line, activeId, onSelect }: QueueMapProps) {
  const points = useMemo<readonly MapPoint[]>(
    () =>
      photos.map(({ id, name, lat, lon, isFailed }) => ({
        id,
        lat,
        lon,
        label: name,
        tone: isFailed ? 'bad' : 'photo',
      })),
    [photos],
  )
  const lines = useMemo<readonly MapLine[]>(
    () => (line ? [{ id: 'trail', coordinates: partsOf(line), tone: 'trail' }] : []),
    [line],
  )
  const bounds: Bounds | undefined = useMemo(() => {
    const places = photos.map(({ lon, lat }): Position => [lon, lat])
    return boundsOf(places.length > 0 || !line ? places : partsOf(line).flat())
  }, [photos, line])
  return (
    <MapView
      label={uploadStrings.mapLabel}
      className={styles.map}
      points={points}
      lines={lines}
      isClustered
      letsPageScroll
      initialBounds={bounds && roomy(bounds)}
      fitTo={bounds && { key: bounds.join(), bounds: roomy(bounds) }}
      selectedId={activeId}
      onSelect={onSelect}
    />
  )
})
