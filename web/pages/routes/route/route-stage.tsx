// The line of a route on the map with its elevation below, with shared hovering.
import { useQuery } from '@tanstack/react-query'
import type { Map as MapLibreMap, MapMouseEvent } from 'maplibre-gl'
import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from 'react'
import type { Route } from '../../../../client/client.ts'
import { keys } from '../../../data/keys.ts'
import { ofBrowser } from '../../../rendering/page-state.ts'
import { roomy } from '../../../map/geometry.ts'
import { LineDrawing } from '../../../map/line-drawing.tsx'
import { MapView } from '../../../map/map-view.tsx'
import { drawnLines, nearestPoint, viewOf, type View } from '../../../route-editor/drawing.ts'
import { loadGpx } from '../../../route-editor/gpx-loader.ts'
import { profileOf } from '../../../route-editor/profile.ts'
import { createRouteMeter } from '../../../route-editor/route-meter.ts'
import { ordinalOf, pointAt, refAt, type Segment } from '../../../route-editor/route-state.ts'
import { routeStrings as strings } from '../../../strings/routes.ts'
import { ProblemNotice } from '../../../ui/notices/problem-notice.tsx'
import { ElevationChart } from '../points/elevation-chart.tsx'
import styles from '../routes.module.css'

/** For the whole route; when zoomed in, one of its pixels covers several on the screen. */
const drawnPixels = 12_000
/** How near to the line the pointer has to be. */
const nearPixels = 24

const none: readonly Segment[] = []

/** The zoom at which the route would be this wide. */
function zoomOf([west, south, east, north]: View): number {
  const span = Math.max(east - west, north - south, 1e-4)
  return Math.min(18, Math.log2((drawnPixels / 512) * (360 / span)))
}

/** The lines of the route; undefined while loading. */
function useLines({ routeID, gpx, updatedAt }: Route) {
  const meter = useMemo(() => createRouteMeter(), [])
  const { data, error } = useQuery({
    queryKey: [...keys.route(routeID), 'lines', updatedAt, gpx.length],
    // In a worker.
    meta: ofBrowser,
    queryFn: async () => {
      if (gpx === '') return none
      const outcome = await loadGpx(new Blob([gpx]), { meter })
      // An unreadable file has no line; the page says why.
      return outcome.ok ? outcome.imported.segments : none
    },
    staleTime: Infinity,
    gcTime: 0,
  })
  return { segments: data, meter, error }
}

interface RouteStageProps {
  readonly route: Route
  /** While the lines are loading. */
  readonly standIn: ReactNode
}

export function RouteStage({ route, standIn }: RouteStageProps) {
  const { segments, meter, error } = useLines(route)
  const [ordinal, setOrdinal] = useState<number>()
  const view = useMemo(() => segments && viewOf(segments), [segments])
  const lines = useMemo(() => {
    if (!segments || !view) return []
    const coordinates = drawnLines(segments, view, zoomOf(view)).filter((line) => line.length > 1)
    return [{ id: 'route', tone: 'route' as const, coordinates }]
  }, [segments, view])
  const parts = useMemo(() => lines.flatMap(({ coordinates }) => coordinates), [lines])
  const profile = useMemo(() => segments && profileOf(segments, meter), [segments, meter])
  const points = useMemo(() => {
    const ref = segments && ordinal !== undefined ? refAt({ segments }, ordinal) : undefined
    const at = ref && pointAt({ segments: segments ?? none }, ref)
    return at ? [{ id: 'here', tone: 'you' as const, lat: at.lat, lon: at.lon }] : []
  }, [segments, ordinal])

  const latest = useRef(segments)
  useEffect(() => {
    latest.current = segments
  })
  const onMap = useCallback((map: MapLibreMap) => {
    const follow = ({ lngLat }: MapMouseEvent): void => {
      if (!latest.current) return
      const state = { segments: latest.current }
      const near = nearestPoint(state, { lon: lngLat.lng, lat: lngLat.lat, zoom: map.getZoom() })
      setOrdinal(near && near.pixels <= nearPixels ? ordinalOf(state, near.ref) : undefined)
    }
    const leave = (): void => setOrdinal(undefined)
    map.on('mousemove', follow)
    map.on('mouseout', leave)
    return () => {
      map.off('mousemove', follow)
      map.off('mouseout', leave)
    }
  }, [])

  if (error) return <ProblemNotice error={error} />
  if (!segments) return standIn
  if (!view) return <p className={styles.quiet}>{route.unreadable ?? strings.noLine}</p>
  return (
    <div className={styles.stage}>
      <div className={styles.map}>
        <LineDrawing label={strings.sketch(route.name || strings.unnamed)} parts={parts} />
        <MapView
          label={strings.map}
          className={styles.canvas ?? ''}
          initialBounds={roomy(view)}
          lines={lines}
          points={points}
          onMap={onMap}
          letsPageScroll
        />
      </div>
      {profile ? (
        <ElevationChart
          profile={profile}
          ordinal={ordinal}
          onPoint={setOrdinal}
          climbMetres={route.climb ?? undefined}
        />
      ) : (
        <p className={styles.quiet}>{strings.noProfile}</p>
      )}
    </div>
  )
}
