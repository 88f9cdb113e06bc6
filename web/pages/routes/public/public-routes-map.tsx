// The map beside the list: the lines of its routes.
import { useMemo } from 'react'
import type { PublicRoute } from '../../../../client/client.ts'
import { boundsOf } from '../../../map/geometry.ts'
import type { MapLine, MapPoint, Position } from '../../../map/kinds.ts'
import { MapBesideList, type MapOfList } from '../../../map/map-beside-list.tsx'
import { publicRouteStrings as strings } from '../../../strings/public-routes.ts'
import { RouteCard } from './route-card.tsx'

interface PublicRoutesMapProps extends MapOfList {
  readonly routes: readonly PublicRoute[]
}

const partsOf = ({ line }: PublicRoute): readonly (readonly Position[])[] =>
  line.map((part) => part.map(([lon = NaN, lat = NaN]) => [lon, lat] as const))

function lineOf(route: PublicRoute): MapLine {
  return { id: String(route.routeID), tone: 'route', coordinates: partsOf(route) }
}

/** At its centre, so that it can be found when lines are too small to see. */
function pinOf(route: PublicRoute): MapPoint[] {
  const longest = partsOf(route).toSorted((one, other) => other.length - one.length)[0] ?? []
  const middle = longest[Math.floor(longest.length / 2)]
  if (middle === undefined) return []
  const [lon, lat] = middle
  return [{ id: String(route.routeID), lon, lat, tone: 'photo', label: route.name }]
}

export function PublicRoutesMap({ routes, ...map }: PublicRoutesMapProps) {
  const lines = useMemo(() => routes.map(lineOf), [routes])
  const points = useMemo(() => routes.flatMap(pinOf), [routes])
  const around = useMemo(() => boundsOf(routes.flatMap((route) => partsOf(route).flat())), [routes])
  const cardOf = (id: number) => {
    const chosen = routes.find(({ routeID }) => routeID === id)
    return chosen && <RouteCard route={chosen} />
  }
  return <MapBesideList {...map} {...{ strings, lines, points, around, cardOf }} />
}
