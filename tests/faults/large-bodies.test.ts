// The cost of large announced bodies that never arrive: memory, the event loop, and other requests.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import type { Held } from '../account-routes/loop-probe.ts'
import {
  forgetPeak,
  peakOf,
  residentOf,
  startRouteService,
  type RouteService,
  type Walker,
} from '../account-routes/route-service.ts'
import { whyNoMemory } from '../hostile/service.ts'
import { until } from './harness/server.ts'

const skip = whyNoMemory()
/**
 * The process's limit of writable memory. It starts with half of it, mostly untouched. The files in deploy/ limit the
 * total to 2 GB.
 */
const limitKilobytes = 1_500_000
const underLimit = ['sh', '-c', `ulimit -d ${limitKilobytes} && exec "$@"`, 'sh']
const maxGrowthMegabytes = 150
/** The budget for large bodies, plus the usual growth of a server that reads as fast as it can. */
const maxGrowthOfAll = 128 + 2 * maxGrowthMegabytes
const maxHeldMs = 50
/** A real blockage occurs each time; garbage collection and a busy machine do not. */
const attempts = 4

interface Kind {
  readonly path: (walker: Walker) => string
  readonly type: string
}

const kinds: Readonly<Record<string, Kind>> = {
  routes: { path: ({ accountId }) => `/Accounts/${accountId}/Routes`, type: 'application/json' },
  'routes in XML': { path: ({ accountId }) => `/Accounts/${accountId}/Routes`, type: 'application/xml' },
  'v2 routes': { path: ({ accountId }) => `/v2/accounts/${accountId}/routes`, type: 'application/json' },
  'files of routes': {
    path: ({ accountId }) => `/v2/accounts/${accountId}/routes/import`,
    type: 'multipart/form-data; boundary=x',
  },
  'the import of trails': { path: () => '/v2/admin/trails/import', type: 'application/geo+json' },
}

interface Sending extends Kind {
  readonly count: number
  /** Undefined: chunked, endless. */
  readonly length: number | undefined
  readonly start: Uint8Array
}

