// Which rows of a long page are near the window. Their heights are known beforehand, so nothing has to be measured, and a
// library for what may be any size would be a twentieth of the first page's weight.
import { useEffect, useState } from 'react'
import { rowsWithin, type VisibleRows } from './rows-within.ts'

/**
 * @param tops where each row begins, below `topPx`, where the first one is on the page.
 * @param aheadPx how far beyond the window rows are there already.
 * @param firstRows how many are there before anybody knows the window: on the server, and for who has no scripts.
 */
export function useVisibleRows(
  tops: readonly number[],
  topPx: number,
  aheadPx: number,
  firstRows?: number,
): VisibleRows {
  const [seen, setSeen] = useState({ scrollY: 0, height: 0 })
  useEffect(() => {
    let frame = 0
    const look = (): void => {
      frame = 0
      // Within a step the same rows are near: most of the scrolling draws nothing anew.
      const stepPx = Math.max(1, aheadPx / 2)
      const scrollY = Math.floor(window.scrollY / stepPx) * stepPx
      setSeen((before) =>
        before.scrollY === scrollY && before.height === window.innerHeight
          ? before
          : { scrollY, height: window.innerHeight },
      )
    }
    const soon = (): void => {
      frame ||= requestAnimationFrame(look)
    }
    look()
    window.addEventListener('scroll', soon, { passive: true })
    window.addEventListener('resize', soon)
    return () => {
      cancelAnimationFrame(frame)
      window.removeEventListener('scroll', soon)
      window.removeEventListener('resize', soon)
    }
  }, [aheadPx])
  if (seen.height === 0 && firstRows !== undefined) return { from: 0, to: Math.min(firstRows, tops.length) }
  const fromPx = seen.scrollY - topPx
  return rowsWithin(tops, fromPx - aheadPx, fromPx + seen.height + aheadPx * 1.5)
}
