// The map of a trail's page, drawn when it is about to scroll into view; below it a drawing, which stays if there is
// no map.
import { Button } from '@mantine/core'
import { Map as MapIcon } from 'lucide-react'
import { useCallback, useRef } from 'react'
import type { Map as MapLibreMap } from 'maplibre-gl'
import type { Image, Trail } from '../../../../client/client.ts'
import type { Bounds } from '../../../map/kinds.ts'
import { galleryStrings } from '../../../strings/gallery.ts'
import { WhenSeen } from '../../../ui/when-seen.tsx'
import { GalleryMap } from '../gallery-map.tsx'
import { usePointed, type Pointing } from './pointing.ts'
import { TrailSketch } from './trail-sketch.tsx'
import styles from './trail.module.css'

interface TrailMapProps {
  readonly trail: Trail
  readonly images: readonly Image[]
  readonly hasMore: boolean
  readonly box: Bounds | undefined
  readonly isHidden: boolean
  readonly pointing: Pointing
  readonly onHover: (imageId: number | undefined) => void
  readonly onToggle: () => void
  readonly onOpen: (imageId: number) => void
  readonly onSearchHere: (bounds: Bounds) => void
}

export function TrailMap({ isHidden, pointing, onHover, onToggle, ...shown }: TrailMapProps) {
  const { trail, images } = shown
  const { geometry } = trail
  const hoveredId = usePointed(pointing, ({ imageId }) => imageId)
  const isOnPin = useRef(false)
  const onMap = useCallback(
    (map: MapLibreMap) => {
      if (geometry === null) return undefined
      let isGone = false
      let end: (() => void) | undefined
      let isAsked = false
      // It measures the line, which is needed only when the user hovers over something.
      const follow = async (): Promise<void> => {
        if (isAsked) return
        isAsked = true
        const { followOnMap } = await import('./map-cursor.ts')
        if (!isGone) end = followOnMap(map, { geometry, pointing, isOnPin: () => isOnPin.current })
      }
      const begin = (): void => void follow()
      const forget = pointing.subscribe(begin)
      map.once('mousemove', begin)
      return () => {
        isGone = true
        forget()
        end?.()
      }
    },
    [geometry, pointing],
  )
  const hover = (imageId: number | undefined): void => {
    isOnPin.current = imageId !== undefined
    onHover(imageId)
  }
  return (
    <section className={styles.section} aria-labelledby="trail-map">
      <div className={styles.sectionHead}>
        <h2 id="trail-map">{galleryStrings.mapTitle}</h2>
        <Button
          variant="subtle"
          size="compact-md"
          data-needs-script
          aria-expanded={!isHidden}
          leftSection={<MapIcon size={16} aria-hidden />}
          onClick={onToggle}
        >
          {isHidden ? galleryStrings.showMap : galleryStrings.hideMap}
        </Button>
      </div>
      <div className={styles.map} data-hidden={isHidden || undefined}>
        <TrailSketch trail={trail} images={images} />
        {!isHidden && (
          <WhenSeen standIn={null} className={styles.mapAbove}>
            <GalleryMap {...shown} hoveredId={hoveredId} onHover={hover} onMap={onMap} />
          </WhenSeen>
        )}
      </div>
    </section>
  )
}
