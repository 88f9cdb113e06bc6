// The context shared by all parts of a pull: the source, the stores, and the counts.
import type { PulledRoutes } from '../../src/account-routes/pulled-routes.ts'
import type { Db } from '../../src/database/database.ts'
import type { PulledImages } from '../../src/images/pulled/store-pulled.ts'
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
  /** New images imported with their original file; the others came as size lg. */
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
  /** The identity of the server in the database: its URL, or the URL that it was pulled from before. */
  readonly source: string
  /** Is this source the same server? Its URL may have changed (--same-as). */
  readonly isFrom: (source: string) => boolean
  /** Base URL of trails and images, without a trailing slash. */
  readonly base: string
  readonly routesBase: string
  readonly imageHandler: string
  readonly apiKey: string
  /** Requests XML first, because only XML contains email addresses. */
  readonly prefersXml: boolean
  readonly isDryRun: boolean
  /** Where originals are requested, if at all. */
  readonly originals: OriginalsPlace | undefined
  /** Accounts that belong to the same person on both servers, according to the operator. */
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

/** Records what could not be imported. */
export function noteLoss(
  { state }: Pick<PullContext, 'state'>,
  code: LossCode,
  of: Pick<Loss, 'what' | 'id' | 'trailID'>,
  detail?: string,
): Promise<void> {
  return state.note(lossOf(code, of, detail))
}

/** How the codes of the recorded losses count. */
export async function countLosses(state: PullState): Promise<Record<'left' | 'conflict' | 'note', number>> {
  const counts = { left: 0, conflict: 0, note: 0 }
  for await (const { code } of state.readLosses()) counts[kindOf(code)] += 1
  return counts
}

/** The state of one item compared with what is stored here. */
export type SyncState =
  | 'new'
  | 'unchanged'
  | 'changed'
  | 'agreed'
  | 'deleted-here'
  | 'id-in-use'
  | 'edited-here'

/**
 * @param here digest of what is stored here; undefined if nothing is.
 * @param there what the other server reports now.
 * @param pulled what it reported at the last pull; undefined if there was none.
 */
export function syncStateOf(here: string | undefined, there: string, pulled: string | undefined): SyncState {
  if (here === undefined) return pulled === undefined ? 'new' : 'deleted-here'
  if (pulled === undefined) return 'id-in-use'
  if (pulled === there) return 'unchanged'
  if (here === there) return 'agreed'
  return here === pulled ? 'changed' : 'edited-here'
}
