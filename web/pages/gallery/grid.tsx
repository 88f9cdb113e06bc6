// The photos in justified rows, of which only those near the window are in the document, and asked for as somebody scrolls.
import { Skeleton } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { Image } from '../../../client/client.ts'
import { useVisibleRows } from '../../ui/visible-rows.ts'
import styles from './gallery.module.css'
import { expectRows, layOut, ratioOf, wantedHeight, type Row } from './justified-layout.ts'
import { Tile } from './tile.tsx'

const gapPx = 8
/** How far beyond the window rows are in the document. */
const aheadPx = 600
const firstRows = 3
/** Rows before the end of what is loaded, from which more is asked for. */
const rowsAhead = 8

interface GridProps {
  readonly slug: string
  readonly label: string
  readonly images: readonly Image[]
  /** Of all of them, loaded or not; undefined where nobody knows. */
  readonly total: number | undefined
  readonly hasMore: boolean
  readonly onMore: () => void
  readonly pointedId: number | undefined
  readonly onHover: (imageId: number | undefined) => void
  /** A photo to bring into sight: the one that was open. */
  readonly revealId: number | undefined
}

function useLayout({ images, total, hasMore }: GridProps, widthPx: number) {
  return useMemo(() => {
    const wantedHeightPx = wantedHeight(widthPx)
    if (widthPx === 0) return { rows: [], expected: { rows: 0, heightPx: wantedHeightPx } }
    const rows = layOut(images.map(ratioOf), { widthPx, wantedHeightPx, gapPx, isOpenEnded: hasMore })
    const known = rows.at(-1)?.to ?? 0
    const missing = hasMore ? Math.max(1, (total ?? images.length + 1) - known) : 0
    return { rows, expected: expectRows(rows, missing, wantedHeightPx) }
  }, [images, total, hasMore, widthPx])
}

const tileOf = (imageId: number): HTMLElement | null => document.querySelector(`[data-image="${imageId}"]`)

function reveal(
  imageId: number,
  {
    images,
    rows,
    tops,
    top,
  }: Pick<GridProps, 'images'> & {
    readonly rows: readonly Row[]
    readonly tops: readonly number[]
    readonly top: number
  },
): void {
  const at = images.findIndex(({ imageID }) => imageID === imageId)
  const row = rows.findIndex(({ to }) => at < to)
  if (at === -1 || row === -1) return
  const middle = top + (tops[row] ?? 0) - window.innerHeight / 2
  if (!tileOf(imageId)) window.scrollTo({ top: Math.max(0, middle) })
  // The scrolling is heard in the next frame, and drawn by the one after it.
  requestAnimationFrame(() => requestAnimationFrame(() => tileOf(imageId)?.focus()))
}

export function Grid(props: GridProps) {
  const { slug, label, images, hasMore, onMore, pointedId, onHover, revealId } = props
  const { ref, width } = useElementSize<HTMLDivElement>()
  const inner = useRef<HTMLDivElement>(null)
  const widthPx = Math.floor(width)
  const { rows, expected } = useLayout(props, widthPx)
  const [top, setTop] = useState(0)
  // Where the grid begins changes with what is above it, and with it the height of the whole page.
  useLayoutEffect(() => {
    const look = (): void => {
      const { current: place } = inner
      if (place) setTop(Math.round(place.getBoundingClientRect().top + window.scrollY))
    }
    const observer = new ResizeObserver(look)
    observer.observe(document.body)
    look()
    return () => observer.disconnect()
  }, [])
  const tops = useMemo(() => {
    const starts: number[] = []
    let next = 0
    for (let at = 0; at < rows.length + expected.rows; at += 1) {
      starts.push(next)
      next += (rows[at]?.heightPx ?? expected.heightPx) + gapPx
    }
    return { starts, totalPx: next }
  }, [rows, expected])
  const near = useVisibleRows(tops.starts, top, aheadPx)
  // The first ones are there while the window is above them, for paper and for who points at them from above.
  const from = near.from
  const to = from === 0 ? Math.max(near.to, Math.min(firstRows, tops.starts.length)) : near.to

  useEffect(() => {
    if (hasMore && to - 1 >= rows.length - rowsAhead) onMore()
  }, [hasMore, to, rows.length, onMore])

  const latest = useRef({ images, rows, tops: tops.starts, top })
  useEffect(() => {
    latest.current = { images, rows, tops: tops.starts, top }
  })
  // Only when another photo is to be brought into sight, not when more of them come.
  useEffect(() => {
    if (revealId !== undefined) reveal(revealId, latest.current)
  }, [revealId])

  return (
    <div ref={ref}>
      <div
        ref={inner}
        className={styles.grid}
        role="group"
        aria-label={label}
        style={{ height: tops.totalPx }}
      >
        {tops.starts.slice(from, to).map((start, near) => {
          const row = rows[from + near]
          return (
            <div key={start} className={styles.row} style={{ transform: `translateY(${start}px)` }}>
              {row === undefined ? (
                <Skeleton height={expected.heightPx} animate={false} aria-hidden />
              ) : (
                images
                  .slice(row.from, row.to)
                  .map((image, at) => (
                    <Tile
                      key={image.imageID}
                      image={image}
                      slug={slug}
                      widthPx={row.widthsPx[at] ?? 0}
                      heightPx={row.heightPx}
                      isPointed={image.imageID === pointedId}
                      onHover={onHover}
                    />
                  ))
              )}
            </div>
          )
        })}
      </div>
    </div>
  )
}
