// One photo of the grid: its place is kept before it comes, and the browser takes the size that suits it.
import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import type { Image } from '../../../client/client.ts'
import { galleryStrings } from '../../strings/gallery.ts'
import styles from './gallery.module.css'
import { altOf, sourcesOf } from './sources.ts'
import { TakenAgo } from './taken-time.tsx'
import { keepSearch, viewerState } from './use-open-photo.ts'

interface TileProps {
  readonly image: Image
  readonly slug: string
  readonly widthPx: number
  readonly heightPx: number
  readonly isPointed: boolean
  readonly onHover: (imageId: number | undefined) => void
}

export const Tile = memo(function Tile({ image, slug, widthPx, heightPx, isPointed, onHover }: TileProps) {
  const { imageID, title, urls, takenOn } = image
  return (
    <Link
      to="/t/$slug/$imageId"
      params={{ slug, imageId: String(imageID) }}
      search={keepSearch}
      state={viewerState}
      resetScroll={false}
      preload={false}
      className={styles.tile ?? ''}
      style={{ width: widthPx, height: heightPx }}
      data-image={imageID}
      data-pointed={isPointed || undefined}
      aria-label={galleryStrings.open(altOf(image))}
      onMouseEnter={() => onHover(imageID)}
      onMouseLeave={() => onHover(undefined)}
      onFocus={() => onHover(imageID)}
      onBlur={() => onHover(undefined)}
    >
      <img
        src={urls.md}
        srcSet={sourcesOf(image)}
        sizes={`${widthPx}px`}
        width={widthPx}
        height={heightPx}
        alt=""
        decoding="async"
        draggable={false}
      />
      {(title !== '' || takenOn !== null) && (
        <span className={styles.tileTitle}>
          {title !== '' && <span>{title}</span>} <TakenAgo takenOn={takenOn} />
        </span>
      )}
    </Link>
  )
})
