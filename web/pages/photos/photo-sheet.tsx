// The photos as a grid or list, virtualized: only visible rows are in the document.
import { useElementSize } from '@mantine/hooks'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { Image } from '../../../client/client.ts'
import { PhotoCard } from './photo-card.tsx'
import type { View } from './photo-filters.ts'
import styles from './photos.module.css'

const minCardPx = 210
const usualRowPx = { grid: 300, list: 120 } as const

export interface PhotoSheetProps {
  readonly images: readonly Image[]
  readonly view: View
  readonly selected: ReadonlySet<number>
  readonly activeId: number | undefined
  readonly onSelect: (imageId: number, isRange: boolean) => void
  readonly onOpen: (imageId: number) => void
  readonly label: string
}

export function PhotoSheet({ images, view, selected, activeId, onSelect, onOpen, label }: PhotoSheetProps) {
  const { ref: measured, width } = useElementSize<HTMLElement>()
  const sheet = useRef<HTMLElement | null>(null)
  const [top, setTop] = useState(0)
  useLayoutEffect(() => {
    setTop((sheet.current?.getBoundingClientRect().top ?? 0) + window.scrollY)
  }, [width])
  const columns = view === 'list' ? 1 : Math.max(width < 500 ? 2 : 1, Math.floor(width / minCardPx))
  const rows = useWindowVirtualizer({
    count: Math.ceil(images.length / columns),
    estimateSize: () => usualRowPx[view],
    overscan: 3,
    scrollMargin: top,
  })
  // With another width or layout, rows have another height.
  useEffect(() => rows.measure(), [rows, columns, view])
  const at = images.findIndex(({ imageID }) => imageID === activeId)
  useEffect(() => {
    if (at >= 0) rows.scrollToIndex(Math.floor(at / columns), { align: 'auto' })
  }, [at, columns, rows])
  return (
    <section
      ref={(element) => {
        sheet.current = element
        measured(element)
      }}
      className={styles.sheet}
      aria-label={label}
      style={{ height: rows.getTotalSize() }}
    >
      {width > 0 &&
        rows.getVirtualItems().map(({ key, index, start }) => (
          <div
            key={key}
            ref={rows.measureElement}
            data-index={index}
            className={styles.line}
            style={{
              transform: `translateY(${start - top}px)`,
              gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
            }}
          >
            {images.slice(index * columns, (index + 1) * columns).map((image) => (
              <PhotoCard
                key={image.imageID}
                image={image}
                view={view}
                isSelected={selected.has(image.imageID)}
                isActive={image.imageID === activeId}
                onSelect={onSelect}
                onOpen={onOpen}
              />
            ))}
          </div>
        ))}
    </section>
  )
}
