// One trail: its newest photo, name, length and number of photos.
import { Link } from '@tanstack/react-router'
import { Mountain } from 'lucide-react'
import type { TrailSummary } from '../../../client/client.ts'
import { useWaymark } from '../../data/waymark.tsx'
import { trailStrings } from '../../strings/trails.ts'
import { formatCount, useFormat } from '../../ui/format.ts'
import { hovering } from '../../ui/hovering.ts'
import styles from './trails.module.css'

interface TrailCardProps {
  readonly trail: TrailSummary
  readonly isPointed?: boolean
  /** Visible at first, so its picture is not lazy-loaded. */
  readonly isFirst?: boolean
  readonly onHover?: (trailId: number | undefined) => void
}

export function TrailCard({ trail, isPointed = false, isFirst = false, onHover }: TrailCardProps) {
  const { trailID, name, slug, cover, images, lengthMiles } = trail
  const waymark = useWaymark()
  const format = useFormat()
  const length = lengthMiles === null ? trailStrings.noLine : format.length(lengthMiles)
  return (
    <Link
      to="/t/$slug"
      params={{ slug }}
      className={styles.card ?? ''}
      data-pointed={isPointed || undefined}
      {...hovering((isHovered) => onHover?.(isHovered ? trailID : undefined))}
      onFocus={() => onHover?.(trailID)}
      onBlur={() => onHover?.(undefined)}
    >
      {cover === null ? (
        <span className={styles.cover}>
          <Mountain size={28} aria-hidden />
        </span>
      ) : (
        <img
          className={styles.cover}
          src={waymark.images.url(cover, 'md')}
          alt=""
          width={112}
          height={96}
          loading={isFirst ? 'eager' : 'lazy'}
          decoding="async"
        />
      )}
      <span className={styles.strings}>
        <span className={styles.name}>{name}</span>
        <span className={styles.facts}>
          {length} · {trailStrings.photos(images, formatCount(images))}
        </span>
      </span>
    </Link>
  )
}
