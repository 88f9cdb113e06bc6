// Appearance and keys of the review desk: axe in light and dark, with data and empty, a phone, every key.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { sendJson } from '../helpers/review-desk.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { evaluate, findingsInBothColours, openBrowser, sidewaysScroll } from './harness.ts'
import {
  describe,
  openDesk,
  said,
  seen,
  startDesk,
  stateOf,
  trailId,
  until,
  type TestDesk,
} from './review-desk.ts'

async function judge(page: Page, name: string): Promise<void> {
  assert.deepEqual(await findingsInBothColours(page, `review ${name}`), [])
  assert.deepEqual(await sidewaysScroll(page), [], name)
}

/** A photo with every flag: edited, reported, far from its trail, and sent twice. */
async function furnish(desk: TestDesk): Promise<void> {
  const { waymark, ana, sue } = desk
  const admin = await waymark.addPerson({ name: 'Rowan', role: 'admin' })
  const coordinates = [
    [8, 47],
    [8.02, 47.01],
  ]
  const trail = {
    name: 'Heron Lake Loop',
    slug: 'heron-lake-loop',
    geometry: { type: 'LineString', coordinates },
  }
  const put = await sendJson(waymark, 'PUT', `/v2/trails/${trailId}`, { body: trail, person: admin })
  assert.equal(put.status, 200, await put.text())
  const picture = await jpegPicture({ width: 900, height: 600 })
  const id = await waymark.upload(ana, trailId, picture)
  const bert = await waymark.addPerson({ name: 'Bert' })
  await waymark.upload(bert, trailId, picture)
  await describe(waymark, ana, id, { title: 'At the jetty', caption: 'Seen from the path.' })
  await waymark.review(sue, id, 'approve')
  await describe(waymark, ana, id, { caption: `Seen from the old path. ${'Gratwanderung'.repeat(12)}` })
  const place = await sendJson(waymark, 'PATCH', `/v2/images/${id}`, {
    body: { lat: 47.03, lon: 8 },
    person: ana,
  })
  assert.equal(place.status, 200, await place.text())
  const body = { reason: 'copyright', note: 'Mine, from last year.' }
  await sendJson(waymark, 'POST', `/v2/images/${id}/reports`, { body })
}

/** Everything that opens on the desk. */
async function judgeAll(page: Page, url: string, name: string): Promise<void> {
  await page.goto(`${url}/review?show=reported`)
  await seen(page, 'At the jetty')
  await page.locator('[data-size=lg][data-loaded=true]').waitFor()
  await page.keyboard.press('h')
  await said(page, 'Uploaded')
  await judge(page, `${name}-full`)
  await page.keyboard.press('c')
  await page.getByRole('dialog').getByText('Other photo', { exact: true }).waitFor()
  await judge(page, `${name}-compare`)
  await page.keyboard.press('Escape')
  await page.keyboard.press('x')
  await said(page, 'Reason for unpublishing')
  await judge(page, `${name}-reasons`)
  await page.keyboard.press('Escape')
  await page.keyboard.press('e')
  await page.getByLabel('Title', { exact: true }).waitFor()
  await judge(page, `${name}-edit`)
  await page.goto(`${url}/review?show=pending`)
  await seen(page, 'Photo 1')
  await page.keyboard.press('Space')
  await page.keyboard.press('z')
  await said(page, '1 selected')
  await judge(page, `${name}-selected`)
  await page.goto(`${url}/review?show=removed`)
  await said(page, 'No photo matches these filters.')
  await judge(page, `${name}-empty`)
}

void test('axe finds nothing and nothing scrolls sideways, light and dark, wide and on a phone', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const desk = await startDesk(t, 3)
  await furnish(desk)
  for (const widthPx of [1_280, 390]) {
    const { page, context, pageErrors } = await openDesk(browser, desk, { widthPx })
    await judgeAll(page, desk.site.url, String(widthPx))
    assert.deepEqual(pageErrors, [])
    await context.close()
  }
})

/** How far the number of waiting photos is out of the window, as if many were waiting. */
const findCountOutside = `(() => {
  const text = [...document.querySelectorAll('header nav a[href$="/review"] [aria-hidden]:not(svg)')].at(-1)
  text.textContent = '99+'
  return Math.max(0, Math.round(text.parentElement.getBoundingClientRect().right - innerWidth))
})()`

void test('the number of waiting photos is within the window of a phone, however many wait', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const desk = await startDesk(t, 3)
  const { page, pageErrors } = await openDesk(browser, desk, { widthPx: 390 })
  await seen(page, 'Photo 1')
  await page.locator('header nav').getByText('3', { exact: true }).waitFor()
  for (const width of [320, 360, 390, 430]) {
    await page.setViewportSize({ width, height: 800 })
    assert.equal(await evaluate(page, findCountOutside), 0, `${width}`)
  }
  assert.deepEqual(pageErrors, [])
})

