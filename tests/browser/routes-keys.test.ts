// The route editor by keyboard: the table of points, the stored draft, and every documented key.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { evaluate } from './harness.ts'
import {
  acceptDialogs,
  lengthShown,
  openRoutes,
  recordedFile,
  waitForMap,
  waitForPoints,
  waitUntil,
} from './routes-scene.ts'

void test('a route is drawn in the table by keyboard only, and an unsaved one is restored after a reload', async (t) => {
  const scene = await openRoutes(t)
  if (!scene) return
  const { page, site, pageErrors } = scene
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
  await page.getByText('Between -90 and 90.').waitFor()
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
      reading.onsuccess = () => resolve(reading.result.some(({ segments }) => segments[0]?.columns.count === 3 && segments[0].columns.lats[1] === 46.55))
      reading.onerror = () => resolve(false)
    }
    opening.onerror = () => resolve(false)
  })`,
  )
  await page.reload()
  await page.getByText(/^Unsaved changes from/).waitFor()
  await waitForPoints(page, 3)
  await page.getByRole('button', { name: 'Discard' }).click()
  await waitForPoints(page, 0)
  assert.deepEqual(pageErrors, [])
})

void test('every key of the editor on the shortcut sheet works', async (t) => {
  const scene = await openRoutes(t)
  if (!scene) return
  const { page, site, pageErrors } = scene
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
  await page.getByRole('heading', { name: 'Simplify line' }).waitFor()
  await page.getByText(/of 60 points/).waitFor()
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
  assert.deepEqual(pageErrors, [])
})
