// The visible tiles of a long row: all have the same width, so a row of thousands costs no more than one screen.
import { useEffect, useState, type RefObject } from 'react'

interface Range {
  readonly first: number
  /** Exclusive. */
  readonly end: number
}

/** Rendered beyond the edges, so that scrolling finds them ready. */
const spare = 4

export function useTiles(place: RefObject<HTMLElement | null>, tilePx: number, count: number): Range {
  const [range, setRange] = useState<Range>({ first: 0, end: 20 })
  useEffect(() => {
    const { current: element } = place
    if (!element) return undefined
    const look = (): void => {
      const first = Math.max(0, Math.floor(element.scrollLeft / tilePx) - spare)
      const end = Math.ceil((element.scrollLeft + element.clientWidth) / tilePx) + spare
      setRange((before) => (before.first === first && before.end === end ? before : { first, end }))
    }
    const size = new ResizeObserver(look)
    size.observe(element)
    element.addEventListener('scroll', look, { passive: true })
    return () => {
      size.disconnect()
      element.removeEventListener('scroll', look)
    }
  }, [place, tilePx])
  return { first: Math.min(range.first, Math.max(0, count - 1)), end: Math.min(range.end, count) }
}
