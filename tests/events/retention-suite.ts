// Guarantees of the deletion of old events on every database: only old ones, in order, and never silently.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { AccountActor } from '../../src/auth/guard.ts'
import type { Db } from '../../src/database/database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { switchReadOnlyOff, switchReadOnlyOn } from '../../src/database/read-only.ts'
import { Refusal } from '../../src/errors.ts'
import { readFeed } from '../../src/events/feed.ts'
import { newestPosition, recordEvent } from '../../src/events/outbox.ts'
import { readFloor } from '../../src/events/outbox-floor.ts'
import { createEventRetention } from '../../src/events/retention.ts'
import type { OpenForFeed } from './feed-suite.ts'

const dayMs = 86_400_000
const days = 30
const start = Date.UTC(2026, 4, 14)
const ana = 42
const count = 2_600
const minutesApart = 60
const stopping = new AbortController().signal

const actor: AccountActor = {
  kind: 'account',
  accountId: ana,
  role: 'member',
  scopes: new Set(['routes:read']),
  via: 'client',
}

const atOf = (position: number): number => start + position * minutesApart * 60_000

/** An event an hour, from position 1 on. */
async function fill(db: Db): Promise<void> {
  const rows = Array.from({ length: count }, (_, index) => ({
    position: index + 1,
    type: 'route.updated',
    at: atOf(index + 1),
    account_id: ana,
    image_id: null,
    data: JSON.stringify({ routeID: index + 1, acctID: ana }),
  }))
  for (let first = 0; first < count; first += 100)
    await db
      .insertInto('outbox')
      .values(rows.slice(first, first + 100))
      .execute()
  await db.insertInto('counter').values({ name: 'outbox', value: count }).execute()
}

const positionsOf = async (db: Db): Promise<number[]> => {
  const rows = await db.selectFrom('outbox').select('position').orderBy('position').execute()
  return rows.map(({ position }) => position)
}

const oldestOf = async (db: Db): Promise<number | undefined> => (await positionsOf(db))[0]

const readFrom = (db: Db, after: number) => readFeed(db, actor, { after, limit: 500, types: undefined })

async function refusalOf(work: Promise<unknown>): Promise<Refusal | undefined> {
  try {
    await work
    return undefined
  } catch (error) {
    assert.ok(error instanceof Refusal)
    return error
  }
}

/** @param open a new database for each test. */
export function testRetention(engine: string, open: OpenForFeed): void {
  const openFilled = async (t: Parameters<OpenForFeed>[0]) => {
    const { database, reopen } = await open(t)
    await migrate(database)
    await fill(database.db)
    return { db: database.db, reopen }
  }
  const now = (): number => atOf(count)
  /** The first that is younger than the days. */
  const oldest = count - days * 24

  void test(`${engine}: events older than the limit are deleted, in more than one batch, and the floor says up to where`, async (t) => {
    const { db } = await openFilled(t)
    assert.equal(await createEventRetention({ db, now, days: 0 }).run(stopping), 0)
    assert.equal(await oldestOf(db), 1, 'without a number of days all are kept')
    const retention = createEventRetention({ db, now, days })
    assert.equal(await retention.run(AbortSignal.abort()), 0, 'a server that stops begins nothing')
    assert.equal(await retention.run(stopping), oldest - 1)
    const kept = Array.from({ length: count - oldest + 1 }, (_, index) => oldest + index)
    assert.deepEqual(await positionsOf(db), kept)
    assert.equal(await readFloor(db), oldest - 1)
    assert.equal(await retention.run(stopping), 0, 'once')
    const { position } = await readFrom(db, oldest - 1)
    assert.equal(position, oldest - 1 + 500)
    for (const after of [0, 1, oldest - 2]) {
      const refusal = await refusalOf(readFrom(db, after))
      assert.equal(refusal?.code, 'events-gone')
      assert.deepEqual(refusal.members, { oldestPosition: oldest, newestPosition: count })
    }
    await db.transaction().execute(async (tx) => {
      const data = { routeID: 1, acctID: ana }
      await recordEvent(tx, { type: 'route.created', at: now(), accountId: ana, data })
    })
    assert.equal(await newestPosition(db), count + 1, 'positions go on')
  })

  void test(`${engine}: a clock that runs ahead deletes no more, and the newest event always stays`, async (t) => {
    const { db } = await openFilled(t)
    const late = createEventRetention({ db, now: () => now() + 3_650 * dayMs, days })
    assert.equal(await late.run(stopping), oldest - 1)
    await db.deleteFrom('outbox').where('position', '<', count).execute()
    assert.equal(await late.run(stopping), 0)
    assert.deepEqual(await positionsOf(db), [count])
    const early = createEventRetention({ db, now: () => start - 3_650 * dayMs, days })
    assert.equal(await early.run(stopping), 0)
  })

  void test(`${engine}: an event of a clock that ran ahead holds back those after it, so that no gap arises`, async (t) => {
    const { db } = await openFilled(t)
    await db.updateTable('outbox').set({ at: now() }).where('position', '=', 1_500).execute()
    assert.equal(await createEventRetention({ db, now, days }).run(stopping), 1_499)
    assert.equal(await oldestOf(db), 1_500)
  })

  void test(`${engine}: what webhooks have not looked at stays, and nothing goes while the installation is read-only`, async (t) => {
    const { db } = await openFilled(t)
    const retention = createEventRetention({ db, now, days })
    const webhooks = db.updateTable('counter').where('name', '=', 'webhooks')
    await db.insertInto('counter').values({ name: 'webhooks', value: 0 }).execute()
    assert.equal(await retention.run(stopping), 0)
    await webhooks.set({ value: 1_200 }).execute()
    await switchReadOnlyOn(db, 0, 'moving')
    assert.equal(await retention.run(stopping), 0)
    await switchReadOnlyOff(db)
    assert.equal(await retention.run(stopping), 1_200)
    assert.deepEqual([await oldestOf(db), await readFloor(db)], [1_201, 1_200])
    await webhooks.set({ value: count }).execute()
    assert.equal(await retention.run(stopping), oldest - 1 - 1_200)
  })

  void test(`${engine}: while events are deleted, a reader hears each of them or is told that some are gone`, async (t) => {
    const { db, reopen } = await openFilled(t)
    const { db: other } = await reopen()
    const ended = { isOver: false }
    const deleting = createEventRetention({ db: other, now, days })
      .run(stopping)
      .finally(() => {
        ended.isOver = true
      })
    for (let after = 0; ;) {
      await turn() // otherwise the deletion never continues
      const { isOver } = ended
      try {
        const { events, position } = await readFeed(db, actor, { after, limit: 50, types: undefined })
        const expected = Array.from({ length: position - after }, (_, index) => after + 1 + index)
        assert.deepEqual(
          events.map((event) => event.position),
          expected,
        )
        if (position === count && isOver) break
        after = position < count ? position : 0
      } catch (error) {
        assert.ok(error instanceof Refusal && error.code === 'events-gone', String(error))
        after = (error.members['oldestPosition'] ?? 0) - 1
      }
    }
    assert.equal(await deleting, oldest - 1)
    await assert.rejects(readFrom(db, 0), Refusal)
  })
}
