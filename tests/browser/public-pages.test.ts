// Server-rendered pages in a browser: complete without scripts, hydrated without a mismatch, and as search engines and
// Lighthouse require.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rimTrail } from './gallery-scene.ts'
import { evaluate } from './harness.ts'
import { becomeAlive, hold, isAlive, open, trail } from './public-scene.ts'
import { until } from './trail-scene.ts'

void test('hydration redraws nothing on the pages, in either language and colour scheme', async (t) => {
  const scene = await open(t)
  if (!scene) return
  const { browser, origin, url, addresses } = scene
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const language of ['en', 'de']) {
      const { page, context, pageErrors } = await browser.visit({ origins: [origin], colorScheme })
      await context.addCookies([{ name: 'waymark_language', value: language, url }])
      for (const address of addresses) {
        await page.goto(url + address)
        await evaluate(page, "void (window.before = document.querySelector('h1'))")
        await becomeAlive(page)
        assert.equal(await evaluate(page, 'window.before?.isConnected'), true, address)
        assert.equal(await page.locator('html').getAttribute('lang'), language)
      }
      assert.deepEqual(pageErrors, [], `${colorScheme}, ${language}`)
      await context.close()
    }
  }
})

void test('without scripts a trail can be found, read, viewed and followed', async (t) => {
  const scene = await open(t)
  if (!scene) return
  const { browser, origin, url, imageIds } = scene
  const { page, pageErrors } = await browser.visit({ origins: [origin], hasScripts: false })
  await page.goto(`${url}/`)
  await page.getByRole('link', { name: /Rim Trail/ }).click()
  await page.waitForURL(`**${trail}`)
  await page.getByRole('heading', { level: 1, name: rimTrail.name }).waitFor()
  const photos = page.locator('[data-image]')
  assert.equal(await photos.count(), imageIds.length)
  for (const photo of await photos.all()) {
    const box = await photo.boundingBox()
    assert.ok((box?.width ?? 0) > 100 && (box?.height ?? 0) > 100, JSON.stringify(box))
  }
  const isFirstShown = () =>
    page
      .locator('[data-image] img')
      .first()
      .evaluate((image) => {
        const { complete, naturalWidth } = image as unknown as { complete: boolean; naturalWidth: number }
        return complete && naturalWidth > 0
      })
  await until(isFirstShown, 'the first photo is shown')
  await page.locator('[data-image]').first().click()
  await page.waitForURL(`**${trail}/${imageIds[0]}**`)
  assert.equal(await page.locator('h1').count(), 1)
  assert.deepEqual(pageErrors, [])
})

void test('without scripts no control is shown that needs one, and the search works', async (t) => {
  const scene = await open(t)
  if (!scene) return
  const { browser, origin, url, addresses } = scene
  const { page, pageErrors } = await browser.visit({ origins: [origin], hasScripts: false })
  for (const address of [...addresses, '/routes']) {
    await page.goto(url + address)
    const dead = page.locator(
      'button:not([type=submit]):visible, [role=button]:visible, [role=radiogroup]:visible',
    )
    assert.deepEqual(await dead.allInnerTexts(), [], address)
    await page.getByRole('link', { name: 'Sign in' }).waitFor()
  }
  await page.goto(`${url}/`)
  await page.getByRole('searchbox').fill('nothing of that name')
  await page.getByRole('searchbox').press('Enter')
  await page.waitForURL('**/?q=nothing+of+that+name')
  await page.getByRole('link', { name: 'Show all trails' }).click()
  await page.getByRole('link', { name: /Rim Trail/ }).waitFor()
  assert.deepEqual(pageErrors, [])
})

/** The app itself, which loads late over a slow connection. */
const appFiles = '**/app/main-*.js'

void test('presses before the app has loaded take effect once it has', async (t) => {
  const scene = await open(t)
  if (!scene) return
  const { browser, origin, url } = scene
  const { page, pageErrors } = await browser.visit({ origins: [origin] })
  const release = await hold(page, appFiles)
  await page.goto(url + trail, { waitUntil: 'commit' })
  await page.getByRole('button', { name: 'Embed' }).click()
  assert.equal(await evaluate(page, isAlive), false)
  await release()
  await page.getByRole('dialog').waitFor()
  assert.deepEqual(pageErrors, [])
})

