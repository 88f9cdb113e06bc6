// Guarantees of the feed on every database: a reader who follows positions gets each event once, in order.
import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import { test, type TestContext } from 'node:test'
import type { AccountActor } from '../../src/auth/guard.ts'
import type { Database, Db } from '../../src/database/database.ts'
import { readFeed } from '../../src/events/feed.ts'
import { newestPosition, recordEvent } from '../../src/events/outbox.ts'
import { untilAccepted } from '../helpers/until-accepted.ts'

export interface FeedUnderTest {
  /** With its schema. */
  readonly database: Database
  /** Another connection to the same database; closed when the test ends. */
  reopen(): Promise<Database>
}

export type OpenForFeed = (t: TestContext) => Promise<FeedUnderTest>

const ana = 42
const bob = 43
const writers = 4
const eventsOfWriter = 60

const actorOf = (accountId: number): AccountActor => ({
  kind: 'account',
  accountId,
  role: 'member',
  scopes: new Set(['routes:read']),
  via: 'client',
})

/** The changes of one writer: some with two events, some rolled back, with a chance for others in between. */
async function write(db: Db, writer: number, stored: Map<number, number[]>): Promise<void> {
  for (let made = 0; made < eventsOfWriter; made += 1) {
    const accountId = (made + writer) % 3 === 0 ? ana : bob
    const name = writer * 1_000 + made
    const record = (tx: Parameters<typeof recordEvent>[0], routeID: number) =>
      recordEvent(tx, { type: 'route.created', at: 0, accountId, data: { routeID, acctID: accountId } })
    try {
      await untilAccepted(() =>
        db.transaction().execute(async (tx) => {
          await record(tx, name)
          await turn()
          if (made % 5 === 0) await record(tx, name + 500_000)
          await turn()
          if (made % 7 === 0) throw new Error('taken back')
        }),
      )
    } catch (error) {
      if (!(error instanceof Error) || error.message !== 'taken back') throw error
      continue
    }
    const own = stored.get(accountId) ?? []
    own.push(name, ...(made % 5 === 0 ? [name + 500_000] : []))
    stored.set(accountId, own)
    await turn()
  }
}

/** Reads continuously, like a poller, until stopped and nothing is left. */
async function follow(db: Db, accountId: number, limit: number, isOver: () => boolean) {
  const positions: number[] = []
  const routes: number[] = []
  let after = 0
  for (;;) {
    const wasOver = isOver()
    const page = await readFeed(db, actorOf(accountId), { after, limit, types: undefined })
    assert.ok(page.position >= after)
    after = page.position
    for (const { position, data } of page.events) {
      positions.push(position)
      routes.push((JSON.parse(data) as { routeID: number }).routeID)
    }
    if (wasOver && !page.isMore && page.events.length === 0) return { positions, routes, after }
    await turn()
  }
}

/** @param open a new database for each test. */
export function testFeed(engine: string, open: OpenForFeed): void {
  void test(`${engine}: Part D: while ${writers} connections write, readers that follow positions get everything once, in order`, async (t) => {
    const { database, reopen } = await open(t)
    const stored = new Map<number, number[]>()
    let isOver = false
    const dbs = [database, ...(await Promise.all([1, 2, 3].map(reopen)))].map(({ db }) => db)
    const read = async (accountId: number, limit: number, index: number) => {
      const followed = await follow(dbs[index] ?? database.db, accountId, limit, () => isOver)
      return { accountId, ...followed }
    }
    const readers = [read(ana, 1, 1), read(ana, 500, 2), read(bob, 7, 3)]
    await Promise.all(
      Array.from({ length: writers }, (_, writer) => write(dbs[writer] ?? database.db, writer, stored)),
    )
    isOver = true
    const newest = await newestPosition(database.db)
    for (const { accountId, positions, routes, after } of await Promise.all(readers)) {
      assert.ok(positions.every((position, index) => position > (positions[index - 1] ?? 0)))
      assert.deepEqual(
        routes.toSorted((one, other) => one - other),
        (stored.get(accountId) ?? []).toSorted((one, other) => one - other),
      )
      assert.equal(after, newest)
    }
    const rows = await database.db.selectFrom('outbox').select('position').orderBy('position').execute()
    assert.deepEqual(
      rows.map(({ position }) => position),
      Array.from({ length: newest }, (_, index) => index + 1),
      'positions have no gaps',
    )
  })
}
