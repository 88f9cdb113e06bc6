// Dragging the map with a line of 20,000 points: CPU time per frame of the page's main thread, so that parallel tests do
// not matter. Software rendering runs on other threads, which a visitor would not wait for.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { CDPSession, Page } from 'playwright-core'
import { openBrowser } from './harness.ts'
import { askMap, waitForMap } from './map-scene.ts'
import { openRoutes } from './routes-scene.ts'
import { startSite } from './site.ts'

/** Milliseconds per frame at 60 Hz. */
const maxFrameMs = 16
const pointCount = 20_000
const steps = 90

/** A walk of about 100 km with a bend at every step. */
const walk = Array.from({ length: pointCount }, (_, at): [number, number] => [
  Number((7 + at * 2e-5 + Math.sin(at * 1.7) * 3e-5).toFixed(6)),
  Number((46 + Math.sin(at / 700) * 0.05 + Math.cos(at * 1.3) * 2e-5).toFixed(6)),
])

const metric = async (session: CDPSession, name: string): Promise<number> => {
  const { metrics } = await session.send('Performance.getMetrics')
  return metrics.find((one) => one.name === name)?.value ?? NaN
}

const framesDrawn = `(map.framesDrawn ??= (() => {
  const count = { frames: 0 }
  map.on('render', () => { count.frames += 1 })
  return count
})()).frames`

/** CPU time of the page's thread per frame, while the map is dragged and the pointer crosses the line. */
async function frameMs(page: Page): Promise<{ readonly ms: number; readonly frames: number }> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.setTimeDomain', { timeDomain: 'threadTicks' })
  await session.send('Performance.enable')
  const canvas = await page.locator('.maplibregl-canvas').boundingBox()
  assert.ok(canvas)
  const [x, y] = [canvas.x + canvas.width / 2, canvas.y + canvas.height / 2]
  await page.mouse.move(x, y)
  await askMap(page, framesDrawn)
  await page.mouse.down()
  // Until it counts as dragging, not as a click.
  await page.mouse.move(x + 12, y + 6)
  const [before, framesBefore] = [await metric(session, 'TaskDuration'), await askMap(page, framesDrawn)]
  for (let step = 0; step < steps; step += 1) {
    await page.mouse.move(x + 12 + 2 * step, y + 6 + 30 * Math.sin(step / 9))
    await askMap(page, `new Promise((resolve) => requestAnimationFrame(() => resolve(true)))`)
  }
  const [after, framesAfter] = [await metric(session, 'TaskDuration'), await askMap(page, framesDrawn)]
  await page.mouse.up()
  await session.detach()
  const frames = Number(framesAfter) - Number(framesBefore)
  return { ms: ((after - before) * 1_000) / frames, frames }
}

async function expectSmooth(t: TestContext, page: Page, name: string): Promise<void> {
  await waitForMap(page)
  for (const zoom of [10, 14]) {
    await askMap(
      page,
      `new Promise((resolve) => { map.once('idle', () => resolve(true)); map.jumpTo({ center: [7.2, 46.03], zoom: ${zoom} }); map.triggerRepaint() })`,
    )
    const { ms, frames } = await frameMs(page)
    t.diagnostic(`${name}, zoom ${zoom}: ${ms.toFixed(1)} ms a frame, ${frames} frames`)
    assert.ok(frames >= steps / 3, `${frames} frames`)
    assert.ok(ms <= maxFrameMs, `${ms} ms a frame`)
  }
}

void test('the line of a trail', async (t) => {
  const browser = await openBrowser(t, { hasMaps: true })
  if (!browser) return
  const { waymark, origin, url } = await startSite(t, { hasApp: true })
  const { token } = await waymark.addPerson({ name: 'Ada', role: 'admin' })
  const answer = await waymark.fetch('/v2/trails', {
    method: 'POST',
    token,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      trailID: 4711,
      name: 'Long Trail',
      slug: 'long-trail',
      geometry: { type: 'LineString', coordinates: walk },
    }),
  })
  assert.equal(answer.status, 201, await answer.text())
  const { page, pageErrors } = await browser.visit({ origins: [origin] })
  await page.goto(`${url}/t/long-trail`)
  await expectSmooth(t, page, 'trail')
  assert.deepEqual(pageErrors, [])
})

void test('a route, on its page and in the editor', async (t) => {
  const scene = await openRoutes(t)
  if (!scene) return
  const { site, member, page } = scene
  const points = walk.map(([lon, lat]) => `<trkpt lat="${lat}" lon="${lon}"/>`).join('')
  const answer = await site.waymark.fetch(`/v2/accounts/${member.accountId}/routes`, {
    method: 'POST',
    token: member.token,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      name: 'Long route',
      gpx: `<gpx version="1.1" creator="t" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>${points}</trkseg></trk></gpx>`,
    }),
  })
  assert.equal(answer.status, 201, await answer.text())
  const [route] = await scene.stored()
  await page.goto(`${site.url}/routes/${route?.routeID}`)
  await expectSmooth(t, page, 'route')
  await page.goto(`${site.url}/routes/${route?.routeID}/edit`)
  await expectSmooth(t, page, 'editor')
})
