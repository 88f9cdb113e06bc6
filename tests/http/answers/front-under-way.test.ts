// Responses of the cache in front of Fastify keep their order, read only committed data, and end cleanly in every case
// (trust 17, 40).
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { createLogWatch } from '../../helpers/log-watch.ts'
import { startWaymark, type Waymark } from '../../helpers/waymark.ts'
import { say } from '../../helpers/wire.ts'
import { addRoute, askAt, head, host, ordinarily } from './requests.ts'

const watch = createLogWatch()
const waymark = await startWaymark({ logger: watch.logger })
after(() => waymark.close())
const ana = await waymark.addPerson()
const path = `/Accounts/${ana.accountId}/Routes/${await addRoute(waymark, ana, '')}`
const bearer = `Authorization: Bearer ${ana.token}`
const again = (...headers: string[]): string => head(path, host, bearer, ...headers)
const ask = (request: string) => askAt(waymark, request)

void test('trust 17: requests on one connection are answered in order, on both paths', async () => {
  const second = await addRoute(waymark, ana, '', 'Second')
  const other = path.replace(/\d+$/, second)
  const heads = [
    again(),
    head(other, host, bearer),
    again(ordinarily),
    head('/health/live', host),
    head(other, host, bearer),
  ]
  for (const asked of [path, other]) await ask(head(asked, host, bearer))
  const before = waymark.app.answersFromMemory()
  const said = await say(waymark.url, heads.join(''), { until: /(?:HTTP\/1\.1 200[\s\S]*){5}\}$/ })
  assert.equal(waymark.app.answersFromMemory() - before, 3)
  assert.deepEqual(
    [...said.matchAll(/"name":"(\w+)"|"status":"(\w+)"/g)]
      .map(([, name, status]) => name ?? status)
      .slice(0, 5),
    ['Ridge', 'Second', 'Ridge', 'live', 'Second'],
  )
})

/** Blocks the only database connection, after a commit that touches all accounts, so that no cached response is valid. */
async function hold(to: Waymark) {
  const begun = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const { db } = to.installation.database
  await db.updateTable('account').set({ role: 'member' }).where('id', '=', 0).execute()
  const held = db
    .transaction()
    .execute(async (tx) => {
      await tx.updateTable('route').set({ name: 'never' }).execute()
      begun.resolve()
      await end.promise
      throw new Error('taken back')
    })
    .catch(() => undefined)
  await begun.promise
  return async () => {
    end.resolve()
    await held
  }
}

const untilUnderWay = async (to: Waymark, count: number): Promise<void> => {
  for (const until = Date.now() + 30_000; to.app.requestsUnderWay() !== count && Date.now() < until;)
    await new Promise((resolve) => setImmediate(resolve))
  assert.equal(to.app.requestsUnderWay(), count)
}

void test('what another request has not committed is never read', async () => {
  const release = await hold(waymark)
  const asked = ask(again())
  await untilUnderWay(waymark, 1)
  await release()
  assert.match(await (await asked).answer.text(), /"name":"Ridge"/)
})

void test('trust 40: a client that disconnects before its response is one log line, and nothing stays in progress', async () => {
  for (const asked of [path, path.replace(/\d+$/, '1')]) {
    const release = await hold(waymark)
    const [line] = await watch.logged(1, async () => {
      const { port, hostname } = new URL(waymark.url)
      const socket = connect(Number(port), hostname)
      await once(socket, 'connect')
      socket.write(head(asked, host, bearer))
      await untilUnderWay(waymark, 1)
      socket.destroy()
      await untilUnderWay(waymark, 0)
      await release()
    })
    assert.deepEqual([line?.path, line?.status, line?.aborted], [asked, null, true])
    await ask(again())
    assert.equal((await ask(again())).isKept, true)
    await untilUnderWay(waymark, 0)
  }
})

void test('a request in progress when the server stops is answered, and closes its connection', async () => {
  const stopped = await startWaymark()
  const eve = await stopped.addPerson()
  const asked = `/Accounts/${eve.accountId}/Routes/${await addRoute(stopped, eve, '')}`
  const release = await hold(stopped)
  const answer = askAt(stopped, head(asked, host, `Authorization: Bearer ${eve.token}`))
  await untilUnderWay(stopped, 1)
  const closed = stopped.close()
  while (stopped.app.server.server.listening) await new Promise((resolve) => setImmediate(resolve))
  await release()
  const { answer: given, isKept } = await answer
  assert.deepEqual([given.status, isKept, given.headers.get('connection')], [200, false, 'close'])
  await closed
})
