// The number of photos in the list, of which only the first pages are loaded, from the counts of its tabs.
import type { DeskView } from './desk-view.ts'
import type { DeskItem } from '../decisions/review-session.ts'

interface Counts {
  readonly pending: number
  readonly edited: number
  readonly reported: number
}

interface Loaded {
  readonly shown: readonly DeskItem[]
  readonly loaded: readonly DeskItem[]
  readonly hasMore: boolean
}

/** A photo that is both edited and reported is in two tabs, but once in the list of all. */
const inTwoTabs = ({ queue }: DeskItem): boolean => (queue?.why.length ?? 0) > 1

/** @returns undefined if unknown: the tabs do not count decided photos, or those of one trail or submitter. */
export function listTotal(
  { show, trailId, submitterId }: DeskView,
  { shown, loaded, hasMore }: Loaded,
  counts: Counts | undefined,
): number | undefined {
  if (!hasMore) return shown.length
  if (!counts || trailId !== undefined || submitterId !== undefined) return undefined
  let total: number
  if (show === 'all')
    total = counts.pending + counts.edited + counts.reported - loaded.filter(inTwoTabs).length
  else if (show === 'pending' || show === 'edited' || show === 'reported') total = counts[show]
  else return undefined
  return shown.length + Math.max(0, total - loaded.length)
}
