// The last map view in this browser: people who draw a second route mostly draw it nearby.
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
    // If a private window stores nothing, the next route starts with the whole world.
  }
}
