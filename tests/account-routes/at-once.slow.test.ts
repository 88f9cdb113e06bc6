// Many routes of 8 MiB at once: processed one after another in bounded memory, while other requests are served (issue 5).
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { whyNoMemory } from '../hostile/service.ts'
import { forms, shortestPoints } from './documents.ts'
import { forgetPeak, peakOf, residentOf, startRouteService, type RouteService } from './route-service.ts'

const skip = whyNoMemory()
const setOf = ({ accountId }: { readonly accountId: number }): string => `/Accounts/${accountId}/Routes`
const body = forms.JSON(shortestPoints())
/** No body is shorter. */
const empty = forms.JSON('')
/**
 * Eight waiting bodies (80 MB), one in progress (60 MB), and uncollected garbage: 210 MB were measured, 250 MB on a busy
 * machine, and 330 MB when all eight were processed at once.
 */
const maxGrowth = 320
/** The work's own memory appears on every new server, uncollected garbage of a busy machine does not. */
const servers = 3
/** 0.1 s was measured on an idle machine. */
const maxWaitMs = 2_000

/**
 * Repeats a short request until stopped.
 * @returns the longest response time.
 */
function asking(service: RouteService, ask: Parameters<RouteService['ask']>[0], status: number) {
  const over = new AbortController()
  let maxMs = 0
  const done = (async () => {
    while (!over.signal.aborted) {
      const answer = await service.ask(ask)
      assert.equal(answer.status, status, answer.text)
      maxMs = Math.max(maxMs, answer.milliseconds)
      await pause(5)
    }
  })()
  return async (): Promise<number> => {
    over.abort()
    await done
    return maxMs
  }
}

/**
 * Eight bodies at once on a new server.
 * @returns the growth of its memory in megabytes (10^6).
 */
async function growthOfEight(t: TestContext): Promise<number> {
  const service = await startRouteService({ walkers: 2 })
  t.after(() => service.end())
  const { walkers } = service
  for (const walker of walkers) await service.ask({ method: 'POST', path: setOf(walker), walker, ...empty })
  const before = residentOf(service.pid())
  forgetPeak(service.pid())
  const others = [
    asking(service, { path: '/health/live' }, 200),
    ...walkers.map((walker) =>
      asking(service, { method: 'POST', path: setOf(walker), walker, ...empty }, 201),
    ),
  ]
  const answers = await Promise.all(
    [...walkers, ...walkers, ...walkers, ...walkers].map((walker) =>
      service.ask({ method: 'POST', path: setOf(walker), walker, ...body }),
    ),
  )
  const maxMs = Math.max(...(await Promise.all(others.map((stop) => stop()))))
  const growth = peakOf(service.pid()) - before
  const took = answers
    .map(({ milliseconds }) => Math.round(milliseconds))
    .toSorted((one, other) => one - other)
  t.diagnostic(
    `+${growth.toFixed(0)} MB, answered after ${took.join(', ')} ms; others waited at most ${maxMs.toFixed(0)} ms`,
  )
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [201])
  assert.ok(maxMs < maxWaitMs, `others waited for ${maxMs} ms`)
  // One after another: the first does not wait for the last.
  assert.ok((took[0] ?? 0) < (took.at(-1) ?? 0) / 3, took.join(', '))
  await service.end()
  return growth
}

void test(
  `issue 5: eight simultaneous POSTs of 8 MiB by two accounts: under ${maxGrowth} MB, and all get their turn`,
  { skip },
  async (t) => {
    let growth = Infinity
    for (let server = 0; server < servers && growth >= maxGrowth; server += 1)
      growth = Math.min(growth, await growthOfEight(t))
    assert.ok(growth < maxGrowth, `grew by ${growth} MB`)
  },
)

/** Starts a large body, and disconnects. */
async function leaveEarly(service: RouteService, bytes: number): Promise<void> {
  const [walker] = service.walkers
  assert.ok(walker)
  const { hostname, port } = new URL(service.server.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  const head = [
    `POST ${setOf(walker)} HTTP/1.1`,
    'Host: waymark.example',
    `Authorization: Bearer ${walker.token}`,
    'Content-Type: application/json',
    'Content-Length: 20000000',
  ].join('\r\n')
  await new Promise<void>((resolve) => {
    socket.write(`${head}\r\n\r\n`)
    socket.write(Buffer.alloc(bytes, 0x20), () => resolve())
  })
  socket.destroy()
  await once(socket, 'close')
}

void test('issue 5: memory reserved for large bodies that are abandoned is released', { skip }, async (t) => {
  const service = await startRouteService({ walkers: 1 })
  t.after(() => service.end())
  const [walker] = service.walkers
  assert.ok(walker)
  const path = setOf(walker)
  // 160 MB started and never finished would leave no memory.
  for (let left = 0; left < 20; left += 1) await leaveEarly(service, 8_000_000)
  // Bodies of the maximum length that are refused only at their end; sequential, since an account may have only one.
  const long = { type: 'application/json', body: `[{"gpx":"${'x'.repeat(23 * 1024 ** 2)}"}` }
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => service.ask({ method: 'POST', path, ...long })),
  )
  for (const { status, text } of answers) assert.equal(status, 400, text)
  for (let again = 0; again < 2; again += 1) {
    const { status, text } = await service.ask({ method: 'POST', path, ...body })
    assert.equal(status, 201, text)
  }
})
