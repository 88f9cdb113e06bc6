// The trail field in a real browser: the text shown, the selected trail and the target of photos always agree, however
// fast the user types and however slow the server is.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { findingsInEveryLook, openBrowser, sidewaysScroll } from './harness.ts'
import { filesIn, photo, turnToToday } from './upload-fixtures.ts'
import { startSite } from './site.ts'
import { inState, open, row, waitForCount, type Opened, type Room } from './upload-scene.ts'

const cases: Record<string, (t: TestContext, room: Room) => Promise<void>> = {}

const field = (page: Page): Locator => page.getByRole('combobox', { name: 'Trail', exact: true }).first()
const options = (page: Page): Locator => page.getByRole('option')
const send = (page: Page): Locator => page.getByRole('button', { name: /^Upload \d/ })

async function addPhotos(t: TestContext, page: Page, ...names: readonly string[]): Promise<void> {
  const made = await Promise.all(names.map((_, index) => photo({ seed: index + 1 })))
  const files = Object.fromEntries(names.map((name, index) => [name, made[index] ?? Buffer.of()]))
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles(await filesIn(t, files))
  for (const name of names) await row(page, name).and(inState(page, 'ready')).waitFor()
}

/** The trail of each photo, according to the server. */
async function trailsOf({ site, member }: Pick<Opened, 'site' | 'member'>): Promise<readonly number[]> {
  const { items } = (await (
    await site.waymark.fetch('/v2/images?limit=100', {
      token: await site.waymark.tokenFor(member.accountId, 'images:read'),
    })
  ).json()) as { items: readonly { trailID: number }[] }
  return items.map(({ trailID }) => trailID)
}

/** Holds back searches until released, so that a key can be pressed before the response. */
async function holdSearches(page: Page): Promise<() => void> {
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(/\/v2\/trails\?.*q=/, async (route) => {
    await released
    await route.continue()
  })
  return release
}

cases['with a trail chosen: another name, arrow down, Enter selects the one that the list shows'] = async (
  t,
  room,
) => {
  const opened = await open(room)
  const { page, pageErrors } = opened
  await addPhotos(t, page, 'a.jpg')
  await field(page).click()
  await options(page).first().waitFor()
  await page.keyboard.press('Control+A')
  await page.keyboard.type('canyon', { delay: 20 })
  await waitForCount(options(page), 1, 'only what was typed')
  await page.keyboard.press('ArrowDown')
  const active = await field(page).getAttribute('aria-activedescendant')
  assert.equal(await page.locator(`[id="${active}"]`).textContent(), 'Canyon Loop')
  await page.keyboard.press('Enter')
  assert.equal(await field(page).inputValue(), 'Canyon Loop')
  await page.getByRole('button', { name: 'Upload 1 photo to Canyon Loop' }).click()
  await waitForCount(inState(page, 'done'), 1, 'done')
  assert.deepEqual(await trailsOf(opened), [4712])
  assert.deepEqual(pageErrors, [])
}

