// Public pages without scripts: missing content says so, and lists continue by links.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { shadesOf } from '../../src/shared/colours/accent.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { addSignedIn } from '../helpers/visitor.ts'
import { choose, plain } from '../site-settings/branding-helpers.ts'
import { rimTrail } from './gallery-scene.ts'
import { answerOf, axeFindings, evaluate, shoot } from './harness.ts'
import { becomeAlive, open, trail } from './public-scene.ts'

void test('without scripts there is a not-found page, and it is the same for unpublished photos', async (t) => {
  const scene = await open(t)
  if (!scene) return
  const { browser, origin, url, imageIds, pendingId, waymark } = scene
  const { page, context } = await browser.visit({ origins: [origin], hasScripts: false })
  const addresses = ['/t/nothing', `${trail}/${pendingId}`, `${trail}/999999`, '/i/999999', '/routes/999999']
  for (const address of addresses) {
    const answer = await page.goto(url + address)
    assert.equal(answer?.status(), 404, address)
    await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor()
    assert.match(await page.title(), /^Page not found · /)
    assert.equal(await page.locator('[aria-busy]').count(), 0)
    await page.locator('main').getByRole('link', { name: 'Back to trails' }).click()
    await page.waitForURL(`${url}/`)
  }
  await page.goto(`${url}/i/${imageIds[0]}`)
  await page.waitForURL(`**${trail}/${imageIds[0]}`)
  await page.goto(`${url}/trails?q=lake`)
  await page.waitForURL(`${url}/?q=lake`)
  const unknown = await page.goto(`${url}/nothing`)
  assert.equal(unknown?.status(), 404)
  await page.getByRole('link', { name: 'Go to the start page' }).waitFor()
  await context.close()

  // Its submitter and staff see it once the app has started, and a visitor sees the reason.
  const reviewer = await addSignedIn(waymark, 'reviewer')
  const alive = await browser.visit({ origins: [origin] })
  await alive.page.goto(`${url}${trail}/${pendingId}`)
  await alive.page.getByRole('heading', { level: 1, name: 'Photo not available' }).waitFor()
  await alive.context.addCookies([...reviewer.jar].map(([name, value]) => ({ name, value, url })))
  await alive.page.goto(`${url}${trail}/${pendingId}`)
  await alive.page.getByRole('heading', { level: 1, name: 'Not yet looked at' }).waitFor()
})

void test('without scripts there are links to further pages of photos and trails', async (t) => {
  const scene = await open(t)
  if (!scene) return
  const { browser, origin, url, waymark } = scene
  const reviewer = await waymark.addPerson({ role: 'reviewer' })
  for (let seed = 0; seed < 60; seed += 1) {
    const id = await waymark.upload(reviewer, rimTrail.trailID, await jpegPicture({ width: 40 + seed, seed }))
    await waymark.review(reviewer, id, 'approve')
  }
  for (let id = 1; id <= 101; id += 1) await waymark.addTrail(id, `Path ${id}`, `path-${id}`)

  const { page, context } = await browser.visit({ origins: [origin], hasScripts: false })
  for (const [address, items, name, counts] of [
    [trail, '[data-image]', 'More photos', [60, 4]],
    ['/', 'a[href*="/t/"]', 'More trails', [100, 3]],
  ] as const) {
    await page.goto(url + address)
    assert.equal(await page.locator(`main ${items}`).count(), counts[0], address)
    const next = page.getByRole('link', { name })
    assert.equal(await next.getAttribute('rel'), 'next')
    await next.click()
    await page.waitForURL('**?cursor=*')
    assert.equal(await page.locator(`main ${items}`).count(), counts[1], address)
    assert.equal(await next.count(), 0)
    await page.getByRole('link', { name: /^Back to the first/ }).click()
    await page.waitForURL(url + address)
  }
  assert.equal((await page.goto(`${url}${trail}?cursor=invented`))?.status(), 404)
  assert.equal((await page.goto(`${url}/?cursor=invented`))?.status(), 404)
  await context.close()

  const { page: alive, pageErrors } = await browser.visit({ origins: [origin] })
  for (const address of ['/', trail]) {
    await alive.goto(url + address)
    await becomeAlive(alive)
    await alive.getByRole('link', { name: /^More (?:photos|trails)/ }).waitFor({ state: 'detached' })
  }
  await alive.goto(`${url}/`)
  await alive.getByText(/^103 trails/).waitFor()
  assert.deepEqual(pageErrors, [])
})

/** Background and accent colours. */
const colours = (page: Page) =>
  evaluate(
    page,
    `[getComputedStyle(document.body).backgroundColor, ...['--text', '--accent'].map((name) =>
      getComputedStyle(document.documentElement).getPropertyValue(name))].join()`,
  )
const own = {
  light: 'rgb(250, 249, 245),#1c2620,#1d6546',
  dark: 'rgb(19, 25, 22),#e8ebe4,#7fcca3',
} as const
const violet = '#8a2be2'

/** As a browser without scripts parses it, for axe, which is a script. */
async function readWithoutScripts(page: Page, address: string): Promise<void> {
  await page.route(address, async (route) => {
    const response = await answerOf(route)
    const text = await response.text()
    const body = text
      .replaceAll(/<script(?! type="application)[^>]*><\/script>/g, '')
      .replaceAll(/<\/?noscript>/g, '')
    await route.fulfill({ response, body })
  })
  await page.goto(address)
}

void test("without scripts pages follow the system's dark scheme, also with an accent colour, and are light in print", async (t) => {
  const scene = await open(t)
  if (!scene) return
  const { browser, origin, url, addresses, waymark } = scene
  const looked = [...addresses, '/t/nothing']
  const { page } = await browser.visit({ origins: [origin], hasScripts: false })
  const { page: judged } = await browser.visit({ origins: [origin] })
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await judged.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    for (const address of looked) {
      const what = `${address} ${colorScheme}`
      await page.goto(url + address)
      await shoot(page, `without scripts ${what}`)
      assert.equal(await colours(page), own[colorScheme], what)
      await readWithoutScripts(judged, url + address)
      assert.equal(await colours(judged), own[colorScheme], what)
      assert.deepEqual(await axeFindings(judged), [], what)
    }
    await page.emulateMedia({ media: 'print' })
    assert.match(String(await colours(page)), /,#000,/, 'on paper')
    await page.emulateMedia({ media: 'screen' })
  }

  await choose(await addSignedIn(waymark, 'admin'), { ...plain, accent: violet })
  await page.goto(url + trail)
  const { dark, light } = shadesOf(violet)
  assert.equal(
    String(await colours(page))
      .split(',')
      .at(-1),
    dark.accent,
  )
  await page.emulateMedia({ colorScheme: 'light' })
  assert.equal(
    String(await colours(page))
      .split(',')
      .at(-1),
    light.accent,
  )
  await choose(await addSignedIn(waymark, 'admin'), plain)

  // With scripts, the reader's choice counts.
  const { page: alive } = await browser.visit({ origins: [origin] })
  await alive.emulateMedia({ colorScheme: 'dark' })
  await alive.goto(url + trail)
  await becomeAlive(alive)
  assert.equal(await colours(alive), own.dark)
  await evaluate(alive, "localStorage.setItem('mantine-color-scheme-value', 'light')")
  await alive.reload()
  await becomeAlive(alive)
  assert.equal(await colours(alive), own.light)
})
