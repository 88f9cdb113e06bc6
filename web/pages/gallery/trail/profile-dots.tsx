// The photos of a trail as dots on its profile, each a link to the photo; the hovered one is highlighted.
import { Link } from '@tanstack/react-router'
import { memo, useMemo } from 'react'
import { galleryStrings } from '../../../strings/gallery.ts'
import { hovering } from '../../../ui/hovering.ts'
import { keepSearch, viewerState } from '../use-open-photo.ts'
import { nothingPointed, usePointed, type Pointing } from './pointing.ts'
import type { ProfilePhoto } from './profile-photos.ts'
import {
  depthOf,
  elevationAt,
  shareOf,
  type PhotoDot,
  type ProfileFrame,
  type ProfilePoint,
} from './profile-shape.ts'
import styles from './profile.module.css'

interface DotProps {
  readonly dot: PhotoDot<ProfilePhoto>
  readonly slug: string
  readonly left: number
  readonly top: number
  readonly isPointed: boolean
  readonly onPoint: Pointing['point']
}

const Dot = memo(function Dot({ dot, slug, left, top, isPointed, onPoint }: DotProps) {
  const { photo, imageIds } = dot
  return (
    <li style={{ left: `${(left * 100).toFixed(2)}%`, top: `${(top * 100).toFixed(2)}%` }}>
      <Link
        to="/t/$slug/$imageId"
        params={{ slug, imageId: String(photo.imageID) }}
        search={keepSearch}
        state={viewerState}
        resetScroll={false}
        preload={false}
        // The slider goes from photo to photo by key; each is also a link in the gallery.
        tabIndex={-1}
        className={styles.dot ?? ''}
        data-dot={photo.imageID}
        data-many={imageIds.length > 1 || undefined}
        data-pointed={isPointed || undefined}
        aria-label={galleryStrings.open(photo.label)}
        {...hovering((isHovered) =>
          onPoint(isHovered ? { imageId: photo.imageID, miles: dot.miles } : nothingPointed),
        )}
      />
    </li>
  )
})

interface ProfileDotsProps {
  readonly slug: string
  readonly dots: readonly PhotoDot<ProfilePhoto>[]
  readonly points: readonly ProfilePoint[]
  readonly frame: ProfileFrame
  readonly pointing: Pointing
}

export function ProfileDots({ slug, dots, points, frame, pointing }: ProfileDotsProps) {
  const dotOf = useMemo(
    () => new Map(dots.flatMap((dot) => dot.imageIds.map((id) => [id, dot.photo.imageID] as const))),
    [dots],
  )
  const pointedId = usePointed(pointing, ({ imageId }) => imageId && dotOf.get(imageId))
  if (dots.length === 0) return null
  return (
    <ul className={styles.dots} aria-label={galleryStrings.profilePhotos(dots.length, String(dots.length))}>
      {dots.map((dot) => {
        const elevation = elevationAt(points, dot.miles)
        return (
          <Dot
            key={dot.photo.imageID}
            dot={dot}
            slug={slug}
            left={shareOf(dot.miles, frame)}
            top={elevation === undefined ? 0.5 : depthOf(elevation, frame)}
            isPointed={dot.photo.imageID === pointedId}
            onPoint={pointing.point}
          />
        )
      })}
    </ul>
  )
}
