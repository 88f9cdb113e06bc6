// The sequencer (decision 0121): a writer is notified even if its row is numbered before it learns of its own commit.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { inSharedTransaction, settled } from '../../src/database/database.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import { recordEvent } from '../../src/events/outbox.ts'
import { startPostgres, whyNoPostgres } from '../helpers/postgres.ts'
import { waitedMsOf } from '../helpers/waited.ts'

const lateMs = 300

/** This process's time: without that in which it was ready and others had the processor. */
const now = (): number => performance.now() - waitedMsOf()

/** A proxy that, after `begin`, delays the server's responses to connections with this name. */
async function startLateness({ port, name }: { readonly port: number; readonly name: string }) {
  let isLate = false
  const open = new Set<Socket>()
  const proxy = createServer((near) => {
    const far = connect({ port, host: '127.0.0.1' })
    let isNamed = false
    for (const socket of [near, far]) {
      open.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => open.delete(socket))
    }
    near.once('data', (startup: Buffer) => {
      isNamed = startup.includes(`application_name\0${name}\0`)
    })
    near.on('data', (bytes: Buffer) => far.write(bytes))
    near.on('end', () => far.end())
    far.on('data', (bytes: Buffer) => {
      if (isLate && isNamed) setTimeout(() => near.write(bytes), lateMs)
      else near.write(bytes)
    })
    far.on('end', () => near.end())
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return {
    port: (proxy.address() as AddressInfo).port,
    begin: () => {
      isLate = true
    },
    end: () => {
      for (const socket of open) socket.destroy()
      proxy.close()
    },
  }
}

void test(
  'a writer gets its number even if that arrives before the response to its commit',
  { skip: whyNoPostgres() },
  async (t) => {
    const server = await startPostgres()
    const url = await server.createDatabase()
    const lateness = await startLateness({ port: server.port, name: 'waymark' })
    const late = Object.assign(new URL(url), { port: lateness.port }).href
    const one = await openDatabase({ engine: 'postgres', url: late })
    const two = await openDatabase({ engine: 'postgres', url })
    t.after(async () => {
      await one.close()
      await two.close()
      lateness.end()
      await server.end()
    })

    const over = new AbortController()
    const numbering = (async () => {
      while (!over.signal.aborted) {
        await settled(two.db)
        await pause(5) // another node that numbers all the time
      }
    })()
    const since = now()
    const data = { routeID: 1, acctID: 1 }
    await inSharedTransaction(one.db, ['account:1'], async (tx) => {
      await recordEvent(tx, { type: 'route.created', at: 0, accountId: 1, data })
      lateness.begin() // from now on: the response to the commit
    }).finally(() => over.abort())
    assert.ok(now() - since < 1_500)
    await numbering
  },
)
