// The visible rows of a long list with rows of equal height: only those are rendered.
import { useState, type RefObject, type UIEvent } from 'react'

interface RowsOptions {
  readonly place: RefObject<HTMLElement | null>
  readonly count: number
  readonly rowHeight: number
  readonly viewHeight: number
}

/** Rows above and below the viewport, so that Tab finds the next one. */
const spareRows = 6

export function useRows({ place, count, rowHeight, viewHeight }: RowsOptions) {
  const [top, setTop] = useState(0)
  const first = Math.max(0, Math.min(count - 1, Math.floor(top / rowHeight)) - spareRows)
  const end = Math.min(count, first + Math.ceil(viewHeight / rowHeight) + 2 * spareRows + 1)
  return {
    indexes: Array.from({ length: Math.max(0, end - first) }, (_, at) => first + at),
    onScroll: ({ currentTarget: { scrollTop } }: UIEvent<HTMLElement>): void => setTop(scrollTop),
    /** Scrolls only as far as needed to show the row. */
    scrollTo: (index: number): void => {
      const element = place.current
      if (!element) return
      const [start, last] = [index * rowHeight, (index + 1) * rowHeight - element.clientHeight]
      if (element.scrollTop > start) element.scrollTo({ top: start })
      else if (element.scrollTop < last) element.scrollTo({ top: last })
    },
  }
}
