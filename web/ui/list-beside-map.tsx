// A list with a map beside it, which stays in view while the list scrolls. In a narrow window only one of the two is shown, by
// CSS, since the server does not know the width of the window.
import { SegmentedControl } from '@mantine/core'
import { Suspense, type ReactNode } from 'react'
import styles from './list-beside-map.module.css'
import { WhenSeen } from './when-seen.tsx'

export type ListOrMap = 'list' | 'map'

interface ViewChoiceProps {
  readonly strings: { readonly view: string; readonly list: string; readonly map: string }
  readonly value: ListOrMap
  readonly onChange: (view: ListOrMap) => void
}

/** For a narrow window. */
export function ViewChoice({ strings, value, onChange }: ViewChoiceProps) {
  return (
    <SegmentedControl
      className={styles.views ?? ''}
      data-needs-script
      aria-label={strings.view}
      data={[
        { value: 'list', label: strings.list },
        { value: 'map', label: strings.map },
      ]}
      value={value}
      onChange={(chosen) => onChange(chosen === 'map' ? 'map' : 'list')}
    />
  )
}

interface ListBesideMapProps {
  readonly label: string
  readonly view: ListOrMap
  /** Loaded when it is about to be seen; undefined if there is nothing to show on a map. */
  readonly map: ReactNode
  /** The class with the sizes that the page must define. */
  readonly className: string | undefined
  readonly children: ReactNode
}

export function ListBesideMap({ label, view, map, className, children }: ListBesideMapProps) {
  const hasMap = map !== undefined
  const place = <div className={styles.mapPlace} />
  return (
    <div
      className={`${styles.both} ${className}`}
      data-has-map={hasMap || undefined}
      data-view={hasMap ? view : 'list'}
    >
      <section aria-label={label} className={styles.listSide}>
        {children}
      </section>
      {hasMap && (
        <WhenSeen className={styles.mapSide} standIn={place}>
          <Suspense fallback={place}>{map}</Suspense>
        </WhenSeen>
      )}
    </div>
  )
}
