// The map beside the list: a pin for every trail that has a line, and the search of the area that it shows.
import { CloseButton } from '@mantine/core'
import { useMemo, useState } from 'react'
import type { TrailSummary } from '../../../client/client.ts'
import { boundsOf, unrolled } from '../../map/geometry.ts'
import type { Bounds, MapPoint } from '../../map/kinds.ts'
import { SearchMap } from '../../map/search-map.tsx'
import { boxOf, cornersOf } from '../../map/trail-lines.ts'
import { trailStrings } from '../../strings/trails.ts'
import { TrailCard } from './trail-card.tsx'
import styles from './trails.module.css'

interface TrailsMapProps {
  readonly trails: readonly TrailSummary[]
  /** Changes where the map should show all of the trails anew. */
  readonly fitKey: string
  readonly box: Bounds | undefined
  readonly hoveredId: number | undefined
  readonly onHover: (trailId: number | undefined) => void
  readonly onSearchHere: (bounds: Bounds) => void
}

function pinOf(trail: TrailSummary): MapPoint[] {
  const box = boxOf(trail)
  if (!box) return []
  const [west, south, east, north] = unrolled(box)
  const { trailID, name } = trail
  return [
    { id: String(trailID), lon: (west + east) / 2, lat: (south + north) / 2, tone: 'photo', label: name },
  ]
}

const idText = (trailId: number | undefined): string | undefined =>
  trailId === undefined ? undefined : String(trailId)

export function TrailsMap(props: TrailsMapProps) {
  const { trails, fitKey, box, hoveredId, onHover, onSearchHere } = props
  const points = useMemo(() => trails.flatMap(pinOf), [trails])
  const around = useMemo(() => boundsOf(trails.flatMap(cornersOf)), [trails])
  const [chosenId, setChosenId] = useState<number>()
  const chosen = trails.find(({ trailID }) => trailID === chosenId)
  return (
    <SearchMap
      placeClassName={styles.mapPlace}
      searchLabel={trailStrings.searchHere}
      onSearchHere={onSearchHere}
      label={trailStrings.mapLabel}
      className={styles.map}
      points={points}
      initialBounds={box ?? around}
      fitTo={box || !around ? undefined : { key: fitKey, bounds: around }}
      hoveredId={idText(hoveredId)}
      selectedId={idText(chosenId)}
      onHover={(id) => onHover(id === undefined ? undefined : Number(id))}
      onSelect={(id) => setChosenId(Number(id))}
      onNeighbour={({ trailId }) => setChosenId(trailId)}
      onClickAt={() => setChosenId(undefined)}
    >
      {chosen && (
        <section className={styles.chosen} aria-label={trailStrings.chosen}>
          <TrailCard trail={chosen} />
          <CloseButton aria-label={trailStrings.closeCard} onClick={() => setChosenId(undefined)} />
        </section>
      )}
    </SearchMap>
  )
}
