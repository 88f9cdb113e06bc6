// A trail with five thousand photos stays light and responsive while scrolling.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { CDPSession, Page } from 'playwright-core'
import { bumpTrailVersion, findPlaceOnTrail } from '../../src/events/outbox.ts'
import { positionColumns } from '../../src/images/image-table.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import type { Waymark } from '../helpers/waymark.ts'
import { openBrowser } from './harness.ts'
import { startSite, type ServedSite } from './site.ts'

const photos = 5_000
const tilesAllowed = 300
const grownBytesAllowed = 30 * 1024 * 1024
const msAllowed = 200
const trailId = 4711

const shapes = [
  { width: 900, height: 600 },
  { width: 600, height: 900 },
  { width: 800, height: 800 },
  { width: 1_200, height: 500 },
] as const

/** A few real uploads; all others are rows with the same contents. */
async function fill(waymark: Waymark): Promise<void> {
  const ana = await waymark.addPerson({ name: 'Ana' })
  const rob = await waymark.addPerson({ name: 'Rob', role: 'reviewer' })
  const uploaded: number[] = []
  for (const [seed, shape] of shapes.entries()) {
    const imageId = await waymark.upload(ana, trailId, await jpegPicture({ ...shape, seed }))
    assert.equal((await waymark.review(rob, imageId, 'approve')).status, 200)
    uploaded.push(imageId)
  }
  const { database, system } = waymark.installation
  await database.db.transaction().execute(async (tx) => {
    const rows = await tx.selectFrom('image').selectAll().where('id', 'in', uploaded).execute()
    // IDs are random. In some orders of the shapes, the first page is 5.2 % too short an estimate of all of them.
    const patterns = uploaded.map((imageId) => rows.find(({ id }) => id === imageId))
    for (let number = patterns.length; number < photos; number += 1) {
      const pattern = patterns[number % patterns.length]
      assert.ok(pattern)
      const position = { lat: String(46 + (number % 97) / 2_000), lon: String(7 + (number % 89) / 2_000) }
      await bumpTrailVersion(tx, trailId)
      await tx
        .insertInto('image')
        .values({
          ...pattern,
          id: system.newId(),
          seq: (await findPlaceOnTrail(tx, trailId)).seq,
          title: `Photo ${number}`,
          posted_at: pattern.posted_at + number,
          ...(number % 3 === 0 ? positionColumns(undefined) : positionColumns(position)),
        })
        .execute()
    }
  })
}

interface Step {
  readonly tiles: number
  /** Photos that have been in the document so far. */
  readonly seen: number
  readonly heightPx: number
}

const noFrame = 'Chromium has drawn no frame for 30 s'

/** Scrolls by the window's height, or to the last loaded photo, and waits for the next frame. */
const step = `(async () => {
  globalThis.seen ??= new Set()
  if (!document.querySelector('main [class*=Skeleton-root]')) window.scrollBy(0, 800)
  await new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('${noFrame}')), 30_000)
    requestAnimationFrame(() => setTimeout(() => resolve(clearTimeout(late))))
  })
  const tiles = document.querySelectorAll('[data-image]')
  for (const tile of tiles) globalThis.seen.add(tile.dataset.image)
  return { tiles: tiles.length, seen: globalThis.seen.size, heightPx: document.documentElement.scrollHeight }
})()`

/** CPU of the page's main thread, independent of other load. */
async function threadMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics')
  return 1_000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? NaN)
}

async function heapBytes(session: CDPSession): Promise<number> {
  // Twice: objects finalised by the first collection are only freed by the second.
  await session.send('HeapProfiler.collectGarbage')
  await session.send('HeapProfiler.collectGarbage')
  return (await session.send('Runtime.getHeapUsage')).usedSize
}

/** @returns the maximum number of tiles, and the maximum work between two frames, which bounds every task. */
async function scrollThrough(page: Page, session: CDPSession) {
  const first = await page.evaluate<Step>(step)
  let last = first
  let maxTiles = first.tiles
  let maxMs = 0
  for (let spent = await threadMs(session); last.seen < photos;) {
    last = await page.evaluate<Step>(step)
    const now = await threadMs(session)
    maxTiles = Math.max(maxTiles, last.tiles)
    maxMs = Math.max(maxMs, Math.round(now - spent))
    spent = now
  }
  return { maxTiles, maxMs, firstPx: first.heightPx, lastPx: last.heightPx }
}

async function measure(t: TestContext, { origin, url }: ServedSite): Promise<void> {
  // Without a map: software-rendered, each frame with one takes as long as ten of the grid.
  const browser = await openBrowser(t)
  if (!browser) return
  const { page, context, pageErrors } = await browser.visit({ origins: [origin] })
  await page.goto(`${url}/t/rim-trail`)
  // The page first has its first photos in CSS rows; then the app takes over.
  await page.locator('[data-image]').first().waitFor()
  await page.locator('[data-flow]').waitFor({ state: 'detached' })
  const session = await context.newCDPSession(page)
  await session.send('HeapProfiler.enable')
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })

  const before = await heapBytes(session)
  const { maxTiles, maxMs, firstPx, lastPx } = await scrollThrough(page, session).catch(
    async (error: unknown) => {
      if (String(error).includes(noFrame)) await context.browser()?.close()
      throw error
    },
  )
  const grown = (await heapBytes(session)) - before
  t.diagnostic(
    `${maxTiles} tiles, ${(grown / 1024 / 1024).toFixed(1)} MiB more, ${maxMs} ms between two frames, ${firstPx} to ${lastPx} px`,
  )
  assert.ok(maxTiles <= tilesAllowed, `${maxTiles} tiles at once`)
  assert.ok(grown < grownBytesAllowed, `${grown} bytes more`)
  assert.ok(maxMs <= msAllowed, `${maxMs} ms of work between two frames`)
  assert.ok(Math.abs(lastPx - firstPx) / lastPx < 0.05, `the page was ${firstPx} px long and is ${lastPx} px`)
  assert.deepEqual(pageErrors, [])
}

void test('5,000 photos: few tiles, little memory, no long task, a stable scroll bar', async (t) => {
  const site = await startSite(t, { hasApp: true })
  await site.waymark.addTrail(trailId, 'Rim Trail', 'rim-trail')
  await fill(site.waymark)
  try {
    await measure(t, site)
  } catch (error) {
    // Chromium 156 sometimes stops drawing for good while the page is idle: not even a new outline gets a frame. Then
    // nothing was measured.
    if (!String(error).includes(noFrame)) throw error
    t.diagnostic(`${noFrame}; measured in a new one`)
    await measure(t, site)
  }
})
