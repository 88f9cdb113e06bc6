// Load time of pages over a slow connection: requests, bytes and layout shifts must be within the budget; times on a
// shared machine need only be of the right order. `scripts/measure-pages.ts` prints them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rimTrail, startGallery } from './gallery-scene.ts'
import { openBrowser } from './harness.ts'
import { visitSlowly, type SlowVisit } from './slow-line.ts'

const maxRequests = 15
const maxBytes = 200_000
const maxScriptBytes = 60_000
const maxShift = 0.1
/** The goals on an idle machine are 1.2 s and 2.2 s. */
const maxFirstPaintMs = 3 * 1_200
const maxLargestPaintMs = 3 * 2_200
/** A busy machine paints late, and has then loaded more than needed, so the visit is repeated. */
const maxVisits = 5

const isWithin = (seen: SlowVisit): boolean =>
  seen.requests <= maxRequests &&
  seen.bytes <= maxBytes &&
  seen.scriptBytes <= maxScriptBytes &&
  seen.firstPaintMs <= maxFirstPaintMs &&
  seen.largestPaintMs <= maxLargestPaintMs

void test('a public page is visible before its scripts arrive, over a slow line', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { origin, url } = await startGallery(t)
  for (const address of ['/', `/t/${rimTrail.slug}`]) {
    for (const widthPx of [412, 1_350]) {
      await t.test(`${address} at ${widthPx} px`, async (t) => {
        // The very first visitor waits for rendering, which is not measured here.
        await fetch(url + address, { headers: { 'accept-encoding': 'br', 'accept-language': 'en-US' } })
        const visit = async (): Promise<SlowVisit> => {
          const { page, context, pageErrors } = await browser.visit({ origins: [origin], widthPx })
          const seen = await visitSlowly(page, { address: url + address })
          await context.close()
          t.diagnostic(JSON.stringify(seen))
          assert.ok(seen.shift < maxShift, `moved by ${seen.shift}`)
          assert.deepEqual(pageErrors, [])
          return seen
        }
        let seen = await visit()
        for (let visits = 1; visits < maxVisits && !isWithin(seen); visits += 1) seen = await visit()
        assert.ok(seen.requests <= maxRequests, `${seen.requests} requests until the largest paint`)
        assert.ok(seen.bytes <= maxBytes, `${seen.bytes} bytes`)
        assert.ok(seen.scriptBytes <= maxScriptBytes, `${seen.scriptBytes} bytes of scripts`)
        assert.ok(seen.firstPaintMs <= maxFirstPaintMs, `first paint after ${seen.firstPaintMs} ms`)
        assert.ok(seen.largestPaintMs <= maxLargestPaintMs, `largest paint after ${seen.largestPaintMs} ms`)
      })
    }
  }
})
