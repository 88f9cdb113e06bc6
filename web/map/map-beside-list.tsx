// The map beside a list (ui/list-beside-map.tsx): shared hovering, the card of the selected item, and the search in
// the visible area.
import { CloseButton } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import styles from '../ui/list-beside-map.module.css'
import type { Bounds, MapViewProps } from './kinds.ts'
import { SearchMap } from './search-map.tsx'

export interface MapOfList {
  /** A new value makes the map show the whole list again. */
  readonly fitKey: string
  /** The searched area; undefined for everywhere. */
  readonly box: Bounds | undefined
  readonly hoveredId: number | undefined
  readonly onHover: (id: number | undefined) => void
  readonly onSearchHere: (bounds: Bounds) => void
}

interface MapBesideListProps extends MapOfList, Pick<MapViewProps, 'points' | 'lines'> {
  readonly strings: {
    readonly mapLabel: string
    readonly searchHere: string
    readonly chosen: string
    readonly closeCard: string
  }
  /** The whole list. */
  readonly around: Bounds | undefined
  /** Trails on the map can be selected as well, because it is a list of trails. */
  readonly isOfTrails?: boolean
  /** Undefined if it is not in the list. */
  readonly cardOf: (id: number) => ReactNode
}

const idText = (id: number | undefined): string | undefined => (id === undefined ? undefined : String(id))

export function MapBesideList(props: MapBesideListProps) {
  const { strings, around, fitKey, box, hoveredId, onHover, onSearchHere, isOfTrails = false, cardOf } = props
  const { points, lines } = props
  const [chosenId, setChosenId] = useState<number>()
  const card = chosenId === undefined ? undefined : cardOf(chosenId)
  return (
    <SearchMap
      placeClassName={styles.mapPlace}
      searchLabel={strings.searchHere}
      onSearchHere={onSearchHere}
      label={strings.mapLabel}
      className={styles.map}
      points={points}
      {...(lines && { lines })}
      initialBounds={box ?? around}
      fitTo={box || !around ? undefined : { key: fitKey, bounds: around }}
      hoveredId={idText(hoveredId)}
      selectedId={idText(chosenId)}
      onHover={(id) => onHover(id === undefined ? undefined : Number(id))}
      onSelect={(id) => setChosenId(Number(id))}
      {...(isOfTrails && { onNeighbour: ({ trailId }) => setChosenId(trailId) })}
      onClickAt={() => setChosenId(undefined)}
    >
      {card !== undefined && (
        <section className={styles.chosen} aria-label={strings.chosen}>
          {card}
          <CloseButton aria-label={strings.closeCard} onClick={() => setChosenId(undefined)} />
        </section>
      )}
    </SearchMap>
  )
}