/** Starts bodies and sends only the start of each. Responses are read. */
async function begin({ server }: RouteService, walker: Walker, sending: Sending): Promise<Socket[]> {
  const { path, type, count, length, start } = sending
  const { hostname, port } = new URL(server.url)
  const head = [
    `POST ${path(walker)} HTTP/1.1`,
    'Host: waymark.example',
    `Authorization: Bearer ${walker.token}`,
    `Content-Type: ${type}`,
    length === undefined ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`,
  ].join('\r\n')
  const size = length === undefined ? `${start.length.toString(16)}\r\n` : ''
  return Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect(Number(port), hostname)
      socket.on('error', () => undefined)
      socket.resume()
      await once(socket, 'connect')
      socket.write(`${head}\r\n\r\n${size}`)
      socket.write(start)
      return socket
    }),
  )
}

/** Whether the server has read everything on its connections, according to the kernel. */
function hasReadAll({ server }: RouteService): boolean {
  const port = Number(new URL(server.url).port).toString(16).toUpperCase().padStart(4, '0')
  const lines = readFileSync('/proc/net/tcp', 'utf8').split('\n')
  const queues = lines.filter((line) => line.trim().split(/\s+/)[1]?.endsWith(`:${port}`))
  return queues.every((line) => / [\dA-F]{8}:0{8} /.test(line))
}

async function hasActed(service: RouteService): Promise<void> {
  await until(() => hasReadAll(service), 'the server to read all that came')
  for (let round = 0; round < 3; round += 1)
    assert.equal((await service.ask({ path: '/health/live' })).status, 200)
}

const leave = async (sockets: readonly Socket[]): Promise<void> => {
  for (const socket of sockets) socket.destroy()
  await until(() => sockets.every(({ closed }) => closed), 'the connections to close')
}

async function start(t: TestContext, walkers: number): Promise<RouteService> {
  const service = await startRouteService({
    walkers,
    role: 'admin',
    under: underLimit,
    nodeOptions: ['--max-old-space-size=256'],
  })
  t.after(() => service.end())
  return service
}

interface Cost {
  readonly growth: number
  readonly held: Held
}

async function costOf(service: RouteService, walker: Walker, sending: Sending): Promise<Cost> {
  await service.held()
  const before = residentOf(service.pid())
  forgetPeak(service.pid())
  const sockets = await begin(service, walker, sending)
  await hasActed(service)
  const growth = peakOf(service.pid()) - before
  const held = await service.held()
  await leave(sockets)
  return { growth, held }
}

const kilobyte = Buffer.alloc(1_000, ' ')

for (const count of [100, 300]) {
  void test(
    `issue 20: ${count} bodies of 25 MB of which 1 kB comes: under ${maxGrowthMegabytes} MB, and the loop is not held for ${maxHeldMs} ms`,
    { skip },
    async (t) => {
      const service = await start(t, 1)
      const [walker] = service.walkers
      assert.ok(walker)
      for (const [name, kind] of Object.entries(kinds)) {
        for (const length of [25_000_000, undefined]) {
          const what = `${name}, ${length === undefined ? 'in chunks' : 'with a length'}`
          const sending = { ...kind, count, length, start: kilobyte }
          // The code is compiled before it counts.
          await leave(await begin(service, walker, { ...sending, count: 20 }))
          const costs: Cost[] = []
          const minHeld = (): number => Math.min(...costs.map(({ held }) => held.busyMs))
          while (costs.length < attempts && minHeld() >= maxHeldMs)
            costs.push(await costOf(service, walker, sending))
          const growth = costs[0]?.growth ?? NaN
          t.diagnostic(`${what}: +${growth.toFixed(1)} MB, loop held ${minHeld().toFixed(1)} ms`)
          assert.ok(growth < maxGrowthMegabytes, `${what}: grew by ${growth} MB`)
          assert.ok(minHeld() < maxHeldMs, `${what}: held for ${minHeld()} ms`)
        }
      }
    },
  )
}

void test(
  `issue 20: 300 endless bodies at full speed use no more memory than is reserved for large bodies`,
  { skip },
  async (t) => {
    const service = await start(t, 5)
    const growths: number[] = []
    const before = residentOf(service.pid())
    const sockets: Socket[] = []
    const start24 = Buffer.alloc(24_000_000, ' ')
    for (const walker of service.walkers) {
      const sending = { ...kinds['routes'], count: 60, length: 25_000_000, start: start24 } as Sending
      sockets.push(...(await begin(service, walker, sending)))
    }
    // The first body of each account is read; an IP address may have two.
    const wholly = (): number => sockets.filter(({ writableLength }) => writableLength === 0).length
    await until(() => wholly() >= 2, 'two bodies to be taken')
    for (let round = 0; round < 3; round += 1)
      assert.equal((await service.ask({ path: '/health/live' })).status, 200)
    growths.push(peakOf(service.pid()) - before)
    t.diagnostic(`+${growths[0]?.toFixed(0)} MB, ${wholly()} of ${sockets.length} taken whole`)
    await leave(sockets)
    assert.ok((growths[0] ?? NaN) < maxGrowthOfAll, `grew by ${growths[0]} MB`)
  },
)

/** Seven of these used up the budget of all accounts. */
const halfOpenBytes = 18 * 1024 ** 2

/** 5 MB with few points: others wait for memory, not for work. */
const fiveMegabytes = JSON.stringify([
  {
    name: 'A long walk',
    gpx: `<gpx><rte>${`<rtept lat="46.5" lon="7.5"/>${' '.repeat(471)}`.repeat(10_000)}</rte></gpx>`,
  },
])

void test(
  'issue 20: while one account holds as many large bodies as it can, 20 of 20 routes of 5 MB of another succeed',
  { skip },
  async (t) => {
    const service = await start(t, 2)
    const [greedy, other] = service.walkers
    assert.ok(greedy && other)
    assert.ok(fiveMegabytes.length > 5_000_000)
    const half = {
      ...kinds['routes'],
      count: 7,
      length: halfOpenBytes,
      start: Buffer.alloc(halfOpenBytes - 1, ' '),
    }
    const sockets = await begin(service, greedy, half as Sending)
    // Waits until the server has read all that it eventually reads.
    let [left, rounds] = [Infinity, 0]
    await until(async () => {
      const now = sockets.reduce((sum, { writableLength }) => sum + writableLength, 0)
      const isFirstTaken = sockets.some(({ writableLength }) => writableLength === 0)
      rounds = now === left && isFirstTaken ? rounds + 1 : 0
      left = now
      await service.ask({ path: '/health/live' })
      return rounds === 50
    }, 'the server to take no more')
    const statuses: number[] = []
    for (let time = 0; time < 20; time += 1) {
      const path = kinds['routes']?.path(other) ?? ''
      const asking = { method: 'POST', path, walker: other, type: 'application/json', body: fiveMegabytes }
      statuses.push((await service.ask(asking)).status)
    }
    t.diagnostic(`${statuses.filter((status) => status === 201).length} of ${statuses.length}`)
    await leave(sockets)
    assert.deepEqual([...new Set(statuses)], [201])
  },
)
