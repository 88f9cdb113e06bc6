// A property of every paged set: no member that is present throughout is skipped or repeated, whatever is added or
// removed between pages.
import assert from 'node:assert/strict'
import * as fc from 'fast-check'

export interface PageRead {
  readonly ids: readonly number[]
  /** The cursor of the next page; null on the last. */
  readonly next: string | null
}

/** A set under test, backed by real requests or queries. */
export interface PagedSet {
  /** The page after the cursor; without a cursor, the first page. */
  readonly readPage: (cursor: string | null, limit: number) => Promise<PageRead>
  /**
   * Adds a member at a relative position from 0 (first) to 1 (last).
   * @returns its id.
   */
  readonly insert: (place: number) => Promise<number>
  /** Removes a member. */
  readonly remove: (id: number) => Promise<void>
}

/** Changes between two pages. */
interface Disturbance {
  /** Relative positions of new members. */
  readonly inserts: readonly number[]
  /** Members to remove, as relative positions from the front. */
  readonly removes: readonly number[]
}

export interface PagingRuns {
  readonly numRuns?: number
  /** Maximum number of members at the start of each run. */
  readonly maxMembers?: number
}

const maxPages = 500

async function readAll(set: PagedSet, limit: number): Promise<number[]> {
  const ids: number[] = []
  let cursor: string | null = null
  for (let page = 0; page < maxPages; page += 1) {
    const { ids: more, next }: PageRead = await set.readPage(cursor, limit)
    ids.push(...more)
    if (next === null) return ids
    cursor = next
  }
  throw new Error('the set has no last page')
}

async function oneRun(
  set: PagedSet,
  run: {
    readonly members: readonly number[]
    readonly limit: number
    readonly between: readonly Disturbance[]
  },
): Promise<void> {
  for (const id of await readAll(set, 500)) await set.remove(id)
  for (const place of run.members) await set.insert(place)
  const present = await readAll(set, 500)
  assert.equal(present.length, run.members.length, 'the set shows all its members')
  const throughout = new Set(present)
  const seen: number[] = []
  let cursor: string | null = null
  for (let page = 0; page < maxPages; page += 1) {
    const { ids, next }: PageRead = await set.readPage(cursor, run.limit)
    assert.ok(ids.length <= run.limit, 'a page holds no more than was asked for')
    seen.push(...ids)
    if (next === null) break
    cursor = next
    const { inserts, removes } = run.between[page % Math.max(1, run.between.length)] ?? {
      inserts: [],
      removes: [],
    }
    for (const share of removes) {
      const [id] = present.splice(Math.floor(share * present.length), 1)
      if (id === undefined) continue
      throughout.delete(id)
      await set.remove(id)
    }
    // Fewer than a page holds; otherwise a set that grows at its end would have no last page.
    for (const place of inserts.slice(0, run.limit - 1)) present.push(await set.insert(place))
  }
  assert.equal(new Set(seen).size, seen.length, `a member came twice: ${seen.join(' ')}`)
  const skipped = [...throughout].filter((id) => !seen.includes(id))
  assert.deepEqual(skipped, [], `skipped, though there throughout; pages gave ${seen.join(' ')}`)
}

/**
 * Pages through the set many times while members are added and removed.
 * @throws AssertionError with the smallest case found in which a member is skipped or repeated.
 */
export async function holdsWhilePaging(
  set: PagedSet,
  { numRuns = 25, maxMembers = 14 }: PagingRuns = {},
): Promise<void> {
  const share = fc.integer({ min: 0, max: 99 }).map((hundredths) => hundredths / 100)
  const disturbance = fc.record({
    inserts: fc.array(share, { maxLength: 2 }),
    removes: fc.array(share, { maxLength: 2 }),
  })
  const runs = fc.record({
    members: fc.array(share, { minLength: 1, maxLength: maxMembers }),
    limit: fc.integer({ min: 1, max: 4 }),
    between: fc.array(disturbance, { maxLength: 5 }),
  })
  await fc.assert(
    fc.asyncProperty(runs, (run) => oneRun(set, run)),
    { numRuns, endOnFailure: false },
  )
}
