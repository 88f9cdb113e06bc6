// A map on a page. It loads MapLibre once it is mounted; the page works without it.
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ofBrowser } from '../rendering/page-state.ts'
import { common } from '../strings/common.ts'
import { mapStrings } from '../strings/map.ts'
import type { MapViewProps } from './kinds.ts'
import { MapPending } from './map-pending.tsx'
import styles from './map.module.css'

export function MapView(props: MapViewProps) {
  const { className = '' } = props
  const { data, error, refetch } = useQuery({
    queryKey: ['map chunk'],
    meta: ofBrowser,
    queryFn: async () => ({ Canvas: (await import('./map-canvas.tsx')).MapCanvas }),
    staleTime: Infinity,
    structuralSharing: false,
  })
  return (
    <div className={`${styles.map} ${className}`}>
      {!data && !error && <MapPending />}
      {error && (
        <div className={styles.note} role="alert">
          <p>{mapStrings.notLoaded}</p>
          <Button variant="default" onClick={() => void refetch()}>
            {common.retry}
          </Button>
        </div>
      )}
      {data && <data.Canvas {...props} />}
    </div>
  )
}
