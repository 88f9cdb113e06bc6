// The map beside the list: a pin for every trail that has a line, and the search of the area that it shows.
import { Button, CloseButton } from '@mantine/core'
import { Search } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { TrailSummary } from '../../../client/client.ts'
import { boundsOf, unrolled } from '../../map/geometry.ts'
import type { Bounds, MapPoint } from '../../map/kinds.ts'
import { MapView } from '../../map/map-view.tsx'
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

const pinOf = ({ trailID, name, bbox }: TrailSummary): MapPoint[] => {
  if (bbox === null) return []
  const [west = 0, south = 0, east = 0, north = 0] = bbox
  const [from, , to] = unrolled([west, south, east, north])
  return [{ id: String(trailID), lon: (from + to) / 2, lat: (south + north) / 2, tone: 'photo', label: name }]
}

const cornersOf = ({ bbox }: TrailSummary): [number, number][] => {
  if (bbox === null) return []
  const [west = 0, south = 0, east = 0, north = 0] = bbox
  return [
    [west, south],
    [east, north],
  ]
}

export function TrailsMap(props: TrailsMapProps) {
  const { trails, fitKey, box, hoveredId, onHover, onSearchHere } = props
  const points = useMemo(() => trails.flatMap(pinOf), [trails])
  const around = useMemo(() => boundsOf(trails.flatMap(cornersOf)), [trails])
  const [moved, setMoved] = useState<Bounds>()
  const [chosenId, setChosenId] = useState<number>()
  const chosen = trails.find(({ trailID }) => trailID === chosenId)
  return (
    <div className={styles.mapPlace}>
      <MapView
        label={trailStrings.mapLabel}
        className={styles.map}
        points={points}
        isClustered
        initialBounds={box ?? around}
        fitTo={box || !around ? undefined : { key: fitKey, bounds: around }}
        hoveredId={hoveredId === undefined ? undefined : String(hoveredId)}
        selectedId={chosenId === undefined ? undefined : String(chosenId)}
        onHover={(id) => onHover(id === undefined ? undefined : Number(id))}
        onSelect={(id) => setChosenId(Number(id))}
        onNeighbour={({ trailId }) => setChosenId(trailId)}
        onClickAt={() => setChosenId(undefined)}
        onMove={(bounds, { isByHand }) => isByHand && setMoved(bounds)}
      />
      {moved && (
        <Button
          className={styles.searchHere ?? ''}
          size="compact-md"
          variant="default"
          leftSection={<Search size={16} aria-hidden />}
          onClick={() => {
            onSearchHere(moved)
            setMoved(undefined)
          }}
        >
          {trailStrings.searchHere}
        </Button>
      )}
      {chosen && (
        <section className={styles.chosen} aria-label={trailStrings.chosen}>
          <TrailCard trail={chosen} />
          <CloseButton aria-label={trailStrings.closeCard} onClick={() => setChosenId(undefined)} />
        </section>
      )}
    </div>
  )
}
