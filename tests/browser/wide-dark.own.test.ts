// Public pages and the account's sections in a wide, dark window: other tests use 390 and 1,280 px.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { appPages } from './app-pages.ts'
import { demoIdsFrom, openPage, signInAs } from './demo-browser.ts'
import { startDemo } from './demo-server.ts'
import { axeFindings, openBrowser, shoot, sidewaysScroll } from './harness.ts'

void test('axe finds nothing at 1,440 px in dark, and nothing is wider', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const demo = await startDemo()
  t.after(() => demo.close())
  const { page, pageErrors } = await browser.visit({
    origins: [demo.url],
    colorScheme: 'dark',
    widthPx: 1_440,
  })
  const pages = appPages(await demoIdsFrom(page, demo)).filter(
    ({ as, name }) => as === 'visitor' || name.startsWith('account'),
  )
  assert.ok(pages.length > 20, `${pages.length} pages`)
  const found: string[] = []
  for (const as of ['visitor', 'member'] as const) {
    await signInAs(page, demo, as)
    for (const shown of pages.filter((one) => one.as === as)) {
      await openPage(page, demo, shown)
      assert.equal(await page.locator('html').getAttribute('data-mantine-color-scheme'), 'dark', shown.name)
      await shoot(page, `wide dark ${shown.name}`)
      const findings = [...(await axeFindings(page)), ...(await sidewaysScroll(page))]
      found.push(...findings.map((finding) => `${shown.name}: ${finding}`))
    }
  }
  assert.deepEqual(found, [])
  assert.deepEqual(pageErrors, [])
})
