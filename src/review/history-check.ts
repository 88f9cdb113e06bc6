// Checks that the history is unchanged: every row follows from the one before, and every state change has its row.
// Events may be deleted after some time (EVENT_RETENTION_DAYS), but the history never is: for older rows, only the
// chain is checked.
import type { Db } from '../database/database.ts'
import { readFloor } from '../events/outbox-floor.ts'
import { chainDigest, chainStart } from '../database/history-chain.ts'
import type { ImageHistoryTable } from '../database/schema.ts'

export type Wrong = 'changed' | 'missing' | 'inserted'

export interface HistoryFault {
  /** The first error; what follows is not checked. */
  readonly position: number
  readonly what: Wrong
  /** A sentence. */
  readonly detail: string
}

export interface CheckedHistory {
  /** Rows that are whole, from the first on. */
  readonly rows: number
  /** The digest of the last row: noted elsewhere, it proves later that nothing before it was changed. */
  readonly newest: NotedDigest | undefined
  readonly fault: HistoryFault | undefined
}

/** The digest that an earlier check printed. */
export interface NotedDigest {
  readonly position: number
  readonly digest: string
}

interface MoveEvent {
  readonly position: number
  readonly type: string
  readonly at: number
  readonly image_id: number | null
  readonly from_state: string | null
  readonly to_state: string | null
}

const rowsAtOnce = 1_000

/** Positions after `after` up to `end`, a batch. */
interface Span {
  readonly after: number
  readonly end: number
}

const listRows = (db: Db, { after, end }: Span): Promise<ImageHistoryTable[]> =>
  db
    .selectFrom('image_history')
    .selectAll()
    .where('position', '>', after)
    .where('position', '<=', end)
    .orderBy('position')
    .execute()

/**
 * Is it an event of a state change, which has a history row? A change of details has none; dismissing reports is a
 * change of details that has one.
 */
const needsRow = ({ type }: MoveEvent): boolean => type !== 'image.updated'

const listImageEvents = (db: Db, { after, end }: Span): Promise<MoveEvent[]> =>
  db
    .selectFrom('outbox')
    .select(['position', 'type', 'at', 'image_id', 'from_state', 'to_state'])
    .where('position', '>', after)
    .where('position', '<=', end)
    .where('image_id', 'is not', null)
    .orderBy('position')
    .execute()

/** The newest assigned position, which must have an event. */
async function newestGiven(db: Db): Promise<number> {
  const row = await db.selectFrom('counter').select('value').where('name', '=', 'outbox').executeTakeFirst()
  return row?.value ?? 0
}

async function newestIn(db: Db, table: 'outbox' | 'image_history'): Promise<number> {
  const { newest } = await db
    .selectFrom(table)
    .select(({ fn }) => fn.max<number | null>('position').as('newest'))
    .executeTakeFirstOrThrow()
  return newest ?? 0
}

/** What is at a position. `isShortened`: its event may have been deleted because of its age, and only the row is left. */
interface Found {
  readonly row: ImageHistoryTable | undefined
  readonly event: MoveEvent | undefined
  readonly isShortened: boolean
}

const isAgreed = (row: ImageHistoryTable, event: MoveEvent): boolean =>
  row.image_id === event.image_id &&
  row.at === event.at &&
  row.from_state === event.from_state &&
  row.to_state === event.to_state

function faultOf(before: string, { row, event, isShortened }: Found): HistoryFault | undefined {
  if (!row) {
    const position = event?.position ?? 0
    const detail = `The history has no row at position ${position}, where the feed has an event.`
    return { position, what: 'missing', detail }
  }
  const { position } = row
  if (!event && !isShortened) {
    const detail = `The history has a row at position ${position}, where the feed has no event.`
    return { position, what: 'inserted', detail }
  }
  if (event && !isAgreed(row, event)) {
    const detail = `The history row at position ${position} does not match its event.`
    return { position, what: 'changed', detail }
  }
  if (chainDigest(before, row) === row.digest) return undefined
  const detail = `The history row at position ${position} does not follow from the rows before it: it was changed, or an earlier row was removed with its event.`
  return { position, what: 'changed', detail }
}

/** Errors at the end, if everything before it is correct. */
async function findCut(db: Db, given: number): Promise<HistoryFault | undefined> {
  const event = await newestIn(db, 'outbox')
  if (event < given) {
    const detail = `Positions up to ${given} were assigned, but there is nothing after ${event}: the end was cut off.`
    return { position: event + 1, what: 'missing', detail }
  }
  const newest = Math.max(event, await newestIn(db, 'image_history'))
  const givenSince = await newestGiven(db) // after the rows, since a running server may add more
  if (newest <= givenSince) return undefined
  const detail = `There is a row at position ${newest}, but only positions up to ${givenSince} were assigned.`
  return { position: givenSince + 1, what: 'inserted', detail }
}

const otherThanNoted = ({ position }: NotedDigest): HistoryFault => ({
  position,
  what: 'changed',
  detail: `The history up to position ${position} does not match the recorded digest: it was rewritten, or its end was cut off.`,
})

/**
 * Checks the history up to the position that is newest at the start; a server may run meanwhile. Rows that were removed
 * at the end show in the position counter; if that was reset too, only a noted digest reveals it.
 * @param noted a digest that an earlier check printed, which must still be found.
 */
export async function checkHistory(db: Db, noted?: NotedDigest): Promise<CheckedHistory> {
  const given = await newestGiven(db)
  let rows = 0
  let newest: CheckedHistory['newest']
  let wasNoted = false
  for (let after = 0; after < given; after += rowsAtOnce) {
    const span = { after, end: Math.min(after + rowsAtOnce, given) }
    const rowAt = new Map((await listRows(db, span)).map((row) => [row.position, row]))
    const events = await listImageEvents(db, span)
    const floor = await readFloor(db) // after the events, so that those deleted in the meantime are not reported
    const eventAt = new Map(events.map((event) => [event.position, event]))
    const moved = events.filter(needsRow).map(({ position }) => position)
    const positions = [...new Set([...rowAt.keys(), ...moved])].toSorted((a, b) => a - b)
    for (const position of positions) {
      const row = rowAt.get(position)
      const found = { row, event: eventAt.get(position), isShortened: position <= floor }
      const fault = faultOf(newest?.digest ?? chainStart, found)
      if (fault) return { rows, newest, fault }
      if (row) newest = { position, digest: row.digest }
      rows += 1
      if (position === noted?.position) wasNoted = row?.digest === noted.digest
    }
  }
  const fault = (await findCut(db, given)) ?? (noted && !wasNoted ? otherThanNoted(noted) : undefined)
  return { rows, newest, fault }
}
