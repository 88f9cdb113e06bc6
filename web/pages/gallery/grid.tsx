// The photos in justified rows. CSS lays out the first page before anything is measured; then only rows near the window
// are in the document, and more are loaded while scrolling.
import { Skeleton } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { Image } from '../../../client/client.ts'
import { useVisibleRows } from '../../ui/visible-rows.ts'
import styles from './gallery.module.css'
import { expectRows, layOut, minHeight, ratioOf, type Row } from './justified-layout.ts'
import { Tile, type TilePlace } from './tile.tsx'

const gapPx = 8
/** How far beyond the window rows are in the document. */
const aheadPx = 600
/** In the document while the window is above them. */
const firstRows = 3
/** How many rows before the end more photos are requested. */
const rowsAhead = 8
interface GridProps {
  readonly slug: string
  readonly label: string
  readonly images: readonly Image[]
  /** Number of all photos, loaded or not; undefined if unknown. */
  readonly total: number | undefined
  readonly hasMore: boolean
  readonly onMore: () => void
  readonly pointedId: number | undefined
  readonly onHover: (imageId: number | undefined) => void
  /** A photo to scroll to: the one that was open. */
  readonly revealId: number | undefined
}

function useLayout({ images, total, hasMore }: GridProps, widthPx: number) {
  return useMemo(() => {
    const minHeightPx = minHeight(widthPx)
    if (widthPx === 0) return { rows: [], expected: { rows: 0, heightPx: minHeightPx } }
    const rows = layOut(images.map(ratioOf), { widthPx, minHeightPx, gapPx, isOpenEnded: hasMore })
    const known = rows.at(-1)?.to ?? 0
    const missing = hasMore ? Math.max(1, (total ?? images.length + 1) - known) : 0
    return { rows, expected: expectRows(rows, missing, minHeightPx) }
  }, [images, total, hasMore, widthPx])
}

/** The top of each row, including those that are not loaded. */
function useTops({ rows, expected }: ReturnType<typeof useLayout>) {
  return useMemo(() => {
    const starts: number[] = []
    let next = 0
    for (let at = 0; at < rows.length + expected.rows; at += 1) {
      starts.push(next)
      next += (rows[at]?.heightPx ?? expected.heightPx) + gapPx
    }
    return { starts, totalPx: next }
  }, [rows, expected])
}

/** Per row, so that unchanged photos are not rendered again. */
function usePlaces(rows: readonly Row[], starts: readonly number[]): readonly TilePlace[] {
  return useMemo(
    () =>
      rows.flatMap(({ widthsPx, heightPx }, row) => {
        let leftPx = 0
        return widthsPx.map((widthPx) => {
          const place = { leftPx, topPx: starts[row] ?? 0, widthPx, heightPx }
          leftPx += widthPx + gapPx
          return place
        })
      }),
    [rows, starts],
  )
}

const tileOf = (imageId: number): HTMLElement | null => document.querySelector(`[data-image="${imageId}"]`)

function reveal(
  imageId: number,
  {
    images,
    places,
    top,
  }: Pick<GridProps, 'images'> & {
    readonly places: readonly TilePlace[]
    readonly top: number
  },
): void {
  const place = places[images.findIndex(({ imageID }) => imageID === imageId)]
  if (place === undefined) return
  const middle = top + place.topPx - window.innerHeight / 2
  if (!tileOf(imageId)) window.scrollTo({ top: Math.max(0, middle) })
  // Scroll events are handled in the next frame, and rendered in the one after it.
  requestAnimationFrame(() => requestAnimationFrame(() => tileOf(imageId)?.focus()))
}

export function Grid(props: GridProps) {
  const { slug, label, images, hasMore, onMore, pointedId, onHover, revealId } = props
  const { ref, width } = useElementSize<HTMLDivElement>()
  const inner = useRef<HTMLDivElement>(null)
  const widthPx = Math.floor(width)
  const layout = useLayout(props, widthPx)
  const { rows, expected } = layout
  const isCounted = widthPx > 0
  const [top, setTop] = useState(0)
  // The start of the grid changes with the content above it, and with it the height of the page.
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
  const tops = useTops(layout)
  const places = usePlaces(rows, tops.starts)
  const seen = useVisibleRows(tops.starts, top, aheadPx)
  // For print, and for photos hovered on the map or the profile above.
  const { from } = seen
  const to = from === 0 ? Math.max(seen.to, Math.min(firstRows, tops.starts.length)) : seen.to

  useEffect(() => {
    if (isCounted && hasMore && to - 1 >= rows.length - rowsAhead) onMore()
  }, [isCounted, hasMore, to, rows.length, onMore])

  const latest = useRef({ images, places, top })
  useEffect(() => {
    latest.current = { images, places, top }
  })
  // Only when another photo is to be scrolled to, not when more are loaded.
  useEffect(() => {
    if (revealId !== undefined) reveal(revealId, latest.current)
  }, [revealId])

  const begin = isCounted ? (rows[from]?.from ?? images.length) : 0
  const end = isCounted ? (rows[Math.min(to, rows.length) - 1]?.to ?? 0) : images.length
  return (
    <div ref={ref} className={styles.gridPlace}>
      <div
        ref={inner}
        className={styles.grid}
        data-flow={isCounted ? undefined : true}
        role="group"
        aria-label={label}
        style={isCounted ? { height: tops.totalPx } : undefined}
      >
        {images.slice(begin, end).map((image, near) => (
          <Tile
            key={image.imageID}
            image={image}
            slug={slug}
            place={isCounted ? places[begin + near] : undefined}
            isPointed={image.imageID === pointedId}
            onHover={onHover}
          />
        ))}
        {tops.starts.slice(Math.max(from, rows.length), to).map((start) => (
          <div key={start} className={styles.row} style={{ transform: `translateY(${start}px)` }}>
            <Skeleton height={expected.heightPx} animate={false} aria-hidden />
          </div>
        ))}
      </div>
    </div>
  )
}
