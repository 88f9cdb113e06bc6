// Which of rows that lie one below the other reach into what is seen.

export interface VisibleRows {
  readonly from: number
  /** The one after the last. */
  readonly to: number
}

/** The first row that begins after this; `tops` rises. */
function firstAfter(tops: readonly number[], px: number): number {
  let [low, high] = [0, tops.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((tops[middle] ?? 0) <= px) low = middle + 1
    else high = middle
  }
  return low
}

/** @param tops where each row begins. @param fromPx, @param toPx what is seen, on the same scale. */
export function rowsWithin(tops: readonly number[], fromPx: number, toPx: number): VisibleRows {
  const from = Math.max(0, firstAfter(tops, fromPx) - 1)
  return { from, to: Math.max(from, firstAfter(tops, toPx)) }
}
