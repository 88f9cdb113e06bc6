// A GPX of 50 MB in the editor: read by a worker, while no task of the page lasts longer than 200 ms.
import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { mapBox, openRoutes, waitForMap, waitForPoints } from './routes-scene.ts'

const megabyte = 1_000_000
const fileBytes = 50 * megabyte
const maxTaskMs = 200

/** Like a watch's file: a point of about 200 bytes per second, with unused extensions. */
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

interface TraceEvent {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  /** Microseconds of the thread itself. */
  readonly tdur?: number
  readonly args?: { readonly name?: string }
}

/**
 * Tasks of the page's thread during the work, longest first, in milliseconds of CPU time: with parallel tests a task may
 * wait, which is not the page's fault.
 */
async function tasksDuring(page: Page, work: () => Promise<void>): Promise<number[]> {
  const browser = page.context().browser()
  assert.ok(browser)
  await browser.startTracing(page, { categories: ['-*', 'toplevel'] })
  await work()
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
    traceEvents: readonly TraceEvent[]
  }
  const threadOf = ({ pid, tid }: TraceEvent): string => `${pid} ${tid}`
  const main = new Set(traceEvents.filter(({ args }) => args?.name === 'CrRendererMain').map(threadOf))
  return traceEvents
    .filter((event) => event.name.endsWith('RunTask') && main.has(threadOf(event)))
    .map(({ tdur = NaN }) => Math.round(tdur / 1_000))
    .toSorted((one, other) => other - one)
}

/** Until the page has the whole line again: simplified, and undone. */
async function importAndSimplify(page: Page, file: string): Promise<void> {
  const chooser = page.waitForEvent('filechooser')
  await page.keyboard.press('o')
  await (await chooser).setFiles(file)
  // The page still responds while the file is read: a counter changes.
  await page
    .getByText(/^Reading the file: \d+ %/)
    .first()
    .waitFor()
  // It is longer than the service accepts, which the page says immediately, with the result of simplifying.
  await page.getByText(/as a file; the limit is/).waitFor({ timeout: 120_000 })
  await page.getByText(/points, about .* The result fits/).waitFor({ timeout: 60_000 })
  const panel = page.getByRole('region', { name: 'Simplify line' })
  await panel.getByRole('button', { name: 'Simplify' }).click()
  await page.getByRole('heading', { name: 'Simplify line' }).waitFor({ state: 'detached' })
  await page.keyboard.press('Control+z')
  await page.locator('[data-fact=points]', { hasText: /^\d{3},\d{3}$/ }).waitFor()
}

void test('a GPX of 50 MB is read in a worker, with no task over 200 ms on the page', async (t) => {
  const scene = await openRoutes(t)
  if (!scene) return
  const { page, site, pageErrors } = scene
  const file = path.join(tmpdir(), `waymark-50mb-${process.pid}.gpx`)
  t.after(() => rm(file, { force: true }))
  await writeFile(file, track())
  // At the file's location, so that the map's own data there is loaded before.
  await page.addInitScript("localStorage.setItem('waymark.route-place', '[4.8,43.8,7.2,49]')")
  await page.goto(`${site.url}/routes/new`)
  await waitForMap(page)
  // Software rendering compiles the shaders of a line and its points at the first drawing, which is not the file's fault.
  await page.keyboard.press('d')
  const { x, y, width, height } = await mapBox(page)
  for (const [at, across] of [0.4, 0.6].entries()) {
    await page.mouse.click(x + width * across, y + height / 2)
    await waitForPoints(page, at + 1)
  }
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Draw', exact: true }).waitFor()
  const tasks = await tasksDuring(page, () => importAndSimplify(page, file))
  const points = await page.locator('[data-fact=points]').textContent()
  t.diagnostic(`${points} points; the longest of ${tasks.length} tasks: ${tasks.slice(0, 8).join(', ')} ms`)
  assert.ok(tasks.length > 100)
  assert.ok((tasks[0] ?? Infinity) <= maxTaskMs, `the longest task took ${tasks[0]} ms`)
  assert.deepEqual(pageErrors, [])
})