void test('all reviewed: a kind word and the number of decisions, light and dark', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const desk = await startDesk(t, 1)
  const { page, pageErrors } = await openDesk(browser, desk)
  await seen(page, 'Photo 1')
  await page.keyboard.press('a')
  await said(page, 'This session: 1 approved.')
  await said(page, 'All reviewed')
  await judge(page, 'done')
  assert.deepEqual(pageErrors, [])
})

/** A swipe, as browser events. */
const swipe = (fromX: number, toX: number) => `(() => {
  const at = document.querySelector('[data-zoomed]')
  const tell = (type, clientX) => at.dispatchEvent(new PointerEvent(type, {
    bubbles: true, pointerType: 'touch', pointerId: 7, button: 0, clientX, clientY: 300,
  }))
  tell('pointerdown', ${fromX}); tell('pointermove', ${toX}); tell('pointerup', ${toX})
})()`

void test('on a phone a swipe moves on and back and decides nothing; the buttons at the bottom decide', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const desk = await startDesk(t, 3)
  const { page, pageErrors } = await openDesk(browser, desk, { widthPx: 390 })
  await seen(page, 'Photo 1')
  await evaluate(page, swipe(300, 80))
  await seen(page, 'Photo 2')
  await evaluate(page, swipe(80, 300))
  await seen(page, 'Photo 1')
  const { items } = (await (
    await desk.waymark.fetch('/v2/review/queue', { token: desk.sue.token })
  ).json()) as { items: readonly object[] }
  assert.equal(items.length, 3)
  const button = page.getByRole('button', { name: 'Approve', exact: true })
  const box = await button.boundingBox()
  assert.ok(box && box.height >= 44 && box.y > 600, JSON.stringify(box))
  await button.click()
  await seen(page, 'Photo 2')
  const [one = 0] = desk.ids
  await until('approved', async () => (await stateOf(desk.waymark, desk.sue, one)).status === 'approved')
  assert.deepEqual(pageErrors, [])
})

/** The visible effect of each key, in the order pressed, on four photos. */
const effects: readonly (readonly [string, (page: Page) => Promise<void>])[] = [
  ['a', (page) => seen(page, 'Photo 2')],
  [
    'r',
    async (page) => {
      await said(page, 'Reason for rejecting')
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    },
  ],
  ['x', (page) => said(page, /^Only published photos can be unpublished/)],
  ['o', (page) => said(page, 'It is already in the queue.')],
  ['s', (page) => seen(page, 'Photo 3')],
  ['u', (page) => seen(page, 'Photo 2')],
  ['j', (page) => seen(page, 'Photo 3')],
  ['k', (page) => seen(page, 'Photo 2')],
  [
    'e',
    async (page) => {
      await page.getByLabel('Title', { exact: true }).waitFor()
      await page.keyboard.press('Escape')
      await page.getByLabel('Title', { exact: true }).waitFor({ state: 'detached' })
    },
  ],
  [
    'n',
    async (page) => {
      await page.keyboard.type('a note')
      assert.equal(await page.getByLabel('Note for the history').inputValue(), 'a note')
      await page.keyboard.press('Escape')
    },
  ],
  ['z', (page) => page.locator('[data-zoomed=true]').waitFor()],
  ['Escape', (page) => page.locator('[data-zoomed=false]').waitFor()],
  ['c', (page) => said(page, 'No similar photos.')],
  ['h', (page) => said(page, 'Uploaded')],
  ['d', (page) => said(page, 'No reports on this photo.')],
  ['t', (page) => said(page, 'No one else is reviewing this photo.')],
  ['Space', (page) => said(page, '1 selected')],
  ['Shift+A', (page) => seen(page, 'Photo 3')],
  ['Shift+R', (page) => said(page, /^No photo selected/)],
]

void test('the shortcut sheet lists every key of the desk, and every key that it lists works', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const desk = await startDesk(t, 4)
  const { page, pageErrors } = await openDesk(browser, desk)
  await seen(page, 'Photo 1')
  await page.keyboard.press('?')
  const group = page
    .getByRole('dialog')
    .locator('section', { has: page.getByText('Review', { exact: true }) })
  await group.first().waitFor()
  const rows = await group.first().locator('[data-shortcut]').all()
  const listed = await Promise.all(rows.map(async (row) => (await row.getAttribute('data-shortcut')) ?? ''))
  assert.deepEqual(listed.toSorted(), effects.map(([key]) => key).toSorted())
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  for (const [key, isSeen] of effects) {
    await page.keyboard.press(key)
    await isSeen(page)
  }
  assert.deepEqual(pageErrors, [])
})
