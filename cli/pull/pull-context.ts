// What every part of a pull works with: where it asks, what it stores with, and what it counts and tells.
import type { PulledRoutes } from '../../src/account-routes/pulled-routes.ts'
import type { Db } from '../../src/database/database.ts'
import type { PulledImages } from '../../src/images/pulled/keep-pulled.ts'
import type { Trails } from '../../src/trails/trails.ts'
import type { Asker } from './asking.ts'
import { kindOf, lossOf, type Loss, type LossCode } from './losses.ts'
import type { OriginalsPlace } from './originals.ts'
import type { PullState } from './pull-state.ts'

export interface Counted {
  new: number
  changed: number
  unchanged: number
}

export interface CountedImages extends Counted {
  /** Of the new ones, those that came as they were uploaded there. The others came as size lg. */
  originals: number
}

export interface PullCounts {
  readonly trails: Counted
  readonly accounts: Counted
  readonly images: CountedImages
  readonly routes: Counted
  bytes: number
}

export interface PullContext {
  /** By which the server is known in the database: its URL, or the one that it was pulled from before. */
  readonly source: string
  /** Is this source the same server? Its URL may have changed (--same-as). */
  readonly isFrom: (source: string) => boolean
  /** Where trails and images are, without a slash at the end. */
  readonly base: string
  readonly routesBase: string
  readonly imageHandler: string
  readonly apiKey: string
  /** Asks for XML first, which alone tells addresses. */
  readonly prefersXml: boolean
  readonly isDryRun: boolean
  /** Where originals are asked for, if they are. */
  readonly originals: OriginalsPlace | undefined
  /** Accounts that are the same person there, by the word of the operator. */
  readonly isSamePerson: (accountId: number) => boolean
  readonly maxImageBytes: number
  readonly state: PullState
  readonly asker: Asker
  readonly db: Db
  readonly trails: Trails
  readonly images: PulledImages
  readonly routes: PulledRoutes
  readonly now: () => number
  readonly signal: AbortSignal
  readonly counts: PullCounts
  readonly show: (line: string) => void
}

const nothing = (): Counted => ({ new: 0, changed: 0, unchanged: 0 })

export const newCounts = (): PullCounts => ({
  trails: nothing(),
  accounts: nothing(),
  images: { ...nothing(), originals: 0 },
  routes: nothing(),
  bytes: 0,
})

/** Notes what could not be kept. */
export function noteLoss(
  { state }: Pick<PullContext, 'state'>,
  code: LossCode,
  of: Pick<Loss, 'what' | 'id' | 'trailID'>,
  detail?: string,
): Promise<void> {
  return state.note(lossOf(code, of, detail))
}

/** How the codes of what was noted count. */
export async function countLosses(state: PullState): Promise<Record<'left' | 'conflict' | 'note', number>> {
  const counts = { left: 0, conflict: 0, note: 0 }
  for await (const { code } of state.readLosses()) counts[kindOf(code)] += 1
  return counts
}

/** How one thing stands to what is here. */
export type Standing =
  | 'new'
  | 'unchanged'
  | 'changed'
  | 'agreed'
  | 'deleted-here'
  | 'id-in-use'
  | 'edited-here'

/**
 * @param here what is here, as a digest; undefined where nothing is.
 * @param there what the other server says now.
 * @param pulled what it said when it was last pulled; undefined where it was not.
 */
export function standingOf(here: string | undefined, there: string, pulled: string | undefined): Standing {
  if (here === undefined) return pulled === undefined ? 'new' : 'deleted-here'
  if (pulled === undefined) return 'id-in-use'
  if (pulled === there) return 'unchanged'
  if (here === there) return 'agreed'
  return here === pulled ? 'changed' : 'edited-here'
}
