// The menu at the end of the bar, which is loaded on demand.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowser } from './harness.ts'
import { startSite } from './site.ts'

void test('the menu: by keyboard, with the focus restored; a failed load is tried again', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { origin, url } = await startSite(t, { hasApp: true })
  const { page, pageErrors } = await browser.visit({ origins: [origin] })
  await page.goto(`${url}/docs`)
  // The focus is lost when the app redraws the page.
  await page.locator('main li a').first().waitFor()
  const button = page.getByRole('button', { name: 'Menu', exact: true })
  for (let round = 0; round < 2; round += 1) {
    await button.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).waitFor()
    assert.equal(await button.getAttribute('aria-expanded'), 'true')
    // The menu takes the focus shortly after it appears.
    await page.locator('[role=menu] :focus').waitFor({ state: 'attached' })
    await page.keyboard.press('ArrowDown')
    await page.locator('[role=menuitem]:focus').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('[role=menu]').waitFor({ state: 'detached' })
    await button.and(page.locator(':focus')).waitFor()
  }
  const offline = await browser.visit({ origins: [origin] })
  await offline.page.goto(`${url}/docs`)
  await offline.page.locator('main li a').first().waitFor()
  await offline.context.setOffline(true)
  await offline.page.getByRole('button', { name: 'Menu', exact: true }).click()
  await offline.page.getByText('You are offline.').first().waitFor()
  await offline.context.setOffline(false)
  await offline.page.getByRole('button', { name: 'Menu', exact: true }).click()
  await offline.page.locator('[role=menu]').waitFor()
  assert.deepEqual(pageErrors, [])
})
