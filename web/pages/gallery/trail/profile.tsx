// The elevation along a trail with its photos as dots: a drawing that works without scripts, with a cursor for
// pointer and keyboard if there are scripts.
import { useMemo } from 'react'
import type { Trail } from '../../../../client/client.ts'
import { galleryStrings } from '../../../strings/gallery.ts'
import { formatCount, useFormat } from '../../../ui/format.ts'
import { usePreferences } from '../../../ui/preferences.ts'
import type { Pointing } from './pointing.ts'
import { ProfileCursor } from './profile-cursor.tsx'
import { ProfileDots } from './profile-dots.tsx'
import type { ProfilePhoto } from './profile-photos.ts'
import { ProfileSlider } from './profile-slider.tsx'
import {
  depthOf,
  dotsOf,
  drawing,
  frameOf,
  pathsOf,
  shareOf,
  ticksBetween,
  type ProfileFrame,
  type ProfilePoint,
} from './profile-shape.ts'
import styles from './profile.module.css'

const maxTicksAlong = 6
const maxTicksUp = 4
const maxDepth = 0.9

const percent = (share: number): string => `${(share * 100).toFixed(2)}%`

/** Ticks at round numbers of the user's units, as fractions of the frame. */
function useTicks(frame: ProfileFrame, hasHeights: boolean) {
  const { units } = usePreferences()
  const perMile = units === 'miles' ? 1 : 1.609344
  const perMetre = units === 'miles' ? 1 / 0.3048 : 1
  const along = ticksBetween(0, frame.lengthMiles * perMile, maxTicksAlong).map((tick) => tick / perMile)
  const up = hasHeights
    ? ticksBetween(frame.from * perMetre, frame.to * perMetre, maxTicksUp).map((tick) => tick / perMetre)
    : []
  // A label at the lower edge would overlap those below.
  return { along, up: up.filter((metres) => depthOf(metres, frame) < maxDepth) }
}

function Scales({ frame, hasHeights }: { readonly frame: ProfileFrame; readonly hasHeights: boolean }) {
  const format = useFormat()
  const { along, up } = useTicks(frame, hasHeights)
  return (
    <div aria-hidden>
      {up.map((metres) => (
        <span key={metres} className={styles.height} style={{ top: percent(depthOf(metres, frame)) }}>
          <span>{format.height(metres)}</span>
        </span>
      ))}
      {along.map((miles) => (
        <span key={miles} className={styles.mile} style={{ left: percent(shareOf(miles, frame)) }}>
          {format.distance(miles)}
        </span>
      ))}
    </div>
  )
}

interface ProfileProps {
  readonly trail: Pick<Trail, 'slug' | 'lengthMiles'>
  readonly points: readonly ProfilePoint[]
  readonly ascent: number | null
  readonly descent: number | null
  readonly photos: readonly ProfilePhoto[]
  readonly pointing: Pointing
  readonly onOpen: (imageId: number) => void
}

/** Nothing for a trail without elevations and without photos along it. */
export function Profile({ trail, points, ascent, descent, photos, pointing, onOpen }: ProfileProps) {
  const format = useFormat()
  const frame = useMemo(() => frameOf(points, trail.lengthMiles), [points, trail.lengthMiles])
  const paths = useMemo(() => frame && pathsOf(points, frame), [points, frame])
  const dots = useMemo(() => (frame ? dotsOf(photos, frame) : []), [photos, frame])
  if (frame === undefined || (paths === undefined && dots.length === 0)) return null

  const elevations = points.map(({ elevation }) => elevation)
  const lowest = elevations.reduce((min, one) => Math.min(min, one), Infinity)
  const highest = elevations.reduce((max, one) => Math.max(max, one), -Infinity)
  const count = dots.reduce((sum, { imageIds }) => sum + imageIds.length, 0)
  return (
    <section className={styles.section} aria-labelledby="trail-profile">
      <h2 id="trail-profile">{paths ? galleryStrings.elevation : galleryStrings.alongTitle}</h2>
      <figure className={styles.profile}>
        <div className={styles.plot} data-flat={paths === undefined || undefined}>
          <ProfileSlider {...{ frame, points, dots, pointing, onOpen }} />
          <div className={styles.place}>
            <svg
              viewBox={`0 0 ${drawing.width} ${drawing.height}`}
              preserveAspectRatio="none"
              aria-hidden
              focusable="false"
            >
              {paths && <path className={styles.area} d={paths.area} />}
              <path
                className={styles.line}
                d={paths?.line ?? `M0 ${drawing.height / 2}H${drawing.width}`}
                vectorEffect="non-scaling-stroke"
              />
            </svg>
            <Scales frame={frame} hasHeights={paths !== undefined} />
            <ProfileDots slug={trail.slug} {...{ dots, points, frame, pointing }} />
            <ProfileCursor {...{ dots, points, frame, pointing }} />
          </div>
        </div>
        <figcaption>
          {paths && galleryStrings.profile(format.height(lowest), format.height(highest))}{' '}
          {ascent !== null &&
            descent !== null &&
            galleryStrings.profileClimb(format.height(ascent), format.height(descent))}{' '}
          {count > 0 && `${galleryStrings.profilePhotos(count, formatCount(count))}.`}
        </figcaption>
      </figure>
    </section>
  )
}
