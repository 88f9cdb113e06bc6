// The rendered map, in its own chunk with MapLibre and its styles, loaded only if a page has a map.
import { useEffect, useRef, useState } from 'react'
import { mapStrings } from '../strings/map.ts'
import type { MapViewProps } from './kinds.ts'
import { MapPending } from './map-pending.tsx'
import styles from './map.module.css'
import { StyleTrouble } from './style-trouble.tsx'
import { useMap } from './use-map.ts'
import { useMapContent, useMapEvents } from './use-map-content.ts'
import { useMapMarkers } from './use-map-markers.ts'

export function MapCanvas(props: MapViewProps) {
  const container = useRef<HTMLDivElement>(null)
  const { ready, isImpossible, troubles } = useMap(container, props)
  useMapContent(ready, props)
  useMapEvents(ready, props)
  useMapMarkers(ready, props)
  const [isDrawn, setDrawn] = useState(false)
  const map = ready?.map
  useEffect(() => {
    if (!map) return undefined
    const onIdle = () => setDrawn(true)
    map.once('idle', onIdle)
    return () => {
      map.off('idle', onIdle)
    }
  }, [map])
  if (isImpossible) return <p className={styles.note}>{mapStrings.cannotDraw}</p>
  return (
    <>
      <div ref={container} className={styles.canvas} aria-busy={!isDrawn} />
      {/* Not shown before it is interactive: it would look like a map, but silently ignore clicks. */}
      {!map && <MapPending />}
      <StyleTrouble troubles={troubles} />
    </>
  )
}
