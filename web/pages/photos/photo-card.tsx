// One of the user's photos: thumbnail, status, and the reason if it was rejected.
import { Checkbox } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import type { Image } from '../../../client/client.ts'
import { photoStrings } from '../../strings/photos.ts'
import { formatAgo } from '../../ui/format.ts'
import { useHistory } from './photo-data.ts'
import { statusWord, titleOf, type View } from './photo-filters.ts'
import styles from './photos.module.css'

/** The reason is in the last status change, in its current wording. */
export function Reason({ image }: { readonly image: Image }) {
  const { data } = useHistory(image.imageID)
  const last = data?.findLast(({ to }) => to === image.status)
  if (!last) return null
  const reason = last.reasonLabel ?? last.reason ?? photoStrings.noReason
  return <p className={styles.reason}>{photoStrings.because(reason, formatAgo(last.at))}</p>
}

interface PhotoCardProps {
  readonly image: Image
  readonly view: View
  readonly isSelected: boolean
  readonly isActive: boolean
  readonly onSelect: (imageId: number, isRange: boolean) => void
  readonly onOpen: (imageId: number) => void
}

export const PhotoCard = memo(function PhotoCard(props: PhotoCardProps) {
  const { image, view, isSelected, isActive, onSelect, onOpen } = props
  const { imageID, status, trailName, postedAt, urls, trailID } = image
  const title = titleOf(image)
  const isTurnedDown = status === 'rejected' || status === 'removed'
  return (
    <article
      className={styles.card}
      data-view={view}
      data-selected={isSelected}
      data-active={isActive}
      data-status={status}
      aria-label={title}
    >
      <div className={styles.check}>
        <Checkbox
          aria-label={photoStrings.select(title)}
          checked={isSelected}
          onChange={() => undefined}
          onClick={(event) => onSelect(imageID, event.shiftKey)}
        />
      </div>
      <button
        type="button"
        className={styles.picture}
        aria-label={photoStrings.open(title)}
        onClick={() => onOpen(imageID)}
      >
        <img src={urls.md} alt="" loading="lazy" decoding="async" width={300} height={225} />
      </button>
      <div className={styles.text}>
        <span className={styles.title}>{title}</span>
        <p className={styles.about}>
          {trailName} · {photoStrings.sentAt(formatAgo(postedAt))}
        </p>
        <span className={styles.pill} data-status={status}>
          {statusWord(image)}
        </span>
        {isTurnedDown && <Reason image={image} />}
        {status === 'rejected' && (
          <Link to="/upload" search={{ trail: String(trailID), again: String(imageID) }}>
            {photoStrings.again}
          </Link>
        )}
      </div>
    </article>
  )
})
