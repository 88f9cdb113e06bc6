// The rows. Up to fifty are all rendered; beyond that, only those in and near the viewport.
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { uploadStrings } from '../../strings/upload.ts'
import type { NeighbourOffers } from '../../upload/placeless.ts'
import type { Queue } from '../../upload/queue.ts'
import { PhotoRow } from './photo-row.tsx'
import type { MissingPlaceProps } from './placing/missing-place.tsx'
import styles from './upload.module.css'

const maxWhole = 50
const usualRowPx = 165

interface PhotoListProps extends Pick<MissingPlaceProps, 'isAsking' | 'onRemedy'> {
  readonly queue: Queue
  readonly activeId: string | undefined
  readonly onPlace: (id: string) => void
  readonly offers: NeighbourOffers
}

function WholeList({ queue, activeId, offers, ...rest }: PhotoListProps) {
  const list = useRef<HTMLOListElement>(null)
  useEffect(() => {
    if (activeId !== undefined)
      list.current?.querySelector('[data-active=true]')?.scrollIntoView({ block: 'nearest' })
  }, [activeId])
  return (
    <ol ref={list} className={styles.list} aria-label={uploadStrings.list}>
      {queue.map((photo) => (
        <li key={photo.id} className={styles.item}>
          <PhotoRow photo={photo} isActive={photo.id === activeId} offer={offers.get(photo.id)} {...rest} />
        </li>
      ))}
    </ol>
  )
}

function LongList({ queue, activeId, offers, ...rest }: PhotoListProps) {
  const list = useRef<HTMLOListElement>(null)
  const [top, setTop] = useState(0)
  useLayoutEffect(() => {
    setTop((list.current?.getBoundingClientRect().top ?? 0) + window.scrollY)
  }, [])
  const rows = useWindowVirtualizer({
    count: queue.length,
    estimateSize: () => usualRowPx,
    overscan: 4,
    scrollMargin: top,
    getItemKey: (index) => queue[index]?.id ?? index,
  })
  const at = queue.findIndex(({ id }) => id === activeId)
  useEffect(() => {
    if (at >= 0) rows.scrollToIndex(at, { align: 'auto' })
  }, [at, rows])
  return (
    <ol
      ref={list}
      className={styles.list}
      aria-label={uploadStrings.list}
      style={{ height: rows.getTotalSize() }}
    >
      {rows.getVirtualItems().map(({ key, index, start }) => {
        const photo = queue[index]
        if (!photo) return null
        return (
          <li
            key={key}
            ref={rows.measureElement}
            data-index={index}
            data-placed="true"
            className={styles.item}
            aria-setsize={queue.length}
            aria-posinset={index + 1}
            style={{ transform: `translateY(${start - top}px)` }}
          >
            <PhotoRow photo={photo} isActive={photo.id === activeId} offer={offers.get(photo.id)} {...rest} />
          </li>
        )
      })}
    </ol>
  )
}

export function PhotoList(props: PhotoListProps) {
  return props.queue.length > maxWhole ? <LongList {...props} /> : <WholeList {...props} />
}
