// 8 MiB of GPX sent to a running server: its memory, and how long the event loop is blocked (issue 5).
import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { test, type TestContext } from 'node:test'
import { parentOfFolders } from '../helpers/folders.ts'
import { whyNoMemory } from '../hostile/service.ts'
import { devicePoints, filesBody, forms, shortestPoints, type Body } from './documents.ts'
import type { Held } from './loop-probe.ts'
import {
  forgetPeak,
  peakOf,
  residentOf,
  startRouteService,
  type Answer,
  type Asking,
  type RouteService,
} from './route-service.ts'

const skip = whyNoMemory()
/** The limits of issue 5. */
const [maxGrowth, maxHeldMs] = [60, 50]
/** A real blockage occurs each time; a busy machine, its disk and garbage collection do not. */
const attempts = 5
/**
 * The peak of the same work varies by 10 MB with the time of garbage collection (53 to 61 MB over nine servers). The
 * work's own memory appears on every new server, uncollected garbage does not.
 */
const servers = 4

interface Cost extends Answer {
  /** Peak resident memory in megabytes (10^6), above that before the request. */
  readonly growth: number
  readonly held: Held
}

async function costOf(service: RouteService, asking: Asking): Promise<Cost> {
  await service.held()
  const before = residentOf(service.pid())
  forgetPeak(service.pid())
  const answer = await service.ask(asking)
  const growth = peakOf(service.pid()) - before
  return { ...answer, growth, held: await service.held() }
}

const figures = ({ growth, held, milliseconds }: Cost): string =>
  `${milliseconds.toFixed(0)} ms, +${growth.toFixed(1)} MB, loop held ${held.busyMs.toFixed(1)} ms at work, ${held.ownMs.toFixed(1)} ms with the disk, ${held.clockMs.toFixed(1)} ms by the clock`

/** On a disk, the time that is spent waiting for it depends on the machine. */
const isInMemory = parentOfFolders() !== tmpdir()
const isHeld = ({ held }: Cost): boolean =>
  held.busyMs >= maxHeldMs || (isInMemory && held.ownMs >= maxHeldMs)

/**
 * Repeats it if the event loop was blocked.
 * @returns the last run, and the first, before which nothing had grown the heap.
 */
async function minHeld(service: RouteService, asking: Asking): Promise<{ first: Cost; last: Cost }> {
  const first = await costOf(service, asking)
  let last = first
  for (let attempt = 1; attempt < attempts && isHeld(last); attempt += 1) last = await costOf(service, asking)
  return { first, last }
}

/** A server that has stored, read and exported ordinary routes in both formats. */
async function startWarm(t: TestContext): Promise<{ service: RouteService; set: string; accountId: number }> {
  const service = await startRouteService({ walkers: 2 })
  t.after(() => service.end())
  const accountId = service.walkers[0]?.accountId ?? 0
  const set = `/Accounts/${accountId}/Routes`
  const points = '<trkpt lat="45.1234567" lon="7.1234567"><ele>12.5</ele></trkpt>'.repeat(2_000)
  for (const form of Object.values(forms)) {
    const gpx = `<gpx><trk><trkseg>${points}</trkseg></trk></gpx>`
    const { status, text } = await service.ask({ method: 'POST', path: set, ...form(gpx) })
    assert.equal(status, 201, text)
    const id = JSON.parse(text) as number
    for (const path of [
      `${set}/${id}`,
      `/v2/routes/${id}`,
      `/v2/routes/${id}.gpx`,
      `/v2/routes/${id}.geojson`,
    ])
      assert.equal((await service.ask({ path })).status, 200)
    assert.equal((await service.ask({ method: 'DELETE', path: `${set}/${id}` })).status, 200)
  }
  return { service, set, accountId }
}

const uploads: readonly (readonly [name: string, body: () => Body, maxGrowth: number])[] = [
  ['the shortest points in JSON', () => forms.JSON(shortestPoints()), maxGrowth],
  ['the shortest points in XML', () => forms.XML(shortestPoints()), maxGrowth],
  // Longer bodies (escapes) with names, elevations and times, which the issue does not limit; 66 MB were measured.
  ['points of a device in XML', () => forms.XML(devicePoints()), 2 * maxGrowth],
]

