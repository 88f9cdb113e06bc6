// What a parallel transaction leaves to the sequencer: its events, moves and changed lists.
//
// Positions of the feed and the chain of the history are sequential over all nodes. Transactions that run in parallel
// (PostgreSQL, database.ts) cannot know their position: they record what happened, and the sequencer
// (postgres/sequencer.ts) numbers it once they are committed. In all other transactions, nothing is left.
import { CompiledQuery } from 'kysely'
import type { Tx } from './database.ts'
import type { ImageState } from './schema.ts'

/** A row of the outbox without its position. */
export interface LeftEvent {
  readonly type: string
  readonly at: number
  /** JSON. */
  readonly data: string
  readonly accountId: number | null
  readonly imageId: number | null
  readonly trailId: number | null
  readonly submitterId: number | null
  readonly from: ImageState | null
  readonly to: ImageState | null
}

/** What the history stores in addition to the event. */
export interface LeftMove {
  readonly actorId: number
  readonly reason: string | null
  readonly note: string | null
}

export type Left =
  | { readonly kind: 'event'; readonly event: LeftEvent; readonly move: LeftMove | undefined }
  /** Increments the version of the trail. */
  | { readonly kind: 'version'; readonly trailId: number }

/** Not SQL: the drivers intercept it, so it never reaches a database. */
const leaveText = 'leave'

/** What the query leaves to the sequencer; undefined if it is a statement. */
export const leftBy = ({ sql, parameters }: Pick<CompiledQuery, 'sql' | 'parameters'>): Left | undefined =>
  sql === leaveText ? (parameters[0] as Left) : undefined

/** Leaves it to the sequencer. @returns false if the transaction runs alone, and must do it itself. */
export async function leave(tx: Tx, left: Left): Promise<boolean> {
  const { rows } = await tx.executeQuery(CompiledQuery.raw(leaveText, [left]))
  return rows.length > 0
}
