// In the row of a photo without a location: why there is none, suggestions from its neighbours, and the remedies.
import { Button } from '@mantine/core'
import { MapPinOff } from 'lucide-react'
import { placingStrings } from '../../../strings/placing.ts'
import { isReplaceable, type QueuedPhoto } from '../../../upload/photo.ts'
import type { NeighbourOffer } from '../../../upload/placeless.ts'
import styles from './placing.module.css'
import { Remedies, type Remedy } from './remedies.tsx'
import { usePlace } from './use-place.ts'

const { remedy: strings } = placingStrings

export interface MissingPlaceProps {
  readonly photo: QueuedPhoto
  readonly offer: NeighbourOffer | undefined
  readonly isAsking: boolean
  readonly onRemedy: (remedy: Remedy, ids: readonly string[]) => void
}

function Offer({ photo, offer }: { readonly photo: QueuedPhoto; readonly offer: NeighbourOffer }) {
  const place = usePlace()
  const { lat, lon, before, after } = offer
  return (
    <div className={styles.offer}>
      <Button
        size="compact-xs"
        aria-label={strings.ofOne(strings.between, photo.name)}
        onClick={() => place([{ id: photo.id, placement: { lat, lon, by: 'given' } }])}
      >
        {strings.between}
      </Button>
      <span>{strings.betweenHint(before, after)}</span>
    </div>
  )
}

export function MissingPlace({ photo, offer, isAsking, onRemedy }: MissingPlaceProps) {
  // Conversion in the browser removed it from the file, so the original file's metadata counts.
  const why = photo.original?.missing ?? photo.facts?.missing ?? 'unknown'
  return (
    <div className={styles.missing}>
      <p className={styles.why}>
        <MapPinOff size={15} aria-hidden />
        <span>{placingStrings.missing[why]}</span>
      </p>
      {offer && <Offer photo={photo} offer={offer} />}
      <Remedies
        name={photo.name}
        isAsking={isAsking}
        canChoose={isReplaceable(photo)}
        onRemedy={(remedy) => onRemedy(remedy, [photo.id])}
      />
    </div>
  )
}
