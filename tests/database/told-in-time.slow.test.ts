// The sequencer (decision 0121): if no node can number, each writer gets its response in time.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { inSharedTransaction } from '../../src/database/database.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import { lockSpace, numberingLock } from '../../src/database/postgres/locks.ts'
import { recordEvent } from '../../src/events/outbox.ts'
import { until } from '../faults/harness/server.ts'
import { startPostgres, whyNoPostgres } from '../helpers/postgres.ts'
import { startTcpProxy, type Tap } from '../helpers/tcp-proxy.ts'
import { waitedMsOf } from '../helpers/waited.ts'

/** 2 s from the commit to the response, plus some tolerance. */
const inTimeMs = 2_600
const writers = 4

/** This process's time: without that in which it was ready and others had the processor. */
const now = (): number => performance.now() - waitedMsOf()

/** Calls back for each commit that is acknowledged on a connection of writers. */
function tapWriters(onCommit: () => void): Tap {
  let isWriter: boolean | undefined
  return {
    sent: (bytes) => {
      isWriter ??= bytes.includes('application_name\0waymark\0')
    },
    answered: (bytes) => {
      if (isWriter === true && bytes.includes('COMMIT\0')) onCommit()
    },
  }
}

for (const how of ['locked', 'silent'] as const)
  void test(
    `${how}: a writer that waits for a number gets an error in time if there is none`,
    { skip: whyNoPostgres() },
    async (t) => {
      const server = await startPostgres()
      const url = await server.createDatabase()
      let committedAt: number[] = []
      const tap = () => tapWriters(() => committedAt.push(now()))
      const proxy = await startTcpProxy({ port: server.port, tap })
      const one = await openDatabase({
        engine: 'postgres',
        url: Object.assign(new URL(url), { port: proxy.port }).href,
      })
      const holder = new Client({ connectionString: url })
      await holder.connect()
      t.after(async () => {
        await holder.end()
        await one.close()
        await proxy.end()
        await server.end()
      })

      /** @returns when it was refused; undefined if it was numbered. */
      function record(accountId: number): Promise<number | undefined> {
        const data = { routeID: 1, acctID: accountId }
        const recorded = inSharedTransaction(one.db, [`account:${accountId}`], (tx) =>
          recordEvent(tx, { type: 'route.created', at: 0, accountId, data }),
        )
        return recorded.then(() => undefined, now)
      }

      assert.equal(await record(1), undefined)
      await holder.query(`select pg_advisory_lock(${lockSpace}, ${numberingLock})`)
      committedAt = []
      const refusals: Promise<number | undefined>[] = []
      for (let writer = 0; writer < writers; writer += 1) {
        refusals.push(record(writer + 1))
        await until(() => committedAt.length > writer, 'the commit of a writer')
        await pause(300) // they come one after another
      }
      if (how === 'silent') proxy.trouble({ isSilent: true })
      const waits = (await Promise.all(refusals)).map(
        (at, writer) => (at ?? Infinity) - (committedAt[writer] ?? 0),
      )
      assert.ok(
        waits.every((ms) => ms < inTimeMs),
        waits.join(' '),
      )
      proxy.heal()
      await holder.query(`select pg_advisory_unlock(${lockSpace}, ${numberingLock})`)
      assert.equal(await record(1), undefined)
    },
  )
