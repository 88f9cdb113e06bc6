// Input on a server-rendered page takes effect exactly once, at any time from the first paint: before any script, before
// the app, during hydration, and while a chunk is still loading.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { startGallery } from './gallery-scene.ts'
import { evaluate, openBrowser } from './harness.ts'
import { becomeAlive, hold } from './public-scene.ts'
import { until } from './trail-scene.ts'

const taken = [
  '2024-05-20T06:00:00+02:00',
  '2023-08-02T12:00:00+02:00',
  '2024-05-20T07:00:00+02:00',
  '2022-12-31T23:30:00-05:00',
]
const trail = '/t/rim-trail?order=taken&from=2023-08'

async function open(t: TestContext) {
  const browser = await openBrowser(t)
  if (!browser) return undefined
  const { origin, url } = await startGallery(t, taken)
  const { page, pageErrors } = await browser.visit({ origins: [origin] })
  return { page, pageErrors, url }
}

const at = (page: Page): URLSearchParams => new URL(page.url()).searchParams
const toggle = (page: Page) => page.getByRole('button', { name: /^(?:Hide|Show) map$/ })

/** Times just after React starts to listen: immediately, in the next task, in the next frame. */
const moments = ['queueMicrotask', 'setTimeout', 'requestAnimationFrame'] as const

const atListening = (when: (typeof moments)[number], script: string): string =>
  `addEventListener('waymark:listening', () => ${when}(() => { ${script} }))`

/** Pressed twice, it would be unchanged. */
async function isHiddenOnce(page: Page, when: string): Promise<void> {
  await until(async () => at(page).get('map') === 'off', `the map is not hidden: pressed ${when}`)
  await becomeAlive(page)
  // The page follows its address a moment later.
  await toggle(page).and(page.locator('[aria-expanded=false]')).waitFor()
  await page.waitForTimeout(500)
  assert.equal(at(page).get('map'), 'off', when)
  assert.equal(await toggle(page).getAttribute('aria-expanded'), 'false', when)
}

void test('a press counts once: before any script, before the app, and if it is repeated because nothing happened', async (t) => {
  const scene = await open(t)
  if (!scene) return
  const { page, pageErrors, url } = scene
  for (const late of ['**/assets/wake.js*', '**/app/main-*.js', '**/app/gallery-page-*.js']) {
    const release = await hold(page, late)
    await page.goto(url + trail, { waitUntil: 'commit' })
    await toggle(page).click()
    await toggle(page).click()
    assert.equal(at(page).get('map'), null)
    await release()
    await isHiddenOnce(page, `before ${late}`)
  }
  assert.deepEqual(pageErrors, [])
})

void test('a press counts once at the moment in which React attaches its listeners', async (t) => {
  const scene = await open(t)
  if (!scene) return
  const { page, pageErrors, url } = scene
  const press = "document.querySelector('[aria-expanded][data-needs-script]:not([name])').click()"
  for (const when of moments) {
    const visit = await page.context().newPage()
    await visit.addInitScript({ content: atListening(when, press) })
    await visit.goto(url + trail)
    await isHiddenOnce(visit, when)
    await visit.close()
  }
  assert.deepEqual(pageErrors, [])
})

void test('a press on a part of the page whose chunk is still loading counts once it is loaded', async (t) => {
  const scene = await open(t)
  if (!scene) return
  const { page, pageErrors, url } = scene
  const release = await hold(page, '**/app/month-scrubber-*.js')
  await page.goto(url + trail)
  await becomeAlive(page)
  await page.getByRole('button', { name: 'Show all months' }).click()
  await page.waitForTimeout(200)
  assert.equal(at(page).get('from'), '2023-08')
  // The rest of the page does not wait for it.
  await toggle(page).click()
  await isHiddenOnce(page, 'on what is alive')
  await release()
  await until(async () => at(page).get('from') === null, 'the press was lost')
  await until(async () => (await page.locator('[data-image]').count()) === 4, 'not all photos are shown')
  assert.deepEqual(pageErrors, [])
})

void test('at any time, with a slow processor', async (t) => {
  const scene = await open(t)
  if (!scene) return
  const { page, pageErrors, url } = scene
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  for (let ms = 0; ms <= 1_000; ms += 200) {
    await page.goto(url + trail, { waitUntil: 'commit' })
    await toggle(page).waitFor()
    await page.waitForTimeout(ms)
    await toggle(page).click()
    await isHiddenOnce(page, `${ms} ms after the first paint`)
  }
  assert.deepEqual(pageErrors, [])
})

