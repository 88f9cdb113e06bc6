// Beside the large photo: its details, or its location on the map.
import { CloseButton, Title } from '@mantine/core'
import type { Image, Trail } from '../../../client/client.ts'
import { common } from '../../strings/common.ts'
import { galleryStrings } from '../../strings/gallery.ts'
import styles from './lightbox.module.css'
import { PhotoFacts } from './photo-facts.tsx'
import { PhotoMap } from './photo-map.tsx'

export type PanelKind = 'details' | 'map'

interface PhotoPanelProps {
  readonly kind: PanelKind
  readonly image: Image
  readonly trail: Trail
  readonly onClose: () => void
}

export function PhotoPanel({ kind, image, trail, onClose }: PhotoPanelProps) {
  const isPlaced = image.lat !== null || trail.geometry !== null
  const label = kind === 'details' ? galleryStrings.details : galleryStrings.map
  return (
    <aside className={styles.panel} aria-label={label} data-kind={kind}>
      <div className={styles.panelHead}>
        <Title order={2} size="h4">
          {label}
        </Title>
        <CloseButton aria-label={common.close} onClick={onClose} />
      </div>
      {kind === 'details' && <PhotoFacts image={image} lengthMiles={trail.lengthMiles} />}
      {kind === 'map' && image.lat === null && (
        <p>{`${galleryStrings.position}: ${galleryStrings.noPosition}`}</p>
      )}
      {kind === 'map' && isPlaced && <PhotoMap image={image} trail={trail} className={styles.photoMap} />}
    </aside>
  )
}
