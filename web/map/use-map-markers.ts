// The camera cone and the draggable marker of a map, controlled by the page.
import { useEffect, useRef } from 'react'
import type { MapViewProps } from './kinds.ts'
import { addCone, addHandle } from './photo-marker.ts'
import type { ReadyMap } from './use-map.ts'

export function useMapMarkers(
  ready: ReadyMap | undefined,
  { cone, handle }: Pick<MapViewProps, 'cone' | 'handle'>,
): void {
  const map = ready?.map
  const { lon: coneLon, lat: coneLat, direction } = cone ?? {}
  useEffect(() => {
    if (!map || coneLon === undefined || coneLat === undefined || direction === undefined) return undefined
    return addCone(map, [coneLon, coneLat], direction)
  }, [map, coneLon, coneLat, direction])

  const onDragged = useRef(handle?.onDragged)
  useEffect(() => {
    onDragged.current = handle?.onDragged
  })
  const { lon, lat } = handle ?? {}
  useEffect(() => {
    if (!map || lon === undefined || lat === undefined) return undefined
    return addHandle(map, [lon, lat], (to) => onDragged.current?.(to))
  }, [map, lon, lat])
}