for (const [name, body, max] of uploads) {
  void test(
    `issue 5: POST of 8 MiB of ${name}: under ${max} MB, event loop never held for ${maxHeldMs} ms`,
    { skip },
    async (t) => {
      const growths: number[] = []
      for (let server = 0; server < servers && Math.min(...growths) >= max; server += 1) {
        const { service, set } = await startWarm(t)
        const asking: Asking = { method: 'POST', path: set, ...body() }
        const { first, last } = await minHeld(service, asking)
        t.diagnostic(`${figures(first)}; least held: ${figures(last)}`)
        for (const { status, text } of [first, last]) assert.equal(status, 201, text)
        assert.ok(!isHeld(last), figures(last))
        growths.push(first.growth)
        await service.end()
      }
      assert.ok(Math.min(...growths) < max, `at least ${Math.min(...growths).toFixed(1)} MB more`)
    },
  )
}

void test(
  `issue 5: no request for a route of 8 MiB holds the event loop for ${maxHeldMs} ms`,
  { skip },
  async (t) => {
    const { service, set, accountId } = await startWarm(t)
    const [gpx, xml] = [shortestPoints(), forms.XML(shortestPoints())]
    const made = await service.ask({ method: 'POST', path: set, ...xml })
    assert.equal(made.status, 201, made.text)
    const [item, v2] = [`${set}/${made.text}`, `/v2/routes/${made.text}`]
    const other = service.walkers[1]
    assert.ok(other)
    const json = (value: unknown): Body => ({ type: 'application/json', body: JSON.stringify(value) })
    const collection = `/v2/accounts/${accountId}/routes`
    const steps: readonly (readonly [name: string, asking: Asking, status?: number])[] = [
      ['classic GET in JSON', { path: item }],
      ['classic GET in XML', { path: item, headers: { accept: 'text/xml' } }],
      ['classic list', { path: set }],
      ['PUT of the gpx', { method: 'PUT', path: item, ...xml }],
      ['PUT of the name', { method: 'PUT', path: item, ...json({ name: 'B' }) }],
      ['v2 document', { path: v2 }],
      ['.gpx', { path: `${v2}.gpx` }],
      ['.geojson', { path: `${v2}.geojson` }],
      [
        'a zone',
        { method: 'POST', path: '/v2/me/zones', ...json({ name: 'Home', lat: 1.5, lon: 1, radius: 500 }) },
        201,
      ],
      ['PATCH to public', { method: 'PATCH', path: v2, ...json({ visibility: 'public' }) }],
      ['v2 document for others', { path: v2, walker: other }],
      ['.gpx for others', { path: `${v2}.gpx`, walker: other }],
      ['.geojson for others', { path: `${v2}.geojson`, walker: other }],
      ['v2 list', { path: collection }],
      ['v2 list for others', { path: collection, walker: other }],
      ['v2 POST', { method: 'POST', path: collection, ...json({ name: 'C', gpx }) }, 201],
      ['POST with a key', { method: 'POST', path: set, ...xml, headers: { 'idempotency-key': 'once' } }, 201],
      ['import of two', { method: 'POST', path: `${collection}/import`, ...filesBody([gpx, gpx]) }],
    ]
    for (const [name, asking, status = 200] of steps) {
      const { first, last } = await minHeld(service, asking)
      t.diagnostic(`${name}: ${figures(first)}; least held: ${figures(last)}`)
      assert.equal(last.status, status, `${name}: ${last.text.slice(0, 300)}`)
      assert.ok(!isHeld(last), `${name}: ${figures(last)}`)
      assert.ok(first.growth < 2 * maxGrowth, `${name}: ${figures(first)}`)
    }
    assert.equal((await service.ask({ method: 'DELETE', path: item })).status, 200)
  },
)
