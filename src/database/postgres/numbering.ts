// Numbers the pending rows of parallel transactions: positions of the feed, the chain of the history, counts and versions.
//
// It only builds SQL, which is sent by the holder of the numbering lock (sequencer.ts) or of the write lock (begin-alone.ts).
import { escapeLiteral } from 'pg'
import { joined, type Change } from '../../commits.ts'
import type { ImageState } from '../schema.ts'
import { chainDigest, chainStart } from '../history-chain.ts'
import type { Left } from '../left.ts'

/** Rows numbered in one transaction; limited because the size of a notification is (commit-watch.ts). */
const maxRows = 200

/** What one transaction has left to the sequencer: a row of outbox_pending. */
export interface LeftRow {
  /** In commit order, for transactions that share a key. */
  readonly id: number
  readonly told: string
}

interface Told {
  /** Chosen at random by the writer, which recognizes its row by it: ids are assigned again if a crash has lost rows. */
  readonly token: number
  readonly left: readonly Left[]
  readonly tags: readonly string[] | '*'
}

export function writeTold(token: number, left: readonly Left[], change: Change): string {
  const told: Told = { token, left, tags: change === 'everything' ? '*' : [...change] }
  return JSON.stringify(told)
}

/** To be sent while the lock is held; each statement sees what was committed before it. */
export const readsForNumbering = `select id, told from outbox_pending order by id limit ${maxRows};
  select value from counter where name = 'outbox';
  select digest from image_history order by position desc limit 1`

export interface Unnumbered {
  readonly rows: readonly LeftRow[]
  /** Whether these are all pending rows. */
  readonly isAll: boolean
  /** The newest position of the feed. */
  readonly position: number
  /** The digest of the newest row of the history. */
  readonly digest: string
}

interface Result {
  readonly rows: readonly unknown[]
}

/** pg's types know of one statement in a text alone. @returns the results of the last ones. */
export const resultsOf = (answer: unknown, count = 3): readonly Result[] =>
  (answer as readonly Result[]).slice(-count)

/** @param results of the three statements of `readsForNumbering`. */
export function unnumberedFrom(results: readonly Result[]): Unnumbered {
  const [rows = [], [counter] = [], [newest] = []] = results.map((result) => result.rows)
  return {
    rows: rows as readonly LeftRow[],
    isAll: rows.length < maxRows,
    position: (counter as { value: number } | undefined)?.value ?? 0,
    digest: (newest as { digest: string } | undefined)?.digest ?? chainStart,
  }
}

export interface Numbering {
  /** The statements that store everything. */
  readonly text: string
  /** The tokens of the rows. */
  readonly ids: readonly number[]
  readonly change: Change
}

type Value = string | number | null

/** PostgreSQL cannot hold U+0000 (driver.ts). */
const literal = (value: Value): string =>
  value === null || (typeof value === 'string' && value.includes('\0'))
    ? 'null'
    : typeof value === 'number'
      ? String(value)
      : escapeLiteral(value)

const tuplesOf = (rows: readonly (readonly Value[])[]): string =>
  rows.map((row) => `(${row.map(literal).join(', ')})`).join(', ')

function add<Key>(sums: Map<Key, number>, key: Key, count: number): void {
  sums.set(key, (sums.get(key) ?? 0) + count)
}

/** Computes the rows and sums for everything that was left. */
function createSums(before: Pick<Unnumbered, 'position' | 'digest'>) {
  let { position, digest } = before
  const events: Value[][] = []
  const history: Value[][] = []
  const counts = new Map<ImageState, number>()
  const versions = new Map<number, number>()

  function take(one: Left): void {
    if (one.kind === 'version') return add(versions, one.trailId, 1)
    const { event, move } = one
    const { type, at, data, accountId, imageId, trailId, submitterId, from, to } = event
    position += 1
    events.push([position, type, at, data, accountId, imageId, trailId, submitterId, from, to])
    if (move === undefined || imageId === null || to === null) return
    const row = {
      position,
      image_id: imageId,
      at,
      actor_id: move.actorId,
      from_state: from,
      to_state: to,
      reason: move.reason,
      note: move.note,
    }
    digest = chainDigest(digest, row)
    history.push([position, imageId, at, move.actorId, from, to, move.reason, move.note, digest])
    if (from === to) return
    add(counts, to, 1)
    if (from !== null) add(counts, from, -1)
  }

  return {
    take,
    texts: (): string[] => [
      ...(events.length > 0
        ? [
            `insert into outbox (position, type, at, data, account_id, image_id, trail_id, submitter_id, from_state, to_state)
              values ${tuplesOf(events)}`,
            `insert into counter (name, value) values ('outbox', ${position})
              on conflict (name) do update set value = excluded.value`,
          ]
        : []),
      ...(history.length > 0
        ? [
            `insert into image_history (position, image_id, at, actor_id, from_state, to_state, reason, note, digest)
              values ${tuplesOf(history)}`,
          ]
        : []),
      ...(counts.size > 0
        ? [
            `insert into counter (name, value)
              values ${tuplesOf([...counts].map(([state, count]) => [`images:${state}`, count]))}
              on conflict (name) do update set value = counter.value + excluded.value`,
          ]
        : []),
      ...(versions.size > 0
        ? [
            `update trail set version = version + bumped.count
              from (values ${tuplesOf([...versions])}) as bumped (id, count) where trail.id = bumped.id`,
          ]
        : []),
    ],
  }
}

/** @throws Error that names the row: nobody can write until it is deleted (docs/runbooks/waymark-writers-wait.md). */
function readTold(id: number, told: string): Told {
  try {
    return JSON.parse(told) as Told
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
    const { token, left, tags } = readTold(id, told)
    tokens.push(token)
    change = joined(change, tags === '*' ? 'everything' : new Set(tags))
    for (const one of left) sums.take(one)
  }
  const texts = [
    ...sums.texts(),
    `delete from outbox_pending where id in (${rows.map(({ id }) => id).join(', ')})`,
  ]
  return { text: texts.join(';\n'), ids: tokens, change }
}
