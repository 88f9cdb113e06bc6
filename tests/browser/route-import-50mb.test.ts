// A GPX of 50 MB in the editor: read by a worker, while no task of the page lasts longer than 200 ms.
import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { evaluate } from './harness.ts'
import { mapBox, openRoutes, waitForMap, waitForPoints } from './routes-scene.ts'

const megabyte = 1_000_000
const fileBytes = 50 * megabyte
const mostTaskMs = 200

/** As a watch writes it: a point of some 200 bytes each second, with what nobody here reads. */
function* track(): Generator<string, void> {
  yield '<?xml version="1.0" encoding="UTF-8"?>\n<gpx version="1.1" creator="Watch" xmlns="http://www.topografix.com/GPX/1/1" xmlns:t="http://www.garmin.com/xmlschemas/TrackPointExtension/v1"><trk><name>A long way</name><trkseg>\n'
  const start = Date.UTC(2026, 4, 14)
  for (let at = 0, written = 0; written < fileBytes; at += 1) {
    const lat = (44 + at * 2e-5 + Math.sin(at / 40) * 2e-4).toFixed(7)
    const lon = (6 + Math.sin(at / 5_000) * 0.3 + Math.cos(at / 30) * 2e-4).toFixed(7)
    const ele = (1_500 + Math.sin(at / 900) * 700).toFixed(1)
    const time = new Date(start + at * 1_000).toISOString()
    const point = `<trkpt lat="${lat}" lon="${lon}"><ele>${ele}</ele><time>${time}</time><extensions><t:TrackPointExtension><t:hr>${120 + (at % 50)}</t:hr><t:cad>80</t:cad></t:TrackPointExtension></extensions></trkpt>\n`
    written += point.length
    yield point
  }
  yield '</trkseg></trk></gpx>\n'
}

/** From now on every task over 50 ms is noted, as the browser's own measure of a page that does not answer. */
const watchTasks = `(() => {
  globalThis.longTasks = []
  new PerformanceObserver((list) => {
    for (const { duration, startTime } of list.getEntries()) longTasks.push([Math.round(startTime), Math.round(duration)])
  }).observe({ type: 'longtask' })
})()`

/** As far as the page has the whole line again: simplified, and that undone. */
async function importAndSimplify(page: Page, file: string): Promise<void> {
  const chooser = page.waitForEvent('filechooser')
  await page.keyboard.press('o')
  await (await chooser).setFiles(file)
  // Behind what is seen the page still answers: a figure changes while the file is read.
  await page
    .getByText(/^Reading the file: \d+ %/)
    .first()
    .waitFor()
  // It is longer than the service takes, which is said at once, with what simplifying would make of it.
  await page.getByText(/the site keeps up to/).waitFor({ timeout: 120_000 })
  await page.getByText(/points stay, about .* It then fits/).waitFor({ timeout: 60_000 })
  const panel = page.getByRole('region', { name: 'Simplify the line' })
  await panel.getByRole('button', { name: 'Simplify' }).click()
  await page.getByRole('heading', { name: 'Simplify the line' }).waitFor({ state: 'detached' })
  await page.keyboard.press('Control+z')
  await page.locator('[data-fact=points]', { hasText: /^\d{3},\d{3}$/ }).waitFor()
}

void test('a GPX of 50 MB is read in a worker, with no task over 200 ms on the page', async (t) => {
  const scene = await openRoutes(t)
  if (!scene) return
  const { page, site, troubles } = scene
  const file = path.join(tmpdir(), `waymark-50mb-${process.pid}.gpx`)
  t.after(() => rm(file, { force: true }))
  await writeFile(file, track())
  // Where the file is, so that what the map itself loads for a place is there before the file is.
  await page.addInitScript("localStorage.setItem('waymark.route-place', '[4.8,43.8,7.2,49]')")
  await page.goto(`${site.url}/routes/new`)
  await waitForMap(page)
  // Software compiles the shaders of a line and its points when they are first drawn, which is no matter of the file.
  await page.keyboard.press('d')
  const { x, y, width, height } = await mapBox(page)
  for (const [at, across] of [0.4, 0.6].entries()) {
    await page.mouse.click(x + width * across, y + height / 2)
    await waitForPoints(page, at + 1)
  }
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Draw', exact: true }).waitFor()
  await evaluate(page, watchTasks)
  // Beside other tests a task waits for its turn, and a wait counts as its length: a page that works too long does so each
  // time, and the neighbours do not.
  let longest = Infinity
  for (let attempt = 0; attempt < 3 && longest > mostTaskMs; attempt += 1) {
    await evaluate(page, 'longTasks.length = 0')
    await importAndSimplify(page, file)
    const tasks = (await evaluate(page, 'longTasks')) as [number, number][]
    const points = await page.locator('[data-fact=points]').textContent()
    longest = Math.max(0, ...tasks.map(([, duration]) => duration))
    t.diagnostic(`${points} points; tasks over 50 ms (start, duration): ${JSON.stringify(tasks)}`)
    await page.keyboard.press('Control+z')
    await waitForPoints(page, 2)
  }
  assert.ok(longest <= mostTaskMs, `the longest task took ${longest} ms`)
  assert.deepEqual(troubles, [])
})
