// What a transaction that works side by side with others leaves to the sequencer: its events, moves and changed lists.
//
// Positions of the feed and the chain of the history are one row after the other, over all nodes. Where transactions work
// side by side (PostgreSQL, database.ts), none of them can know its place: they say what happened, and the sequencer
// (postgres/sequencer.ts) gives each its number once they are committed. Everywhere else nothing is left to anybody.
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

/** What the history says of an event beside that. */
export interface LeftMove {
  readonly actorId: number
  readonly reason: string | null
  readonly note: string | null
}

export type Left =
  | { readonly kind: 'event'; readonly event: LeftEvent; readonly move: LeftMove | undefined }
  /** The version of the trail goes one up. */
  | { readonly kind: 'version'; readonly trailId: number }

/** No statement: the drivers take it, and no database sees it. */
const leaveText = 'leave'

/** What the query leaves; undefined where it is a statement. */
export const leftBy = ({ sql, parameters }: Pick<CompiledQuery, 'sql' | 'parameters'>): Left | undefined =>
  sql === leaveText ? (parameters[0] as Left) : undefined

/** Leaves it to the sequencer. @returns false where the transaction is alone, and has to do it by itself. */
export async function leave(tx: Tx, left: Left): Promise<boolean> {
  const { rows } = await tx.executeQuery(CompiledQuery.raw(leaveText, [left]))
  return rows.length > 0
}
