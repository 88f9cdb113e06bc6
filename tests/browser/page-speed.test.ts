// How soon a page is there over a slow line: requests, bytes and what moves are held to the budget; times on a machine that
// does other things as well are only held to be of the right order. `scripts/measure-pages.ts` prints them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rimTrail, startGallery } from './gallery-scene.ts'
import { openBrowser } from './harness.ts'
import { visitSlowly, type SlowVisit } from './slow-line.ts'

const maxRequests = 15
const maxBytes = 200_000
const maxScriptBytes = 60_000
const maxShift = 0.1
/** On a quiet machine 1.2 s and 2.2 s are the goal. */
const maxFirstPaintMs = 3 * 1_200
const maxLargestPaintMs = 3 * 2_200
/** A machine that is busy for a moment paints late, and by then more has come than the paint needs: another visit is not. */
const maxVisits = 5

const isWithin = (seen: SlowVisit): boolean =>
  seen.requests <= maxRequests &&
  seen.bytes <= maxBytes &&
  seen.scriptBytes <= maxScriptBytes &&
  seen.firstPaintMs <= maxFirstPaintMs &&
  seen.largestPaintMs <= maxLargestPaintMs

void test('a public page is seen before its scripts come, over a slow line', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { origin, url } = await startGallery(t)
  for (const address of ['/', `/t/${rimTrail.slug}`]) {
    for (const widthPx of [412, 1_350]) {
      await t.test(`${address} at ${widthPx} px`, async (t) => {
        // The first visitor of all waits for the page to be made, which is not what is measured.
        await fetch(url + address, { headers: { 'accept-encoding': 'br', 'accept-language': 'en-US' } })
        const visit = async (): Promise<SlowVisit> => {
          const { page, context, troubles } = await browser.visit({ origins: [origin], widthPx })
          const seen = await visitSlowly(page, { address: url + address })
          await context.close()
          t.diagnostic(JSON.stringify(seen))
          assert.ok(seen.shift < maxShift, `moved by ${seen.shift}`)
          assert.deepEqual(troubles, [])
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