void test('on a page of which only the frame is rendered on the server', async (t) => {
  const scene = await open(t)
  if (!scene) return
  const { page, pageErrors, url } = scene
  for (const [name, opened] of [
    ['Menu', page.getByRole('menu')],
    ['Command palette', page.getByRole('dialog')],
  ] as const) {
    const release = await hold(page, '**/app/main-*.js')
    await page.goto(`${url}/docs`, { waitUntil: 'commit' })
    await page.getByRole('button', { name }).click()
    assert.equal(await opened.count(), 0)
    await release()
    await opened.waitFor()
  }
  assert.deepEqual(pageErrors, [])
})

void test('an order or a view that is chosen early is applied', async (t) => {
  const scene = await open(t)
  if (!scene) return
  const { page, pageErrors, url } = scene
  const choose = `(() => {
    const order = document.querySelector('select[name=order]')
    order.value = 'along'
    order.dispatchEvent(new Event('input', { bubbles: true }))
    order.dispatchEvent(new Event('change', { bubbles: true }))
  })()`
  for (const when of moments) {
    const visit = await page.context().newPage()
    await visit.addInitScript({ content: atListening(when, choose) })
    await visit.goto(url + trail)
    await until(async () => at(visit).get('order') === 'along', `the order is not chosen: ${when}`)
    await becomeAlive(visit)
    const order = visit.locator('select[name=order]')
    await until(async () => (await order.inputValue()) === 'along', `the order is not shown: ${when}`)
    await visit.waitForTimeout(500)
    assert.equal(await order.inputValue(), 'along', when)
    await visit.close()
  }
  const releaseFirst = await hold(page, '**/app/main-*.js')
  await page.goto(url + trail, { waitUntil: 'commit' })
  await page.locator('select[name=order]').selectOption('along')
  assert.equal(at(page).get('order'), 'taken')
  await releaseFirst()
  await until(async () => at(page).get('order') === 'along', 'the order is not chosen: before the app')
  await page.setViewportSize({ width: 390, height: 844 })
  const releaseSecond = await hold(page, '**/app/main-*.js')
  await page.goto(`${url}/`, { waitUntil: 'commit' })
  await page.getByRole('radiogroup', { name: 'List or map' }).getByText('Map').click()
  assert.equal(at(page).get('view'), null)
  await releaseSecond()
  await until(async () => at(page).get('view') === 'map', 'the view is not chosen')
  assert.equal(await evaluate(page, "document.querySelector('input[value=map]').checked"), true)
  assert.deepEqual(pageErrors, [])
})

void test('text that the app puts into a field is not mistaken for typed text', async (t) => {
  const scene = await open(t)
  if (!scene) return
  const { page, pageErrors, url } = scene
  await page.addInitScript({
    content:
      "addEventListener('waymark:listening', () => requestAnimationFrame(() => document.querySelector('main a[href=\"/\"]')?.click()))",
  })
  await page.goto(`${url}/?q=nowhere`)
  await page.locator('main li a').nth(1).waitFor()
  await page.waitForTimeout(1_500)
  assert.equal(at(page).get('q'), null)
  assert.equal(await page.getByRole('searchbox').inputValue(), '')
  assert.deepEqual(pageErrors, [])
})

void test('only the last key counts, if keys were pressed before the app had loaded', async (t) => {
  const scene = await open(t)
  if (!scene) return
  const { page, pageErrors, url } = scene
  const release = await hold(page, '**/app/main-*.js')
  await page.goto(url + trail, { waitUntil: 'domcontentloaded' })
  await page.keyboard.press('x')
  await page.keyboard.press('m')
  assert.equal(at(page).get('map'), null)
  await release()
  await isHiddenOnce(page, 'by key')

  // After a manual navigation, it is dropped.
  const again = await hold(page, '**/app/main-*.js')
  await page.goto(url + trail, { waitUntil: 'domcontentloaded' })
  await page.keyboard.press('m')
  await page.keyboard.press('Control+m')
  await page.keyboard.press('Escape')
  await again()
  await becomeAlive(page)
  await page.waitForTimeout(500)
  assert.equal(at(page).get('map'), null)
  assert.deepEqual(pageErrors, [])
})
