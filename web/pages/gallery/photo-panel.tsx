// Beside the large photo: all that is told of it, or its place on the map.
import { CloseButton, Title } from '@mantine/core'
import { useMemo } from 'react'
import type { Image, Trail } from '../../../client/client.ts'
import { MapView } from '../../map/map-view.tsx'
import { linesOf } from '../../map/trail-lines.ts'
import { common } from '../../strings/common.ts'
import { galleryStrings } from '../../strings/gallery.ts'
import { placeOf, pinOf } from './gallery-map.tsx'
import styles from './lightbox.module.css'
import { PhotoFacts } from './photo-facts.tsx'

export type PanelKind = 'details' | 'map'

interface PhotoPanelProps {
  readonly kind: PanelKind
  readonly image: Image
  readonly trail: Trail
  readonly onClose: () => void
}

function PhotoMap({ image, trail }: Pick<PhotoPanelProps, 'image' | 'trail'>) {
  const lines = useMemo(() => linesOf(trail), [trail])
  const points = useMemo(() => pinOf(image), [image])
  const bounds = placeOf(trail, [image])
  return (
    <MapView
      label={galleryStrings.photoMap}
      className={styles.photoMap}
      initialBounds={bounds}
      lines={lines}
      points={points}
      selectedId={String(image.imageID)}
    />
  )
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
      {kind === 'details' && <PhotoFacts image={image} />}
      {kind === 'map' && image.lat === null && (
        <p>{`${galleryStrings.position}: ${galleryStrings.noPosition}`}</p>
      )}
      {kind === 'map' && isPlaced && <PhotoMap image={image} trail={trail} />}
    </aside>
  )
}
