// The sequencer (decision 0121): if no node can number, each writer gets its response in time.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { inSharedTransaction } from '../../src/database/database.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import { lockSpace, numberingLock } from '../../src/database/postgres/locks.ts'
import { recordEvent } from '../../src/events/outbox.ts'
import { startPostgres, whyNoPostgres } from '../helpers/postgres.ts'
import { startTcpProxy } from '../helpers/tcp-proxy.ts'

/** 2 s from the commit to the response, plus some tolerance. */
const inTimeMs = 2_600

for (const how of ['locked', 'silent'] as const)
  void test(
    `${how}: a writer that waits for a number gets an error in time if there is none`,
    { skip: whyNoPostgres() },
    async (t) => {
      const server = await startPostgres()
      const url = await server.createDatabase()
      const proxy = await startTcpProxy({ port: server.port })
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

      /** @returns how long it waited after its work; undefined if it was numbered. */
      async function record(accountId: number): Promise<number | undefined> {
        let done = 0
        const data = { routeID: 1, acctID: accountId }
        try {
          await inSharedTransaction(one.db, [`account:${accountId}`], async (tx) => {
            await recordEvent(tx, { type: 'route.created', at: 0, accountId, data })
            done = performance.now()
          })
          return undefined
        } catch {
          return performance.now() - done
        }
      }

      assert.equal(await record(1), undefined)
      await holder.query(`select pg_advisory_lock(${lockSpace}, ${numberingLock})`)
      const writers = [0, 300, 600, 900].map((ms) => pause(ms).then(() => record(ms + 1)))
      await pause(1_000) // all have committed
      if (how === 'silent') proxy.trouble({ isSilent: true })
      const waits = await Promise.all(writers)
      assert.ok(
        waits.every((ms) => ms !== undefined && ms < inTimeMs),
        waits.join(' '),
      )
      proxy.heal()
      await holder.query(`select pg_advisory_unlock(${lockSpace}, ${numberingLock})`)
      assert.equal(await record(1), undefined)
    },
  )
