// The current photo, as sharp as loaded so far; the next three are preloaded beneath it.
import { ActionIcon, Skeleton, Text } from '@mantine/core'
import { ChevronLeft, ChevronRight, ZoomIn, ZoomOut } from 'lucide-react'
import { useState } from 'react'
import type { ImageSize } from '../../../../client/client.ts'
import { useWaymark } from '../../../data/waymark.tsx'
import { reviewStrings as strings } from '../../../strings/review.ts'
import { useDesk } from '../desk/desk-context.tsx'
import { upcoming } from '../desk/queue-cursor.ts'
import { titleOf } from '../decisions/refusals.ts'
import type { DeskItem } from '../decisions/review-session.ts'
import styles from './stage.module.css'
import { usePan } from './use-pan.ts'

const preloaded = 3

const round = { variant: 'default', size: 'xl', radius: 'xl' } as const

interface LayerProps {
  readonly item: DeskItem
  readonly isCurrent: boolean
  readonly isZoomed: boolean
}

/** Sizes are stacked, so that a sharper one replaces another without flicker. */
function Layer({ item, isCurrent, isZoomed }: LayerProps) {
  const waymark = useWaymark()
  const [loaded, setLoaded] = useState<ReadonlySet<ImageSize>>(new Set())
  const [hasFailed, setFailed] = useState(false)
  const { imageID, width, height } = item
  const isSharp = loaded.has('640') || hasFailed
  const sizes: readonly ImageSize[] = isCurrent
    ? [...(isSharp ? [] : (['md'] as const)), '640', ...(isSharp ? (['lg'] as const) : [])]
    : ['640']
  // The fitted photo is never enlarged, and all sizes are in the same position.
  const box = isZoomed ? { width, height } : { maxWidth: width, maxHeight: height }
  return (
    <div className={styles.layer} data-current={isCurrent} aria-hidden={!isCurrent}>
      {sizes.map((size) => (
        <img
          key={size}
          className={styles.photo}
          data-size={size}
          data-loaded={loaded.has(size)}
          src={waymark.images.url(imageID, size, size === 'lg' ? undefined : 'webp')}
          alt={isCurrent && size === '640' ? titleOf(item) : ''}
          width={width}
          height={height}
          style={box}
          decoding="async"
          draggable={false}
          onLoad={() => setLoaded((before) => new Set([...before, size]))}
          onError={() => size === '640' && setFailed(true)}
        />
      ))}
      {hasFailed && loaded.size === 0 && isCurrent && (
        <Text className={styles.failed ?? ''}>{strings.notShown}</Text>
      )}
    </div>
  )
}

export function Stage() {
  const { photo, list, view, isZoomed, toggleZoom, step } = useDesk()
  const { item } = photo
  const { place, handlers } = usePan({ isZoomed, onZoom: toggleZoom, onStep: step })
  const layers = [...(item ? [item] : []), ...upcoming(list.shown, view.at, preloaded)]
  const ZoomIcon = isZoomed ? ZoomOut : ZoomIn
  return (
    <div className={styles.frame}>
      <section
        ref={place}
        className={styles.stage}
        data-part="stage"
        data-zoomed={isZoomed}
        aria-label={item ? strings.stage(titleOf(item)) : strings.title}
        {...handlers}
      >
        {item === undefined && <Skeleton className={styles.blank ?? ''} />}
        {layers.map((layer) => (
          <Layer
            key={layer.imageID}
            item={layer}
            isCurrent={layer === item}
            isZoomed={isZoomed && layer === item}
          />
        ))}
      </section>
      <ActionIcon
        {...round}
        className={styles.previous ?? ''}
        aria-label={strings.actions.previous}
        onClick={() => step(-1)}
      >
        <ChevronLeft aria-hidden />
      </ActionIcon>
      <ActionIcon
        {...round}
        className={styles.next ?? ''}
        aria-label={strings.actions.next}
        onClick={() => step(1)}
      >
        <ChevronRight aria-hidden />
      </ActionIcon>
      <ActionIcon
        {...round}
        className={styles.zoom ?? ''}
        aria-label={strings.actions.zoom}
        aria-pressed={isZoomed}
        onClick={toggleZoom}
      >
        <ZoomIcon aria-hidden />
      </ActionIcon>
    </div>
  )
}