void test('text and choices before the app has loaded are kept once it has', async (t) => {
  const scene = await open(t)
  if (!scene) return
  const { browser, origin, url } = scene
  const { page, pageErrors } = await browser.visit({ origins: [origin] })
  const releaseFirst = await hold(page, appFiles)
  await page.goto(`${url}/`, { waitUntil: 'commit' })
  await page.getByRole('searchbox').fill('lake')
  assert.equal(await evaluate(page, isAlive), false)
  await releaseFirst()
  await page.waitForURL(({ search }) => search === '?q=lake')
  assert.equal(await page.getByRole('searchbox').inputValue(), 'lake')
  await page.getByRole('link', { name: /Rim Trail/ }).waitFor({ state: 'detached' })

  const releaseSecond = await hold(page, appFiles)
  await page.goto(`${url}/routes`, { waitUntil: 'commit' })
  await page.locator('input[name=near]').fill('Rim Trail')
  await page.locator('input[name=near]').blur()
  await page.locator('select[name=order]').selectOption('length')
  assert.equal(await evaluate(page, isAlive), false)
  await releaseSecond()
  await page.waitForURL(
    (address) => address.search.includes('near=') && address.search.includes('order=length'),
  )
  assert.equal(await page.locator('input[name=near]').inputValue(), 'Rim Trail')
  assert.equal(await page.locator('select[name=order]').inputValue(), 'length')

  assert.deepEqual(pageErrors, [])
})

void test('signed-in people see their own menu once the page is hydrated', async (t) => {
  const scene = await open(t)
  if (!scene) return
  const { browser, origin, url, waymark } = scene
  const { addSignedIn } = await import('../helpers/visitor.ts')
  const member = await addSignedIn(waymark)
  const { page, context, pageErrors } = await browser.visit({ origins: [origin] })
  await context.addCookies([...member.jar].map(([name, value]) => ({ name, value, url })))
  await page.goto(url + trail)
  await page.getByRole('button', { name: /^Menu for Member/ }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Sign in' }).count(), 0)
  assert.deepEqual(pageErrors, [])
})

/** Lighthouse's checks of the document; each sentence is a fault. */
const faults = `(() => {
  const found = []
  const content = (selector) => document.querySelector(selector)?.getAttribute('content') ?? ''
  if (document.title.trim() === '') found.push('no title')
  if (document.documentElement.lang === '') found.push('no language')
  if (!content('meta[name=viewport]').includes('width=device-width')) found.push('no viewport')
  const isIndexed = content('meta[name=robots]') === ''
  if (isIndexed && content('meta[name=description]') === '') found.push('no description')
  if (isIndexed && !document.querySelector('link[rel=canonical]')?.href) found.push('no canonical address')
  if (document.querySelectorAll('h1').length !== 1) found.push('not one h1')
  for (const image of document.images) {
    if (!image.hasAttribute('alt')) found.push('no alt: ' + image.outerHTML)
    const isSized = image.style.width !== '' || (image.hasAttribute('width') && image.hasAttribute('height'))
    if (!isSized) found.push('no size: ' + image.outerHTML)
    const { width } = image.getBoundingClientRect()
    const needed = width * devicePixelRatio
    if (image.complete && needed > 0 && image.naturalWidth > Math.max(640, needed * 2.5))
      found.push('larger than needed: ' + image.currentSrc + ' at ' + width)
  }
  for (const link of document.querySelectorAll('a'))
    if (!link.hasAttribute('href')) found.push('not to be followed: ' + link.outerHTML)
  for (const target of document.querySelectorAll('a, button, select, input')) {
    const { width, height } = target.getBoundingClientRect()
    const isInText = target.matches('p a, dd a, li > a')
    if (width > 0 && height > 0 && !isInText && (width < 24 || height < 24))
      found.push('hard to hit: ' + Math.round(width) + ' × ' + Math.round(height) + ' ' + target.outerHTML.slice(0, 120))
  }
  return found
})()`

void test("the pages meet Lighthouse's criteria, on a phone and on a desktop", async (t) => {
  const scene = await open(t)
  if (!scene) return
  const { browser, origin, url, addresses } = scene
  for (const widthPx of [390, 1_280]) {
    const { page, pageErrors } = await browser.visit({ origins: [origin], widthPx })
    for (const address of addresses) {
      const answer = await page.goto(url + address)
      assert.match(answer?.headers()['content-encoding'] ?? '', /^(?:br|gzip|zstd)$/, address)
      await becomeAlive(page)
      assert.deepEqual(await evaluate(page, faults), [], `${address} at ${widthPx} px`)
    }
    assert.deepEqual(pageErrors, [])
  }
})
