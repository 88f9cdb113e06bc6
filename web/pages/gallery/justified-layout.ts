// Photos in justified rows, with the same result as the styles before the script runs (gallery.module.css): a row
// takes photos as long as they fit at the minimum height, then its photos grow together until they fill it. So
// nothing moves when this takes over.

export interface Row {
  /** Index of its first photo, and of the one after its last. */
  readonly from: number
  readonly to: number
  readonly heightPx: number
  /** Width of each photo; with the gaps they fill the row, except for a last row that is too short. */
  readonly widthsPx: readonly number[]
}

export interface LayoutOptions {
  readonly widthPx: number
  readonly minHeightPx: number
  readonly gapPx: number
  /** More will be loaded: photos that do not fill a row yet wait for them, so that nothing visible moves. */
  readonly isOpenEnded?: boolean
}

/** A very narrow panorama, or a file that claims to be 1 × 9999, must not take a row of its own height. */
const minRatio = 0.4
const maxRatio = 3

export const ratioOf = ({ width, height }: { readonly width: number; readonly height: number }): number =>
  width > 0 && height > 0 ? Math.min(maxRatio, Math.max(minRatio, width / height)) : 1

/** Integer pixels that add up to the row. */
function widthsOf(ratios: readonly number[], heightPx: number, roomPx: number | undefined): number[] {
  let before = 0
  let end = 0
  const widths = ratios.map((ratio) => {
    end += ratio * heightPx
    const width = Math.round(end) - before
    before += width
    return width
  })
  const last = widths.pop() ?? 0
  const rest = roomPx === undefined ? last : roomPx - widths.reduce((sum, width) => sum + width, 0)
  return [...widths, rest]
}

/** A single tall photo beside a panorama would fill the window: it is cropped, as in the CSS. */
const maxGrowth = 1.7

/** @param ratios width by height of each photo, in order. */
export function layOut(ratios: readonly number[], options: LayoutOptions): Row[] {
  const { widthPx, minHeightPx, gapPx, isOpenEnded = false } = options
  const rows: Row[] = []
  let from = 0
  let sum = 0
  for (const [at, ratio] of ratios.entries()) {
    const gaps = (at - from) * gapPx
    const isFull = at > from && (sum + ratio) * minHeightPx + gaps > widthPx
    if (isFull) {
      const roomPx = widthPx - gaps + gapPx
      const heightPx = Math.round(Math.min(roomPx / sum, minHeightPx * maxGrowth))
      rows.push({ from, to: at, heightPx, widthsPx: widthsOf(ratios.slice(from, at), roomPx / sum, roomPx) })
      from = at
      sum = 0
    }
    sum += ratio
  }
  if (from < ratios.length && !isOpenEnded) {
    const left = ratios.slice(from)
    const widthsPx = widthsOf(left, minHeightPx, undefined)
    rows.push({ from, to: ratios.length, heightPx: minHeightPx, widthsPx })
  }
  return rows
}

/** Minimum row height for a window width: about two photos across on a phone, five on a desktop. As in the styles. */
export function minHeight(widthPx: number): number {
  if (widthPx < 600) return 112
  return widthPx < 1_700 ? 176 : 224
}

export interface Expected {
  readonly rows: number
  /** For each row. */
  readonly heightPx: number
}

/**
 * An estimate for photos that are not loaded, from those that are, so that the scroll bar has nearly its final length
 * from the start.
 */
export function expectRows(laidOut: readonly Row[], missing: number, minHeightPx: number): Expected {
  if (missing <= 0) return { rows: 0, heightPx: minHeightPx }
  const known = laidOut.at(-1)?.to ?? 0
  const perRow = known === 0 ? 4 : known / laidOut.length
  const heights = laidOut.reduce((sum, { heightPx }) => sum + heightPx, 0)
  const heightPx = known === 0 ? minHeightPx : Math.round(heights / laidOut.length)
  return { rows: Math.ceil(missing / perRow), heightPx }
}
