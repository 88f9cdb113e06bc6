// The route editor in a real browser: drawn with the mouse, by keys alone and by touch; imported, saved, exported.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { readGpxText } from '../../src/contract/gpx.ts'
import { evaluate, shoot, sidewaysScroll } from './harness.ts'
import {
  acceptDialogs,
  lengthShown,
  mapBox,
  openRoutes,
  recordedFile,
  recordedGpx,
  waitForMap,
  waitForOtherLength,
  waitForPoints,
  waitUntil,
} from './routes-scene.ts'

async function clickAt(page: Page, across: number, down: number): Promise<void> {
  const { x, y, width, height } = await mapBox(page)
  await page.mouse.click(x + width * across, y + height * down)
}

async function save(page: Page): Promise<void> {
  await page.keyboard.press('Control+s')
  await page.getByText('Saved.', { exact: true }).waitFor()
}

void test('a route is drawn with the mouse, undone, redone, saved, exported, and is the same after a reload', async (t) => {
  const scene = await openRoutes(t)
  if (!scene) return
  const { page, site, troubles, stored, gpxOf } = scene
  await page.goto(`${site.url}/routes/new`)
  await waitForMap(page)
  await page.getByRole('button', { name: /^Draw on the map/ }).click()
  for (const [at, [across, down]] of [
    [0.3, 0.4],
    [0.45, 0.6],
    [0.6, 0.4],
  ].entries()) {
    await clickAt(page, across ?? 0, down ?? 0)
    await waitForPoints(page, at + 1)
  }
  await page.keyboard.press('Control+z')
  await waitForPoints(page, 2)
  await page.keyboard.press('Control+Shift+z')
  await waitForPoints(page, 3)
  await page.keyboard.press('Escape')

  // A point is dragged, and it is one step.
  const box = await mapBox(page)
  const length = await lengthShown(page)
  await page.mouse.move(box.x + box.width * 0.45, box.y + box.height * 0.6)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width * 0.46, box.y + box.height * 0.65, { steps: 3 })
  await page.mouse.move(box.x + box.width * 0.47, box.y + box.height * 0.7, { steps: 3 })
  await page.mouse.up()
  await waitForOtherLength(page, length)
  await page.getByRole('button', { name: 'Undo: Move a point' }).click()
  assert.equal(await lengthShown(page), length)
  await page.keyboard.press('Control+Shift+z')

  // A click on the line inserts a point there.
  await clickAt(page, 0.3 + 0.085, 0.4 + 0.15)
  await waitForPoints(page, 4)

  await page.getByLabel('Name', { exact: true }).fill('Drawn 🏔️')
  await page.getByText('8 of 1,000 characters').waitFor()
  await save(page)
  await page.waitForURL(/\/routes\/\d+\/edit$/)
  const [route] = await stored()
  assert.equal(route?.name, 'Drawn 🏔️')
  assert.equal(route.visibility, 'private')
  assert.equal(route.pointCount, 4)
  const kept = await gpxOf(route.routeID)

  // The editor went on with its undo stack at the route's own address.
  await page.keyboard.press('Control+z')
  await page.keyboard.press('Control+Shift+z')
  await page.getByRole('button', { name: 'Change the line' }).click()
  const downloading = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: 'Download GPX' }).click()
  const download = await downloading
  assert.equal(download.suggestedFilename(), 'Drawn 🏔️.gpx')
  assert.equal(await readFile(await download.path(), 'utf8'), kept)

  await page.reload()
  await waitForMap(page)
  await waitForPoints(page, 4)
  assert.equal(await page.getByText('What you had not saved is back').count(), 0)
  assert.deepEqual(troubles, [])
})

