// Where the map was looked at last, on this browser: who draws a second route mostly draws it nearby.
import type { Bounds } from '../../../map/kinds.ts'

const key = 'waymark.route-place'

export function lastPlace(): Bounds | undefined {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? 'null')
    if (!Array.isArray(kept) || !kept.every((value) => typeof value === 'number')) return undefined
    const [west, south, east, north] = kept
    return west === undefined || south === undefined || east === undefined || north === undefined
      ? undefined
      : [west, south, east, north]
  } catch {
    return undefined
  }
}

export function rememberPlace(bounds: Bounds): void {
  try {
    localStorage.setItem(key, JSON.stringify(bounds))
  } catch {
    // A private window that keeps nothing: the next route begins with the whole world.
  }
}
