// The load generator with a Node server: it counts only answered requests, stops at wrong responses, and counts waits in
// full.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { startLoad, type Ask, type HttpTarget, type Load } from '../../bench/parts/load.ts'

let load: Load
before(() => {
  load = startLoad({ isQuick: true })
})
after(() => load.close())

async function serving(
  listener: RequestListener,
  work: (target: (asks: Ask[]) => HttpTarget) => Promise<void>,
) {
  const server = createServer(listener)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  try {
    await work((asks) => ({ name: 'served', port, pids: [process.pid], asks, connections: 4 }))
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

void test("a slice counts the server's responses, each request in its order, chunked or not", async () => {
  const seen = new Map<string, number>()
  const listener: RequestListener = ({ url = '' }, response) => {
    seen.set(url, (seen.get(url) ?? 0) + 1)
    response.write('twelve bytes')
    if (url === '/chunks') response.write('and more')
    response.end()
  }
  const plain: RequestListener = (request, response) => {
    if (request.url === '/length') response.setHeader('content-length', 12)
    listener(request, response)
  }
  await serving(plain, async (target) => {
    const asks = [
      { path: '/length', bytes: 12, sha256: sha256('twelve bytes') },
      { path: '/chunks', bytes: 20, sha256: sha256('twelve bytesand more') },
    ]
    const contender = await load.contender(target(asks))
    const before = (seen.get('/length') ?? 0) + (seen.get('/chunks') ?? 0)
    const { done, cpuUs, wallMs } = await contender.slice(30)
    const after = (seen.get('/length') ?? 0) + (seen.get('/chunks') ?? 0)
    assert.equal(after - before, done + 4, 'and one on each connection before the time began')
    assert.ok(Math.abs((seen.get('/length') ?? 0) - (seen.get('/chunks') ?? 0)) <= 4)
    assert.ok(cpuUs > 0 && wallMs >= 30)
  })
})

void test('HEAD is answered with a length and no body', async () => {
  const listener: RequestListener = (_request, response) => void response.end('hello')
  await serving(listener, async (target) => {
    const contender = await load.contender(
      target([
        { path: '/', method: 'HEAD', bytes: 0 },
        { path: '/', bytes: 5 },
      ]),
    )
    const { done } = await contender.slice(30)
    assert.ok(done > 0)
  })
})

void test('"once" sends each request once, whatever the length of its response, and does not count opening connections', async () => {
  const seen: string[] = []
  const listener: RequestListener = ({ url = '' }, response) => {
    seen.push(url)
    response.end(url)
  }
  await serving(listener, async (target) => {
    const asks = Array.from({ length: 50 }, (_, index) => ({ path: `/${'x'.repeat(index)}` }))
    const { done, cpuUs } = await load.once(target(asks), { path: '/opening' })
    assert.equal(done, 50)
    assert.ok(cpuUs > 0)
    assert.deepEqual(
      seen.filter((url) => url !== '/opening').toSorted(),
      asks.map((ask) => ask.path).toSorted(),
    )
    assert.equal(seen.length, 54)
    await assert.rejects(
      load.once(target(asks.map(({ path }) => ({ path, status: 201 }))), { path: '/opening' }),
      /answered 200 with \d+ bytes instead of 201/,
    )
  })
})

void test('nothing is measured if status, length or hash are wrong', async () => {
  const listener: RequestListener = (_request, response) => void response.end('hello')
  await serving(listener, async (target) => {
    await assert.rejects(
      load.contender(target([{ path: '/a?key=k', status: 201 }])),
      /GET \/a was answered 200, and 201 is right/,
    )
    await assert.rejects(load.contender(target([{ path: '/', bytes: 6 }])), /with 5 bytes, and 6 are right/)
    await assert.rejects(load.contender(target([{ path: '/', sha256: sha256('hallo') }])), /other bytes/)
  })
})

void test('a response that changes during the measurement ends the slice with a sentence', async () => {
  let answers = 0
  const listener: RequestListener = (_request, response) => {
    answers += 1
    response.statusCode = answers > 200 ? 503 : 200
    response.end('hello')
  }
  await serving(listener, async (target) => {
    const contender = load.contender(target([{ path: '/' }]))
    await assert.rejects(
      contender.then((found) => found.slice(5_000)),
      /answered 503 with 5 bytes instead of 200/,
    )
  })
})

void test('at a steady rate, requests behind a stall count their waiting from the moment they were due', async () => {
  let asked = 0
  let stallAt = Number.POSITIVE_INFINITY
  const listener: RequestListener = (_request, response) => {
    asked += 1
    if (asked === stallAt) {
      const until = performance.now() + 120
      while (performance.now() < until); // blocks the server
    }
    response.end('hello')
  }
  await serving(listener, async (target) => {
    const { connections = 0, ...rest } = target([{ path: '/' }])
    const { pace } = await load.contender({ ...rest, connections })
    assert.ok(pace)
    stallAt = asked + connections + 20 // each connection asks once before the pace begins
    const latenciesMs = await pace(500, 400)
    assert.equal(latenciesMs.length, 200)
    // Of the 60 due in the meantime, at most 4 could be sent; all of them waited.
    assert.ok(latenciesMs.filter((ms) => ms > 20).length > 20, 'only those that were sent were counted')
  })
})
