// The upload page in a real browser: by touch on a phone, and by keyboard.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { shoot, sidewaysScroll } from './harness.ts'
import { filesIn, photo, place, throttleUploads } from './upload-fixtures.ts'
import { inState, open, prepare, row, stored, waitForCount, type Room } from './upload-scene.ts'

const cases: Record<string, (t: TestContext, room: Room) => Promise<void>> = {}

cases['on a phone: chosen, filled in, moved on the map, removed and restored'] = async (t, room) => {
  const opened = await open(room, { widthPx: 390 })
  const { page, pageErrors } = opened
  const files = await filesIn(t, {
    'a.jpg': await photo({ seed: 1, position: place }),
    'b.jpg': await photo({ seed: 2 }),
  })
  await page.locator('input[type=file]').first().setInputFiles(files)
  await waitForCount(inState(page, 'ready'), 2, 'ready')
  await shoot(page, 'upload-phone')
  assert.deepEqual(await sidewaysScroll(page), [])
  await page.getByRole('button', { name: 'Bulk edit' }).click()
  await page.getByRole('dialog').getByLabel('Title').fill('Morning {n}')
  await page.getByRole('button', { name: 'Update 2 photos' }).click()
  assert.equal(await page.getByLabel('Title of b.jpg').inputValue(), 'Morning 2')
  await page.getByRole('button', { name: 'Location and trail of b.jpg' }).click()
  await page.getByRole('button', { name: 'Set location' }).click()
  await page.getByLabel('Latitude').fill('46.6')
  await page.getByLabel('Longitude').fill('190')
  await page.getByRole('button', { name: 'Use this location' }).click()
  await page.getByRole('alert').filter({ hasText: 'Latitude must be between' }).waitFor()
  await page.getByLabel('Longitude').fill('7,3')
  await shoot(page, 'upload-place-phone')
  await page.getByRole('button', { name: 'Use this location' }).click()
  await row(page, 'b.jpg').getByText('46.60000, 7.30000 (set by you)').waitFor()
  await page.getByRole('button', { name: 'Remove a.jpg' }).click()
  await waitForCount(page.getByRole('article'), 1, 'taken out')
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).last().click()
  await waitForCount(page.getByRole('article'), 2, 'taken back')
  await page.getByRole('button', { name: 'Upload 2 photos' }).click()
  await waitForCount(inState(page, 'done'), 2, 'done')
  const titles = (await stored(opened)).map(({ title, lat }) => [title, lat] as const)
  assert.deepEqual(
    new Map(titles),
    new Map([
      ['Morning 1', place.lat],
      ['Morning 2', 46.6],
    ]),
  )
  assert.deepEqual(pageErrors, [])
}

cases['every key on the shortcut sheet works'] = async (t, room) => {
  const { page, pageErrors } = await open(room)
  const files = { 'a.jpg': await photo({ seed: 1 }), 'b.jpg': await photo({ seed: 2 }) }
  const chooser = async (key: string) =>
    (await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press(key)]))[0]
  await (await chooser('o')).setFiles(await filesIn(t, files))
  await waitForCount(inState(page, 'ready'), 2, 'ready')
  assert.ok((await chooser('Shift+O')).isMultiple())
  const active = page.locator('article[data-active=true]')
  await page.keyboard.press('j')
  assert.equal(await active.getAttribute('aria-label'), 'a.jpg')
  await page.keyboard.press('j')
  assert.equal(await active.getAttribute('aria-label'), 'b.jpg')
  await page.keyboard.press('k')
  assert.equal(await active.getAttribute('aria-label'), 'a.jpg')
  await page.keyboard.press('t')
  await page.keyboard.type('Dawn')
  assert.equal(await page.getByLabel('Title of a.jpg').inputValue(), 'Dawn')
  await page.getByRole('heading', { level: 1 }).click()
  await page.keyboard.press('e')
  await page.getByRole('dialog', { name: 'Location and trail of a.jpg' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.keyboard.press('b')
  await page.getByRole('dialog', { name: 'Bulk edit' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  for (const [key, name] of [
    ['x', 'Place photos from a track'],
    ['l', 'Place photos on the trail'],
  ] as const) {
    await page.keyboard.press(key)
    await page.getByRole('dialog', { name }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  await page.keyboard.press('h')
  await page.getByText('Your location is blocked for this site.').waitFor()
  await page.keyboard.press('Delete')
  await waitForCount(page.getByRole('article'), 1, 'taken out')
  await page.getByRole('button', { name: 'Undo' }).click()
  await waitForCount(page.getByRole('article'), 2, 'taken back')
  const release = await throttleUploads(page, 5_000)
  await page.keyboard.press('Control+Enter')
  await waitForCount(inState(page, 'sending'), 2, 'sending')
  await page.keyboard.press('p')
  await waitForCount(inState(page, 'paused'), 2, 'paused')
  await release()
  await page.keyboard.press('p')
  await waitForCount(inState(page, 'done'), 2, 'done')
  // Every key in the help has been pressed here.
  await page.keyboard.press('?')
  await page.getByRole('dialog').waitFor()
  const entries = await page.locator('[data-shortcut]').all()
  const pressed = ['o', 'Shift+O', 'Mod+Enter', 'p', 'b', 'j', 'k', 't', 'e', 'x', 'l', 'h', 'Delete']
  const listed = await Promise.all(entries.map((entry) => entry.getAttribute('data-shortcut')))
  const elsewhere = listed.filter((keys) => keys !== null && !/^g |^[?/]$|^Mod\+K$/.test(keys))
  assert.deepEqual(new Set(elsewhere), new Set(pressed))
  assert.deepEqual(pageErrors, [])
}

void test('the upload page, by hand', async (t) => {
  const room = await prepare(t)
  if (!room) return
  for (const [name, run] of Object.entries(cases)) await t.test(name, (one) => run(one, room))
})
