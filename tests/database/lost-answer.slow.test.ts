// A successful commit on PostgreSQL whose response is lost: cached data that it changed is discarded.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import { test } from 'node:test'
import { inSharedTransaction, type Tx } from '../../src/database/database.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import { recordEvent } from '../../src/events/outbox.ts'
import { startPostgres, whyNoPostgres } from '../helpers/postgres.ts'

/** A proxy that, after `begin`, forwards the first commit that notifies, but closes the connection instead of its response. */
async function startLoss(port: number) {
  let isLosing = false
  const proxy = createServer((near) => {
    const far = connect({ port, host: '127.0.0.1' })
    let isLost = false
    for (const socket of [near, far])
      socket.on('error', () => undefined).on('close', () => [near, far].forEach((one) => one.destroy()))
    near.on('data', (bytes: Buffer) => {
      if (isLosing && /notify(?: |\(')waymark_commit/.test(bytes.toString('latin1'))) {
        isLosing = false
        isLost = true
      }
      far.write(bytes)
    })
    far.on('data', (bytes: Buffer) => {
      if (!isLost) near.write(bytes)
      else if (bytes.includes('COMMIT\0')) near.destroy()
    })
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return {
    port: (proxy.address() as AddressInfo).port,
    begin: () => {
      isLosing = true
    },
    hasLost: () => !isLosing,
    end: () => proxy.close(),
  }
}

for (const how of ['side by side', 'alone'] as const)
  void test(
    `${how}: a commit whose acknowledgement was lost leaves no outdated response in memory`,
    { skip: whyNoPostgres() },
    async (t) => {
      const server = await startPostgres()
      const url = await server.createDatabase()
      const loss = await startLoss(server.port)
      const database = await openDatabase({
        engine: 'postgres',
        url: Object.assign(new URL(url), { port: loss.port }).href,
      })
      t.after(async () => {
        await database.close()
        loss.end()
        await server.end()
      })
      const data = { routeID: 1, acctID: 1 }
      const work = (tx: Tx): Promise<void> =>
        recordEvent(tx, { type: 'route.created', at: 0, accountId: 1, data })
      const { db, changes } = database
      const before = changes.count()
      loss.begin()
      // A shared transaction learns the result through LISTEN.
      if (how === 'alone') await assert.rejects(db.transaction().execute(work), { code: 'ETIMEDOUT' })
      else await inSharedTransaction(db, ['account:1'], work)
      assert.equal((await db.selectFrom('outbox').selectAll().execute()).length, 1)
      assert.equal(changes.isUnchangedSince(before, ['routes-of:1']), false)
      assert.equal(loss.hasLost(), true)
    },
  )
