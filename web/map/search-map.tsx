// A map with a button that searches the area to which the user has moved it.
import { Button } from '@mantine/core'
import { Search } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import type { Bounds, MapViewProps } from './kinds.ts'
import { MapView } from './map-view.tsx'
import styles from './map.module.css'

interface SearchMapProps extends Omit<MapViewProps, 'onMove' | 'isClustered'> {
  readonly searchLabel: string
  readonly onSearchHere: (bounds: Bounds) => void
  /** For the surroundings of the map, which are separate. */
  readonly placeClassName: string | undefined
  /** Above the map. */
  readonly children?: ReactNode
}

export function SearchMap({ searchLabel, onSearchHere, placeClassName, children, ...map }: SearchMapProps) {
  const [moved, setMoved] = useState<Bounds>()
  return (
    <div className={placeClassName}>
      <MapView {...map} isClustered onMove={(bounds, { isByHand }) => isByHand && setMoved(bounds)} />
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
          {searchLabel}
        </Button>
      )}
      {children}
    </div>
  )
}
