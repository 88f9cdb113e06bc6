// Keeps the map in sync with the page's data, and reports user input on it.
import type { GeoJSONSource, Map as MapLibreMap, MapLibreEvent, MapMouseEvent } from 'maplibre-gl'
import { useEffect, useRef } from 'react'
import { usePreferences } from '../ui/preferences.ts'
import { toBox } from './create-map.ts'
import { distanceMarks } from './distance-marks.ts'
import { circleFeatures, lineFeatures, pointFeatures, rolled } from './geometry.ts'
import { hitAt } from './hit.ts'
import type { MapPoint, MapViewProps } from './kinds.ts'
import type { ReadyMap } from './use-map.ts'

const nobody: readonly never[] = []
const clusterPadding = 0.5

const sourceOf = (map: MapLibreMap, id: string): GeoJSONSource | undefined => map.getSource<GeoJSONSource>(id)

export function useMapContent(ready: ReadyMap | undefined, props: MapViewProps): void {
  const { lines = nobody, points = nobody, circles = nobody, selectedId, hoveredId, fitTo } = props
  const { units } = usePreferences()
  const map = ready?.map

  useEffect(() => {
    if (map) void sourceOf(map, 'lines')?.setData(lineFeatures(lines))
  }, [map, lines])
  useEffect(() => {
    if (map) void sourceOf(map, 'marks')?.setData(distanceMarks(lines, units))
  }, [map, lines, units])
  useEffect(() => {
    if (map) void sourceOf(map, 'points')?.setData(pointFeatures(points))
  }, [map, points])
  useEffect(() => {
    if (map) void sourceOf(map, 'circles')?.setData(circleFeatures(circles))
  }, [map, circles])

  useEffect(() => {
    if (!map) return
    const isPointed = ({ id }: MapPoint): boolean => id === selectedId || id === hoveredId
    // A separate source, since it would not be visible within a cluster.
    void sourceOf(map, 'pointed')?.setData(pointFeatures(points.filter(isPointed)))
  }, [map, points, selectedId, hoveredId])

  useEffect(() => {
    if (!map) return
    map.removeFeatureState({ source: 'lines' })
    for (const id of [selectedId, hoveredId])
      if (id !== undefined && lines.some((line) => line.id === id))
        map.setFeatureState({ source: 'lines', id }, { pointed: true })
  }, [map, lines, selectedId, hoveredId])

  const fitted = useRef<string>(undefined)
  useEffect(() => {
    if (!map || !fitTo || fitted.current === fitTo.key) return
    fitted.current = fitTo.key
    map.fitBounds(toBox(fitTo.bounds), { padding: 44, maxZoom: 16 })
  }, [map, fitTo])
}

/** Clicks, hovering and moves; the page's handlers may change from render to render. */
export function useMapEvents(ready: ReadyMap | undefined, props: MapViewProps): void {
  const latest = useRef(props)
  useEffect(() => {
    latest.current = props
  })
  const map = ready?.map

  useEffect(() => {
    if (!map) return undefined
    let hovered: string | undefined

    function hover(id: string | undefined): void {
      if (id === hovered) return
      hovered = id
      latest.current.onHover?.(id)
    }

    async function open(target: MapLibreMap, clusterId: number, center: [number, number]): Promise<void> {
      const zoom = await sourceOf(target, 'points')?.getClusterExpansionZoom(clusterId)
      if (zoom !== undefined) target.easeTo({ center, zoom: zoom + clusterPadding })
    }

    const onClick = (event: MapMouseEvent): void => {
      const hit = hitAt(map, event)
      const { onSelect, onNeighbour, onClickAt } = latest.current
      if (hit?.kind === 'cluster') void open(map, hit.clusterId, hit.at).catch(() => undefined)
      else if (hit?.kind === 'thing' && onSelect) onSelect(hit.id)
      else if (hit?.kind === 'neighbour' && onNeighbour) onNeighbour(hit.neighbour)
      else onClickAt?.({ lon: event.lngLat.lng, lat: event.lngLat.lat })
    }
    const onMouseMove = (event: MapMouseEvent): void => {
      const { onHover, onSelect, onNeighbour } = latest.current
      if (!onHover && !onSelect && !onNeighbour) return
      const hit = hitAt(map, event)
      hover(hit?.kind === 'thing' ? hit.id : undefined)
      const isLive =
        hit?.kind === 'cluster' ||
        (hit?.kind === 'thing' && onSelect) ||
        (hit?.kind === 'neighbour' && onNeighbour)
      map.getCanvas().style.cursor = isLive ? 'pointer' : ''
    }
    const onMouseOut = (): void => hover(undefined)
    const onMoveEnd = ({ originalEvent }: MapLibreEvent): void => {
      const box = map.getBounds()
      const bounds = rolled([box.getWest(), box.getSouth(), box.getEast(), box.getNorth()])
      latest.current.onMove?.(bounds, { isByHand: originalEvent !== undefined && originalEvent !== null })
    }
    map.on('click', onClick)
    map.on('mousemove', onMouseMove)
    map.on('mouseout', onMouseOut)
    map.on('moveend', onMoveEnd)
    return () => {
      map.off('click', onClick)
      map.off('mousemove', onMouseMove)
      map.off('mouseout', onMouseOut)
      map.off('moveend', onMoveEnd)
    }
  }, [map])

  useEffect(() => (map && latest.current.onMap?.(map)) ?? undefined, [map])
}
