// The map beside the list: a pin for every trail that has a line.
import { useMemo } from 'react'
import type { TrailSummary } from '../../../client/client.ts'
import { boundsOf, unrolled } from '../../map/geometry.ts'
import type { MapPoint } from '../../map/kinds.ts'
import { MapBesideList, type MapOfList } from '../../map/map-beside-list.tsx'
import { boxOf, cornersOf } from '../../map/trail-lines.ts'
import { trailStrings } from '../../strings/trails.ts'
import { TrailCard } from './trail-card.tsx'

interface TrailsMapProps extends MapOfList {
  readonly trails: readonly TrailSummary[]
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

export function TrailsMap({ trails, ...map }: TrailsMapProps) {
  const points = useMemo(() => trails.flatMap(pinOf), [trails])
  const around = useMemo(() => boundsOf(trails.flatMap(cornersOf)), [trails])
  const cardOf = (id: number) => {
    const chosen = trails.find(({ trailID }) => trailID === id)
    return chosen && <TrailCard trail={chosen} />
  }
  return (
    <MapBesideList
      {...map}
      strings={trailStrings}
      points={points}
      around={around}
      cardOf={cardOf}
      isOfTrails
    />
  )
}