void test('C33: an imported file is saved byte for byte; edited, it keeps heights and times', async (t) => {
  const scene = await openRoutes(t)
  if (!scene) return
  const { page, site, troubles, stored, gpxOf } = scene
  await page.goto(`${site.url}/routes/new`)
  await waitForMap(page)
  const choosing = page.waitForEvent('filechooser')
  await page.keyboard.press('o')
  await (await choosing).setFiles(recordedFile)
  await waitForPoints(page, 60)
  assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Ridge walk')
  await page.getByRole('img', { name: /^Elevation along the route/ }).waitFor()
  await page.getByRole('radio', { name: 'Everybody' }).click()
  await save(page)
  await page.waitForURL(/\/routes\/\d+\/edit$/)
  const [route] = await stored()
  assert.ok(route)
  assert.equal(route.visibility, 'public')
  assert.equal(await gpxOf(route.routeID), recordedGpx)

  await page.getByRole('heading', { level: 1 }).click()
  for (const key of ['ArrowRight', 'ArrowRight', 'Delete', 'Shift+ArrowUp', 's'])
    await page.keyboard.press(key)
  await page.getByRole('button', { name: 'Cancel' }).click()
  await waitForPoints(page, 59)
  await save(page)
  const reading = readGpxText(await gpxOf(route.routeID))
  assert.ok(reading.ok)
  assert.equal(reading.value.counts.trackPoints, 59)
  const [line] = reading.value.tracks[0]?.segments ?? []
  assert.equal(line?.points.ele(line.first + 1), 1_208)
  assert.equal(line.points.timeMs(line.first), Date.UTC(2026, 4, 14, 9))
  assert.ok(Math.abs(line.points.lat(line.first + 1) - (46.5008 + 1 / 111_195)) < 1e-7)

  // Somebody else saved meanwhile.
  const {
    site: { waymark },
    member,
  } = scene
  const change = (body: object) =>
    waymark.fetch(`/v2/routes/${route.routeID}`, {
      method: 'PATCH',
      token: member.token,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  assert.equal((await change({ name: 'From elsewhere' })).status, 200)
  await page.getByLabel('Name', { exact: true }).fill('Mine')
  await page.keyboard.press('Control+s')
  await page.getByRole('button', { name: 'Load the other one' }).click()
  await waitUntil(
    page,
    `[...document.querySelectorAll('input')].some(({ value }) => value === 'From elsewhere')`,
  )
  await page.getByRole('heading', { level: 1 }).click()
  await page.keyboard.press('Control+z')
  assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Mine')
  assert.equal((await change({ description: 'Again' })).status, 200)
  await page.keyboard.press('Control+s')
  await page.getByRole('button', { name: 'Save mine over it' }).click()
  await page.getByText('Saved.', { exact: true }).waitFor()
  assert.equal((await stored())[0]?.name, 'Mine')
  assert.deepEqual(
    troubles.filter((trouble) => !/412/.test(trouble)),
    [],
  )
})

void test('the table draws a route by keys alone, and an unsaved one is back after a reload', async (t) => {
  const scene = await openRoutes(t)
  if (!scene) return
  const { page, site, troubles } = scene
  acceptDialogs(page)
  await page.goto(`${site.url}/routes/new`)
  await page.getByRole('tab', { name: 'Details' }).focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Tab')
  const focused = () =>
    evaluate(page, 'document.activeElement?.textContent?.trim() || document.activeElement?.dataset.cell')
  while ((await focused()) !== 'Add a point') await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  const write = async (cell: string, text: string): Promise<void> => {
    await page.locator(`[data-cell='${cell}']:focus`).waitFor()
    await page.keyboard.press('Control+a')
    await page.keyboard.type(text)
    await page.keyboard.press('Tab')
  }
  await write('lat 0', '46,5')
  await write('lon 0', '7.9')
  await write('ele 0', '1200')
  while ((await focused()) !== 'Add a point at the end') await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await write('lat 1', '95')
  await page.getByText('From -90 to 90.').waitFor()
  await page.keyboard.press('Shift+Tab')
  await write('lat 1', '46.6')
  await write('lon 1', '8')
  await waitForPoints(page, 2)
  await page.keyboard.press('ArrowUp')
  await page.locator(`[data-cell='ele 0']:focus`).waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await write('lat 1', '46.55')
  await waitForPoints(page, 3)
  assert.equal(await lengthShown(page), '8.39 mi')

  await waitUntil(
    page,
    `new Promise((resolve) => {
    const opening = indexedDB.open('waymark.route-drafts')
    opening.onsuccess = () => {
      const reading = opening.result.transaction('drafts').objectStore('drafts').getAll()
      reading.onsuccess = () => resolve(reading.result.some(({ segments }) => segments[0]?.chunks[0]?.count === 3 && segments[0].chunks[0].lats[1] === 46.55))
      reading.onerror = () => resolve(false)
    }
    opening.onerror = () => resolve(false)
  })`,
  )
  await page.reload()
  await page.getByText(/^What you had not saved is back/).waitFor()
  await waitForPoints(page, 3)
  await page.getByRole('button', { name: 'Discard it' }).click()
  await waitForPoints(page, 0)
  assert.deepEqual(troubles, [])
})

void test('every key of the editor does what the sheet says', async (t) => {
  const scene = await openRoutes(t)
  if (!scene) return
  const { page, site, troubles } = scene
  acceptDialogs(page)
  await page.goto(`${site.url}/routes/new`)
  await waitForMap(page)
  const pressed = new Set<string>()
  const press = async (keys: string): Promise<void> => {
    pressed.add(keys)
    await page.keyboard.press(keys.replace('Mod', 'Control'))
  }
  const selected = (text: string) => page.getByText(text, { exact: true }).waitFor()
  const field = (cell: string) => page.locator(`[data-cell="${cell}"]`).inputValue()

  const choosing = page.waitForEvent('filechooser')
  await press('o')
  await (await choosing).setFiles(recordedFile)
  await waitForPoints(page, 60)
  await page.getByRole('tab', { name: 'Points' }).click()
  await page.getByRole('heading', { level: 1 }).click()
  await press('ArrowRight')
  await press('ArrowRight')
  await selected('Point 2 of 60 selected')
  await press('ArrowLeft')
  await selected('Point 1 of 60 selected')
  const before = [Number(await field('lat 0')), Number(await field('lon 0'))] as const
  await press('Shift+ArrowUp')
  assert.ok(Number(await field('lat 0')) > before[0])
  await press('Shift+ArrowDown')
  assert.ok(Math.abs(Number(await field('lat 0')) - before[0]) < 1e-6)
  await press('Shift+ArrowRight')
  assert.ok(Number(await field('lon 0')) > before[1])
  await press('Shift+ArrowLeft')
  assert.ok(Math.abs(Number(await field('lon 0')) - before[1]) < 1e-6)
  await press('i')
  await waitForPoints(page, 61)
  await press('Delete')
  await waitForPoints(page, 60)
  await press('Mod+Z')
  await waitForPoints(page, 61)
  await press('Mod+Shift+Z')
  await waitForPoints(page, 60)
  await press('r')
  await page.getByText(/^Reversed\./).waitFor()
  assert.equal(Number(await field('ele 0')), 1_436)
  await press('s')
  await page.getByRole('heading', { name: 'Simplify the line' }).waitFor()
  await page.getByText(/of 60 points stay/).waitFor()
  await page.getByRole('button', { name: 'Simplify', exact: true }).click()
  await waitUntil(page, `Number(document.querySelector('[data-fact=points]').textContent) < 60`)
  await press('d')
  await page.getByRole('button', { name: 'Drawing', pressed: true }).waitFor()
  await press('Escape')
  await page.getByRole('button', { name: 'Draw', exact: true }).waitFor()
  await press('Mod+S')
  await page.getByText('Saved.', { exact: true }).waitFor()

  await page.keyboard.press('?')
  await page.locator('[data-shortcut=o]').waitFor()
  const rows = await page
    .locator('section section', { has: page.getByRole('heading', { name: 'Route editor', exact: true }) })
    .locator('[data-shortcut]')
    .all()
  const listed = await Promise.all(rows.map(async (row) => (await row.getAttribute('data-shortcut')) ?? ''))
  assert.deepEqual([...pressed].toSorted(), listed.toSorted())
  assert.deepEqual(troubles, [])
})

void test('on a phone: points by tapping, dragged by a finger, undone at the foot; nothing wider than the window', async (t) => {
  const scene = await openRoutes(t)
  if (!scene) return
  const { site, page: desktop } = scene
  const context = await desktop
    .context()
    .browser()
    ?.newContext({
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
      reducedMotion: 'reduce',
      storageState: await desktop.context().storageState(),
    })
  assert.ok(context)
  const page = await context.newPage()
  await page.goto(`${site.url}/routes/new`)
  await waitForMap(page)
  await page.getByRole('button', { name: /^Draw on the map/ }).tap()
  const box = await mapBox(page)
  const at = (across: number, down: number) =>
    [box.x + box.width * across, box.y + box.height * down] as const
  for (const [index, [across, down]] of [
    [0.3, 0.3],
    [0.5, 0.5],
    [0.7, 0.3],
  ].entries()) {
    await page.touchscreen.tap(...at(across ?? 0, down ?? 0))
    await waitForPoints(page, index + 1)
  }
  await page.getByRole('button', { name: /^Undo/ }).tap()
  await waitForPoints(page, 2)
  await page.getByRole('button', { name: /^Redo/ }).tap()
  await waitForPoints(page, 3)

  const length = await lengthShown(page)
  const touch = await context.newCDPSession(page)
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', place?: readonly [number, number]) =>
    touch.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: place ? [{ x: place[0], y: place[1] }] : [],
    })
  await send('touchStart', at(0.5, 0.5))
  await send('touchMove', at(0.52, 0.55))
  await send('touchMove', at(0.55, 0.7))
  await send('touchEnd')
  await waitForOtherLength(page, length)
  await waitForPoints(page, 3)
  await page.getByRole('button', { name: 'Delete point' }).tap()
  await waitForPoints(page, 2)
  assert.deepEqual(await sidewaysScroll(page), [])
  await shoot(page, 'route editor 390')
  await page.goto(`${site.url}/routes`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  assert.deepEqual(await sidewaysScroll(page), [])
  await context.close()
})
