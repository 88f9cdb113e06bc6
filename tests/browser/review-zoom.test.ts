// The review desk at 200 % zoom: in a small window, the photo has at least half of the height.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { evaluate, openBrowser, shoot, sidewaysScroll } from './harness.ts'
import { openDesk, seen, startDesk } from './review-desk.ts'

/** A window of 1440 × 900 at 200 %. */
const [widthPx, heightPx] = [720, 450]

/** Visible part of the stage: not below the window, and not covered. */
const visibleStage = `(() => {
  const { top, bottom, left, width } = document.querySelector('[data-part=stage]').getBoundingClientRect()
  const isFree = (y) => document.elementFromPoint(left + width / 2, y)?.closest('[data-part=stage]') !== null
  let free = 0
  for (let y = Math.max(0, Math.ceil(top)); y < Math.min(innerHeight, bottom); y += 1) if (isFree(y)) free += 1
  return free
})()`

void test('at 720 × 450 the photo takes at least half of the height, and nothing scrolls sideways', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const desk = await startDesk(t, 3)
  const { page, pageErrors } = await openDesk(browser, desk, { widthPx })
  await page.setViewportSize({ width: widthPx, height: heightPx })
  await seen(page, 'Photo 1')
  await page.locator('[data-size=lg][data-loaded=true]').waitFor()
  await shoot(page, 'review-zoom')
  assert.ok(
    Number(await evaluate(page, visibleStage)) >= heightPx / 2,
    String(await evaluate(page, visibleStage)),
  )
  assert.deepEqual(await sidewaysScroll(page), [])
  assert.deepEqual(pageErrors, [])
})
