// One photo of the grid: its space is reserved before it loads, and the browser picks a suitable size.
import { Link } from '@tanstack/react-router'
import { memo, type CSSProperties } from 'react'
import type { Image } from '../../../client/client.ts'
import { galleryStrings } from '../../strings/gallery.ts'
import { hovering } from '../../ui/hovering.ts'
import styles from './gallery.module.css'
import { ratioOf } from './justified-layout.ts'
import { altOf, sourcesOf } from './sources.ts'
import { TakenAgo } from './taken-time.tsx'
import { keepSearch, viewerState } from './use-open-photo.ts'

export interface TilePlace {
  readonly leftPx: number
  readonly topPx: number
  readonly widthPx: number
  readonly heightPx: number
}

interface TileProps {
  readonly image: Image
  readonly slug: string
  /** Undefined until it is computed: then the styles lay it out by its aspect ratio. */
  readonly place: TilePlace | undefined
  readonly isPointed: boolean
  readonly onHover: (imageId: number | undefined) => void
}

const styleOf = (image: Image, place: TilePlace | undefined): CSSProperties =>
  place === undefined
    ? ({ '--ratio': ratioOf(image).toFixed(4) } as CSSProperties)
    : {
        width: place.widthPx,
        height: place.heightPx,
        transform: `translate(${place.leftPx}px, ${place.topPx}px)`,
      }

/** About as wide as it is drawn, and the same before and after layout, so that no photo is requested twice. */
const sizesOf = (ratio: number): string =>
  `(max-width: 40rem) ${Math.round(ratio * 125)}px, ${Math.round(ratio * 200)}px`

const isSame = (one: TileProps, other: TileProps): boolean =>
  one.image === other.image &&
  one.slug === other.slug &&
  one.isPointed === other.isPointed &&
  one.onHover === other.onHover &&
  one.place?.leftPx === other.place?.leftPx &&
  one.place?.topPx === other.place?.topPx &&
  one.place?.widthPx === other.place?.widthPx &&
  one.place?.heightPx === other.place?.heightPx

export const Tile = memo(function Tile(props: TileProps) {
  const { image, slug, place, isPointed, onHover } = props
  const { imageID, title, urls, takenOn, width, height } = image
  return (
    <Link
      to="/t/$slug/$imageId"
      params={{ slug, imageId: String(imageID) }}
      search={keepSearch}
      state={viewerState}
      resetScroll={false}
      preload={false}
      className={styles.tile ?? ''}
      style={styleOf(image, place)}
      data-image={imageID}
      data-pointed={isPointed || undefined}
      aria-label={galleryStrings.open(altOf(image))}
      {...hovering((isHovered) => onHover(isHovered ? imageID : undefined))}
      onFocus={() => onHover(imageID)}
      onBlur={() => onHover(undefined)}
    >
      <picture>
        <source type="image/webp" srcSet={sourcesOf(image, 'webp')} sizes={sizesOf(ratioOf(image))} />
        <img
          src={urls.md}
          srcSet={sourcesOf(image)}
          sizes={sizesOf(ratioOf(image))}
          width={width}
          height={height}
          alt=""
          loading="lazy"
          decoding="async"
          draggable={false}
        />
      </picture>
      {(title !== '' || takenOn !== null) && (
        <span className={styles.tileTitle}>
          {title !== '' && <span>{title}</span>} <TakenAgo takenOn={takenOn} />
        </span>
      )}
    </Link>
  )
}, isSame)
