// Where the photo was taken, against the line of its trail: on a map, and in words.
import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useMemo } from 'react'
import { useWaymark } from '../../../data/waymark.tsx'
import { keys } from '../../../data/keys.ts'
import { boxOf, partsOf } from '../../../map/trail-lines.ts'
import { reviewStrings as strings } from '../../../strings/review.ts'
import { useFormat } from '../../../ui/format.ts'
import { metresToLines } from './line-distance.ts'
import styles from './panel.module.css'
import type { Bounds } from '../../../map/kinds.ts'
import { titleOf } from '../decisions/refusals.ts'
import type { DeskItem } from '../decisions/review-session.ts'

const MapView = lazy(async () => ({ default: (await import('../../../map/map-view.tsx')).MapView }))

/** Nearer than a phone knows where it is. */
const onLineMetres = 15
const marginDegrees = 0.004

/** The photo and the nearest of the trail around it: a long trail would make the photo a dot in a country. */
function boundsAround(
  { lat, lon }: { readonly lat: number; readonly lon: number },
  metres: number | undefined,
): Bounds {
  const margin = Math.max(marginDegrees, ((metres ?? 0) * 1.6) / 111_320)
  return [lon - margin * 1.5, lat - margin, lon + margin * 1.5, lat + margin]
}

export function PlacePart({ item }: { readonly item: DeskItem }) {
  const waymark = useWaymark()
  const format = useFormat()
  const { imageID, trailID, lat, lon, status, queue } = item
  const { data: trail } = useQuery({
    queryKey: [...keys.trails, 'one', trailID],
    queryFn: () => waymark.trails.get(trailID),
    staleTime: 300_000,
  })
  const lines = useMemo(() => partsOf(trail?.geometry ?? null), [trail])
  const isKnown = lat !== null && lon !== null
  const measured = isKnown ? metresToLines({ lat, lon }, lines) : undefined
  const metres = queue?.flags.find(({ code }) => code === 'far-from-trail')?.metres ?? measured
  const bounds = isKnown ? boundsAround({ lat, lon }, metres) : trail && boxOf(trail)
  return (
    <section className={styles.part}>
      <h2>{strings.place.heading}</h2>
      {!isKnown && <Text size="sm">{strings.place.none}</Text>}
      {isKnown && metres !== undefined && (
        <Text size="sm">
          {metres < onLineMetres ? strings.place.onLine : strings.place.fromLine(format.metres(metres))}
        </Text>
      )}
      {trail && lines.length === 0 && <Text size="sm">{strings.place.noLine}</Text>}
      {bounds && (
        <Suspense fallback={<div className={styles.map} />}>
          <MapView
            className={styles.map}
            label={strings.place.map(titleOf(item))}
            initialBounds={bounds}
            fitTo={{ key: String(imageID), bounds }}
            lines={[{ id: `trail-${trailID}`, coordinates: lines, tone: 'trail' }]}
            points={
              isKnown
                ? [{ id: String(imageID), lat, lon, tone: status === 'approved' ? 'photo' : 'pending' }]
                : []
            }
            letsPageScroll
          />
        </Suspense>
      )}
    </section>
  )
}
