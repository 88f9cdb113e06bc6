// The thumbnails of the list in a row, virtualized: only visible ones are in the document.
import { Eye, SkipForward } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useWaymark } from '../../../data/waymark.tsx'
import { reviewStrings as strings } from '../../../strings/review.ts'
import { useDesk } from './desk-context.tsx'
import { titleOf } from '../decisions/refusals.ts'
import { changeReviewSession } from '../decisions/review-session-store.ts'
import { toggleSelected, type DeskItem } from '../decisions/review-session.ts'
import styles from './strip.module.css'
import { useTiles } from '../photo/use-tiles.ts'

const tilePx = 84

function Tile({ item, start }: { readonly item: DeskItem; readonly start: number }) {
  const waymark = useWaymark()
  const { goTo, view, reviewSession, accountId } = useDesk()
  const { imageID, queue } = item
  const isCurrent = imageID === view.at
  const isSelected = reviewSession.selected.has(imageID)
  const isSkipped = reviewSession.skipped.includes(imageID)
  const other = queue?.claim && queue.claim.acctID !== accountId ? queue.claim.displayName : undefined
  const label = [
    titleOf(item),
    ...(isSkipped ? [strings.isSkipped] : []),
    ...(other === undefined ? [] : [strings.isTakenBy(other)]),
  ].join(', ')
  return (
    <li className={styles.tile} style={{ transform: `translateX(${start}px)` }} data-selected={isSelected}>
      <button
        type="button"
        className={styles.button}
        aria-label={label}
        aria-current={isCurrent ? 'true' : undefined}
        tabIndex={isCurrent ? 0 : -1}
        onClick={() => goTo(imageID)}
      >
        <img
          src={waymark.images.url(imageID, '150', 'webp')}
          alt=""
          width={72}
          height={72}
          decoding="async"
        />
        {other !== undefined && <Eye size={18} className={styles.mark} aria-hidden />}
        {isSkipped && <SkipForward size={18} className={styles.mark} aria-hidden />}
      </button>
      <input
        type="checkbox"
        className={styles.check}
        aria-label={`${strings.actions.select}: ${titleOf(item)}`}
        checked={isSelected}
        tabIndex={isCurrent ? 0 : -1}
        onChange={() => changeReviewSession((before) => toggleSelected(before, imageID))}
      />
    </li>
  )
}

export function Strip() {
  const { list, index } = useDesk()
  const { shown, loadMore } = list
  const place = useRef<HTMLDivElement>(null)
  const { first, end } = useTiles(place, tilePx, shown.length)
  useEffect(() => {
    const { current: element } = place
    if (!element || index === -1) return
    element.scrollLeft = index * tilePx - (element.clientWidth - tilePx) / 2
  }, [index])
  const isEnd = end >= shown.length - 5
  useEffect(() => {
    if (isEnd) loadMore()
  }, [isEnd, loadMore])
  return (
    <div ref={place} className={styles.strip} tabIndex={-1}>
      <ul aria-label={strings.strip} className={styles.tiles} style={{ width: shown.length * tilePx }}>
        {shown.slice(first, end).map((item, at) => (
          <Tile key={item.imageID} item={item} start={(first + at) * tilePx} />
        ))}
      </ul>
    </div>
  )
}
