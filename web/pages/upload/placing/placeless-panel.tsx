// Above the list: how many photos have no location, and the remedies for all of them together.
import { Button } from '@mantine/core'
import { MapPinOff } from 'lucide-react'
import { placingStrings } from '../../../strings/placing.ts'
import type { NeighbourOffers } from '../../../upload/placeless.ts'
import styles from './placing.module.css'
import { Remedies, type Remedy } from './remedies.tsx'
import { usePlace } from './use-place.ts'

const { panel: strings, remedy: remedyStrings } = placingStrings

interface PlacelessPanelProps {
  readonly ids: readonly string[]
  readonly offers: NeighbourOffers
  readonly isAsking: boolean
  readonly onRemedy: (remedy: Remedy, ids: readonly string[]) => void
}

export function PlacelessPanel({ ids, offers, isAsking, onRemedy }: PlacelessPanelProps) {
  const place = usePlace()
  const placeBetween = (): void =>
    place([...offers].map(([id, { lat, lon }]) => ({ id, placement: { lat, lon, by: 'given' } })))
  return (
    <section className={styles.panel} aria-label={strings.label}>
      <MapPinOff size={22} aria-hidden />
      <div className={styles.panelBody}>
        <p className={styles.panelTitle}>{strings.title(ids.length)}</p>
        <p className={styles.hint}>{strings.lead(ids.length)}</p>
        <div className={styles.panelRemedies}>
          {offers.size > 0 && (
            <Button size="compact-sm" onClick={placeBetween}>
              {remedyStrings.betweenAll(offers.size)}
            </Button>
          )}
          <Remedies isAsking={isAsking} canChoose onRemedy={(remedy) => onRemedy(remedy, ids)} />
        </div>
        <p className={styles.hint}>{strings.chooserHint}</p>
      </div>
    </section>
  )
}
