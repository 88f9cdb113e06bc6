// The map beside the list: the lines of its routes, and the search of the area that it shows.
import { CloseButton } from '@mantine/core'
import { useMemo, useState } from 'react'
import type { PublicRoute } from '../../../../client/client.ts'
import { readBox } from '../../../map/box-text.ts'
import { boundsOf } from '../../../map/geometry.ts'
import type { Bounds, MapLine, MapPoint, Position } from '../../../map/kinds.ts'
import { SearchMap } from '../../../map/search-map.tsx'
import { publicRouteStrings as strings } from '../../../strings/public-routes.ts'
import { RouteCard } from './route-card.tsx'
import styles from './public-routes.module.css'

interface PublicRoutesMapProps {
  readonly routes: readonly PublicRoute[]
  /** Changes where the map should show all of the routes anew. */
  readonly fitKey: string
  /** The area that is searched; empty for everywhere. */
  readonly bbox: string
  readonly hoveredId: number | undefined
  readonly onHover: (routeId: number | undefined) => void
  readonly onSearchHere: (bounds: Bounds) => void
}

const partsOf = ({ line }: PublicRoute): readonly (readonly Position[])[] =>
  line.map((part) => part.map(([lon = NaN, lat = NaN]) => [lon, lat] as const))

function lineOf(route: PublicRoute): MapLine {
  return { id: String(route.routeID), tone: 'route', coordinates: partsOf(route) }
}

/** At its middle, by which it is found where lines are too small to be seen. */
function pinOf(route: PublicRoute): MapPoint[] {
  const longest = partsOf(route).toSorted((one, other) => other.length - one.length)[0] ?? []
  const middle = longest[Math.floor(longest.length / 2)]
  if (middle === undefined) return []
  const [lon, lat] = middle
  return [{ id: String(route.routeID), lon, lat, tone: 'photo', label: route.name }]
}

const idText = (routeId: number | undefined): string | undefined =>
  routeId === undefined ? undefined : String(routeId)

export function PublicRoutesMap(props: PublicRoutesMapProps) {
  const { routes, fitKey, bbox, hoveredId, onHover, onSearchHere } = props
  const lines = useMemo(() => routes.map(lineOf), [routes])
  const points = useMemo(() => routes.flatMap(pinOf), [routes])
  const around = useMemo(() => boundsOf(routes.flatMap((route) => partsOf(route).flat())), [routes])
  const box = readBox(bbox)
  const [chosenId, setChosenId] = useState<number>()
  const chosen = routes.find(({ routeID }) => routeID === chosenId)
  return (
    <SearchMap
      placeClassName={styles.mapPlace}
      searchLabel={strings.searchHere}
      onSearchHere={onSearchHere}
      label={strings.mapLabel}
      className={styles.map}
      lines={lines}
      points={points}
      initialBounds={box ?? around}
      fitTo={box || !around ? undefined : { key: fitKey, bounds: around }}
      hoveredId={idText(hoveredId)}
      selectedId={idText(chosenId)}
      onHover={(id) => onHover(id === undefined ? undefined : Number(id))}
      onSelect={(id) => setChosenId(Number(id))}
      onClickAt={() => setChosenId(undefined)}
    >
      {chosen && (
        <section className={styles.chosen} aria-label={strings.chosen}>
          <RouteCard route={chosen} />
          <CloseButton aria-label={strings.closeCard} onClick={() => setChosenId(undefined)} />
        </section>
      )}
    </SearchMap>
  )
}
