// The map of the editor: the service's map with the route, trails to follow, and the privacy zones.
import { useComputedColorScheme } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Map as MapLibreMap } from 'maplibre-gl'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { keys } from '../../../data/keys.ts'
import { useWaymark } from '../../../data/waymark.tsx'
import { mapColours } from '../../../map/colours.ts'
import { boundsOf, roomy } from '../../../map/geometry.ts'
import type { Bounds } from '../../../map/kinds.ts'
import { MapView } from '../../../map/map-view.tsx'
import { cornersOf } from '../../../map/trail-lines.ts'
import { viewOf } from '../../../route-editor/drawing.ts'
import { pointAt } from '../../../route-editor/route-state.ts'
import { editorStrings } from '../../../strings/route-editor.ts'
import { drawOnMap, type DrawnRoute } from './draw-on-map.ts'
import styles from './editor.module.css'
import { lastPlace, rememberPlace } from './last-place.ts'
import { touchMap } from './touch-map.ts'
import { useEditor, useEditorView } from './use-editor.tsx'
import { zonesKey } from '../route/zones.ts'

/** Draws the route and handles the pointer while the map exists. */
function useRouteOnMap(onHandles: (areShown: boolean) => void) {
  const editor = useEditor()
  const colours = mapColours[useComputedColorScheme('light')]
  const latest = useRef({ colours, onHandles })
  useEffect(() => {
    latest.current = { colours, onHandles }
  })
  const drawn = useRef<DrawnRoute | undefined>(undefined)
  const map = useRef<MapLibreMap | undefined>(undefined)
  const onMap = useCallback(
    (ready: MapLibreMap) => {
      const route = drawOnMap(ready, editor, {
        colours: latest.current.colours,
        onHandles: (areShown) => latest.current.onHandles(areShown),
      })
      const letGo = touchMap(ready, editor, route.showGhost)
      drawn.current = route
      map.current = ready
      return () => {
        letGo()
        route.end()
        drawn.current = undefined
        map.current = undefined
      }
    },
    [editor],
  )
  useEffect(() => drawn.current?.recolour(colours), [colours])
  return { onMap, map }
}

/** A point selected by key or in the table is scrolled into view. */
function useSelectedInView(map: React.RefObject<MapLibreMap | undefined>): void {
  const { state, selected, isDragging } = useEditorView()
  const at = selected && !isDragging ? pointAt(state, selected) : undefined
  const [lat, lon] = [at?.lat, at?.lon]
  useEffect(() => {
    if (lat === undefined || lon === undefined || !map.current) return
    if (!map.current.getBounds().contains([lon, lat])) map.current.panTo([lon, lat])
  }, [map, lat, lon])
}

/** The area of the service's trails: the first route will be near them. */
function useTrailsPlace({ isAsked }: { readonly isAsked: boolean }): Bounds | undefined {
  const waymark = useWaymark()
  const { data } = useQuery({
    queryKey: [...keys.trails, 'place'],
    queryFn: () => waymark.trails.page({ limit: 100 }),
    enabled: isAsked,
  })
  return useMemo(() => boundsOf((data?.items ?? []).flatMap(cornersOf)), [data])
}

export function EditorMap() {
  const editor = useEditor()
  const waymark = useWaymark()
  const { fitKey } = useEditorView()
  const [areHandlesShown, setHandlesShown] = useState(true)
  const { onMap, map } = useRouteOnMap(setHandlesShown)
  useSelectedInView(map)
  const { data: zones = [] } = useQuery({ queryKey: zonesKey, queryFn: () => waymark.me.zones.list() })
  const circles = useMemo(
    () =>
      zones.map(({ zoneID, lat, lon, radius }) => ({ id: String(zoneID), lat, lon, radiusMetres: radius })),
    [zones],
  )
  const [place] = useState(lastPlace)
  const trails = useTrailsPlace({ isAsked: place === undefined })
  const [emptyKey] = useState(() => (viewOf(editor.settled().segments) ? undefined : fitKey))
  const fitTo = useMemo(() => {
    const view = viewOf(editor.settled().segments)
    // Points that are drawn are where the user is looking; trails that arrive later must not move the map.
    if (view) return fitKey === emptyKey ? undefined : { key: String(fitKey), bounds: roomy(view) }
    return trails && { key: 'trails', bounds: roomy(trails) }
  }, [editor, fitKey, emptyKey, trails])
  const [initialBounds] = useState(fitTo?.bounds ?? place)
  return (
    <>
      <MapView
        label={editorStrings.map}
        className={styles.canvas ?? ''}
        initialBounds={initialBounds}
        circles={circles}
        neighbours="trails"
        fitTo={fitTo}
        onMap={onMap}
        onMove={rememberPlace}
      />
      {!areHandlesShown && <p className={styles.mapNote}>{editorStrings.manyHint}</p>}
    </>
  )
}
