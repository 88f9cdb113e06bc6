// Numbers the pending rows of parallel transactions: positions of the feed, the chain of the history, counts and versions.
//
// It only builds SQL, which is sent by the holder of the numbering lock (sequencer.ts) or of the write lock (begin-alone.ts).
import { joined, type Change } from '../../commits.ts'
import { chainDigest, chainStart } from '../history-chain.ts'
import type { Left } from '../left.ts'
import { commitChannel } from './commit-payload.ts'
import type { NamedStatement } from './locks.ts'

/** Rows numbered in one transaction; limited because the size of a notification is (commit-watch.ts). */
const maxRows = 200

/** What one transaction has left to the sequencer: a row of outbox_pending. */
export interface LeftRow {
  /** In commit order, for transactions that share a key. */
  readonly id: number
  readonly told: string
}

interface OutboxNote {
  /** Chosen at random by the writer, which recognizes its row by it: ids are assigned again if a crash has lost rows. */
  readonly token: number
  readonly left: readonly Left[]
  readonly tags: readonly string[] | '*'
}

export function writeNote(token: number, left: readonly Left[], change: Change): string {
  const note: OutboxNote = { token, left, tags: change === 'everything' ? '*' : [...change] }
  return JSON.stringify(note)
}

/** Leaves a row to be numbered. */
export const leaveStatement = (note: string): NamedStatement => ({
  text: 'insert into outbox_pending (told) values ($1)',
  values: [note],
})

/** To be sent while the lock is held, after it: a statement sees what was committed before it. */
export const readsForNumbering = `select id, told, (select value from counter where name = 'outbox') as position,
    (select digest from image_history order by position desc limit 1) as digest
  from outbox_pending order by id limit ${maxRows}`

interface UnnumberedRow extends LeftRow {
  readonly position: number | null
  readonly digest: string | null
}

export interface Unnumbered {
  readonly rows: readonly LeftRow[]
  /** Whether these are all pending rows. */
  readonly isAll: boolean
  /** The newest position of the feed. */
  readonly position: number
  /** The digest of the newest row of the history. */
  readonly digest: string
}

/** @param rows of `readsForNumbering`. */
export function unnumberedFrom(rows: readonly object[]): Unnumbered {
  const pending = rows as readonly UnnumberedRow[]
  const [first] = pending
  return {
    rows: pending,
    isAll: rows.length < maxRows,
    position: first?.position ?? 0,
    digest: first?.digest ?? chainStart,
  }
}

export interface Numbering {
  /** What the statements are to store. */
  readonly values: readonly string[]
  /** The tokens of the rows. */
  readonly ids: readonly number[]
  readonly change: Change
}

/**
 * Stores everything, and notifies all nodes once it is committed. One text for all batches, so that it is prepared once; its
 * values are JSON, but for the last. Trails are found by their ids as one list: of a join, PostgreSQL expects so many rows
 * that it reads all trails.
 */
const storeText = `with
  events as (
    insert into outbox (position, type, at, data, account_id, image_id, trail_id, submitter_id, from_state, to_state)
    select * from json_to_recordset($1::json) as row (position bigint, type text, at bigint, data text, account_id bigint,
      image_id bigint, trail_id bigint, submitter_id bigint, from_state text, to_state text)),
  moves as (
    insert into image_history (position, image_id, at, actor_id, from_state, to_state, reason, note, digest)
    select * from json_to_recordset($2::json) as row (position bigint, image_id bigint, at bigint, actor_id bigint,
      from_state text, to_state text, reason text, note text, digest text)),
  counts as (
    insert into counter (name, value)
    select * from json_to_recordset($3::json) as row (name text, value bigint)
    on conflict (name) do update set value = counter.value + excluded.value),
  versions as (
    update trail set version = version + ($5::bigint[])[array_position($4::bigint[], id)]
    where id = any($4::bigint[])),
  numbered as (
    delete from outbox_pending where id = any($6::bigint[]))
  select pg_notify('${commitChannel}', $7)`

export const storeStatement = ({ values }: Numbering, payload: string): NamedStatement => ({
  text: storeText,
  values: [...values, payload],
})

/** PostgreSQL cannot hold U+0000 (driver.ts). */
const text = (value: string | null): string | null => (value?.includes('\0') === true ? null : value)

const arrayOf = (numbers: Iterable<number>): string => `{${[...numbers].join()}}`

function add<Key>(sums: Map<Key, number>, key: Key, count: number): void {
  sums.set(key, (sums.get(key) ?? 0) + count)
}

/** Computes the rows and sums for everything that was left. */
function createSums(before: Pick<Unnumbered, 'position' | 'digest'>) {
  let { position, digest } = before
  const events: object[] = []
  const history: object[] = []
  const counts = new Map<string, number>()
  const versions = new Map<number, number>()

  function take(one: Left): void {
    if (one.kind === 'version') return add(versions, one.trailId, 1)
    const { event, move } = one
    const { type, at, data, accountId, imageId, trailId, submitterId, from, to } = event
    position += 1
    add(counts, 'outbox', 1)
    const states = { from_state: from, to_state: to }
    const ids = { account_id: accountId, image_id: imageId, trail_id: trailId, submitter_id: submitterId }
    events.push({ position, type, at, data: text(data), ...ids, ...states })
    if (move === undefined || imageId === null || to === null) return
    const row = {
      position,
      image_id: imageId,
      at,
      actor_id: move.actorId,
      from_state: from,
      to_state: to,
      reason: text(move.reason),
      note: text(move.note),
    }
    digest = chainDigest(digest, row)
    history.push({ ...row, digest })
    if (from === to) return
    add(counts, `images:${to}`, 1)
    if (from !== null) add(counts, `images:${from}`, -1)
  }

  return {
    take,
    values: (): string[] => [
      JSON.stringify(events),
      JSON.stringify(history),
      JSON.stringify([...counts].map(([name, value]) => ({ name, value }))),
      arrayOf(versions.keys()),
      arrayOf(versions.values()),
    ],
  }
}

/** @throws Error that names the row: nobody can write until it is deleted (docs/runbooks/waymark-writers-wait.md). */
function readNote(id: number, told: string): OutboxNote {
  try {
    return JSON.parse(told) as OutboxNote
  } catch (error) {
    throw new Error(`The row ${id} of outbox_pending is not JSON.`, { cause: error })
  }
}

/** @returns undefined if there are no pending rows. */
export function numberingOf({ rows, position, digest }: Unnumbered): Numbering | undefined {
  if (rows.length === 0) return undefined
  const sums = createSums({ position, digest })
  const tokens: number[] = []
  let change: Change = new Set()
  for (const { id, told } of rows) {
    const { token, left, tags } = readNote(id, told)
    tokens.push(token)
    change = joined(change, tags === '*' ? 'everything' : new Set(tags))
    for (const one of left) sums.take(one)
  }
  return { values: [...sums.values(), arrayOf(rows.map(({ id }) => id))], ids: tokens, change }
}
