// The route editor on a phone: by touch, with the tools at the bottom.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shoot, sidewaysScroll } from './harness.ts'
import {
  lengthShown,
  mapBox,
  openRoutes,
  waitForMap,
  waitForOtherLength,
  waitForPoints,
} from './routes-scene.ts'

void test('on a phone: points by tapping, dragged by finger, undone at the bottom; nothing wider than the window', async (t) => {
  const scene = await openRoutes(t)
  if (!scene) return
  const { site, page: desktop } = scene
  const context = await desktop
    .context()
    .browser()
    ?.newContext({
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
      reducedMotion: 'reduce',
      storageState: await desktop.context().storageState(),
    })
  assert.ok(context)
  const page = await context.newPage()
  await page.goto(`${site.url}/routes/new`)
  await waitForMap(page)
  await page.getByRole('button', { name: /^Draw on the map/ }).tap()
  // A tap becomes a click a moment after the finger is lifted.
  await page.getByRole('region', { name: 'How do you want to start?' }).waitFor({ state: 'detached' })
  const box = await mapBox(page)
  const at = (across: number, down: number) =>
    [box.x + box.width * across, box.y + box.height * down] as const
  for (const [index, [across, down]] of [
    [0.3, 0.3],
    [0.5, 0.5],
    [0.7, 0.3],
  ].entries()) {
    await page.touchscreen.tap(...at(across ?? 0, down ?? 0))
    await waitForPoints(page, index + 1)
  }
  await page.getByRole('button', { name: /^Undo/ }).tap()
  await waitForPoints(page, 2)
  await page.getByRole('button', { name: /^Redo/ }).tap()
  await waitForPoints(page, 3)

  const length = await lengthShown(page)
  const touch = await context.newCDPSession(page)
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', place?: readonly [number, number]) =>
    touch.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: place ? [{ x: place[0], y: place[1] }] : [],
    })
  await send('touchStart', at(0.5, 0.5))
  await send('touchMove', at(0.52, 0.55))
  await send('touchMove', at(0.55, 0.7))
  await send('touchEnd')
  await waitForOtherLength(page, length)
  await waitForPoints(page, 3)
  await page.getByRole('button', { name: 'Undo: Move a point' }).waitFor()
  await page.screenshot() // once the drag is drawn: two touches at once would be one gesture
  await page.getByRole('button', { name: 'Delete point' }).tap()
  await waitForPoints(page, 2)
  assert.deepEqual(await sidewaysScroll(page), [])
  await shoot(page, 'route editor 390')
  await page.goto(`${site.url}/routes/mine`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  assert.deepEqual(await sidewaysScroll(page), [])
  await context.close()
})