cases[
  'a slow server: keys pressed before the response select nothing, and nothing is uploaded in the meantime'
] = async (t, room) => {
  const opened = await open(room)
  const { page } = opened
  await addPhotos(t, page, 'a.jpg')
  const release = await holdSearches(page)
  await field(page).click()
  await options(page).first().waitFor()
  await page.keyboard.press('Control+A')
  await page.keyboard.type('canyon')
  for (const key of ['ArrowDown', 'Enter', 'ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key)
  assert.equal(await options(page).count(), 0, 'what was found for another text is not shown')
  assert.equal(await field(page).inputValue(), 'canyon')
  // By keyboard and mouse: the field does not show the previous trail.
  await page.keyboard.press('Control+Enter')
  await page.getByText('or press Escape to keep Rim Trail').waitFor()
  await send(page).click()
  await page.getByText('or press Escape to keep Rim Trail').waitFor()
  assert.equal(await inState(page, 'ready').count(), 1)
  assert.equal(await field(page).inputValue(), 'canyon')
  release()
  await field(page).focus()
  await field(page).click()
  await waitForCount(options(page), 1, 'found')
  assert.equal(await field(page).inputValue(), 'canyon', 'the answer alone chooses nothing')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await send(page).click()
  await waitForCount(inState(page, 'done'), 1, 'done')
  assert.deepEqual(await trailsOf(opened), [4712])
}

cases['a late response never appears under a newer text'] = async (_t, room) => {
  const { page } = await open(room)
  let lateDone = (): void => undefined
  const late = new Promise<void>((resolve) => {
    lateDone = resolve
  })
  const [sought] = await Promise.all([
    page.waitForRequest(/q=rim/),
    (async () => {
      await page.route(/\/v2\/trails\?.*q=rim/, async (route) => {
        await late
        await route.continue().catch(() => undefined)
      })
      await field(page).fill('rim')
    })(),
  ])
  await field(page).fill('canyon')
  await waitForCount(options(page), 1, 'the newer one')
  lateDone()
  await sought.response().catch(() => null)
  assert.deepEqual(await options(page).allTextContents(), ['Canyon Loop'])
}

cases['Escape and leaving the field restore the chosen trail; clearing it clears the choice'] = async (
  t,
  room,
) => {
  const { page } = await open(room)
  await addPhotos(t, page, 'a.jpg')
  await field(page).fill('can')
  await page.keyboard.press('Escape')
  assert.equal(await field(page).inputValue(), 'Rim Trail')
  assert.equal(await options(page).count(), 0)
  await field(page).fill('can')
  await page.keyboard.press('Tab')
  assert.equal(await field(page).inputValue(), 'Rim Trail')
  await page.getByRole('button', { name: 'Upload 1 photo to Rim Trail' }).waitFor()
  await field(page).fill('')
  await page.keyboard.press('Enter')
  await page.waitForURL((url) => !url.searchParams.has('trail'))
  await page.getByRole('button', { name: 'Upload 1 photo', exact: true }).click()
  await page.getByText('Choose a trail first').waitFor()
  assert.equal(await inState(page, 'ready').count(), 1)
}

cases['two trails with the same name are distinguished, and a photo that has its own trail keeps it'] =
  async (t, room) => {
    const opened = await open(room)
    const { page } = opened
    await addPhotos(t, page, 'a.jpg', 'b.jpg')
    await page.getByRole('button', { name: 'Location and trail of b.jpg' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('combobox').fill('loop trail')
    await waitForCount(options(page), 2, 'both')
    assert.deepEqual(await options(page).allTextContents(), ['Loop Trail', 'Loop Trail (loop-trail-4714)'])
    // Escape closes the list first, and then the dialog.
    await page.keyboard.press('Escape')
    assert.equal(await dialog.getByRole('combobox').inputValue(), 'Rim Trail')
    await dialog.getByRole('combobox').fill('loop trail')
    await waitForCount(options(page), 2, 'both')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    assert.equal(await dialog.getByRole('combobox').inputValue(), 'Loop Trail (loop-trail-4714)')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await field(page).fill('canyon')
    await options(page).getByText('Canyon Loop').click()
    await row(page, 'a.jpg').getByText('Canyon Loop').waitFor()
    await row(page, 'b.jpg').getByText('Loop Trail (loop-trail-4714)').waitFor()
    await page.getByRole('button', { name: 'Upload 2 photos to 2 trails' }).click()
    await waitForCount(inState(page, 'done'), 2, 'done')
    assert.deepEqual(new Set(await trailsOf(opened)), new Set([4712, 4714]))
  }

cases['offline it says so; Enter that ends input-method composition selects nothing'] = async (_t, room) => {
  const { page, context } = await open(room)
  await field(page).fill('canyon')
  await waitForCount(options(page), 1, 'found')
  await page.keyboard.press('ArrowDown')
  await field(page).dispatchEvent('keydown', { key: 'Enter', code: 'Enter', keyCode: 229, isComposing: true })
  assert.equal(await field(page).inputValue(), 'canyon')
  await context.setOffline(true)
  await field(page).fill('loop')
  await page.getByRole('listbox').locator('..').getByText('You are offline').waitFor()
  await context.setOffline(false)
  await waitForCount(options(page), 3, 'found by itself once it is back')
}

cases['by touch on a phone, in both colours'] = async (t, room) => {
  const { page } = await open(room, { widthPx: 390, hasTouch: true })
  await addPhotos(t, page, 'a.jpg')
  await field(page).tap()
  await field(page).fill('loop')
  await waitForCount(options(page), 3, 'found')
  assert.deepEqual(await findingsInEveryLook(page, 'trail-choice'), [])
  await options(page).getByText('Canyon Loop').tap()
  // A tap becomes a click a moment after the finger is lifted.
  await page.getByRole('button', { name: 'Upload 1 photo to Canyon Loop' }).waitFor()
  assert.equal(await field(page).inputValue(), 'Canyon Loop')
  assert.deepEqual(await sidewaysScroll(page), [])
}

void test('the field that selects a trail', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const site = await startSite(t, { hasApp: true })
  turnToToday(site)
  for (const [id, name, slug] of [
    [4711, 'Rim Trail', 'rim-trail'],
    [4712, 'Canyon Loop', 'canyon-loop'],
    [4713, 'Loop Trail', 'loop-trail'],
    [4714, 'Loop Trail', 'loop-trail-4714'],
  ] as const)
    await site.waymark.addTrail(id, name, slug)
  for (const [name, run] of Object.entries(cases)) await t.test(name, (one) => run(one, { browser, site }))
})
