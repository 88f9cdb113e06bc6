// The first action on an empty route works while the map is loading, which takes seconds over a slow connection, and what
// loads later does not move the map.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askMap } from './map-scene.ts'
import { hold } from './public-scene.ts'
import { mapBox, openRoutes, waitForMap, waitForPoints } from './routes-scene.ts'

void test('drawing can be chosen while the map is still loading, and the map then draws', async (t) => {
  const scene = await openRoutes(t)
  if (!scene) return
  const { page, site, pageErrors } = scene
  const mayCome = Promise.withResolvers<void>()
  await page.route('**/app/maplibre-*.js', async (route) => {
    await mayCome.promise
    await route.continue()
  })
  await page.goto(`${site.url}/routes/new`)
  const choice = page.getByRole('region', { name: 'How do you want to start?' })
  await page.getByText('Loading map…').waitFor()
  await choice.getByRole('button', { name: 'Draw' }).click()
  await choice.waitFor({ state: 'detached' })
  mayCome.resolve()
  await waitForMap(page)
  await page.locator('.maplibregl-canvas').click()
  await page.getByRole('tab', { name: 'Points' }).click()
  await page.locator(`[data-cell='lat 0']`).waitFor()
  assert.deepEqual(pageErrors, [])
})

void test('trails that arrive after the first point do not move the map', async (t) => {
  const scene = await openRoutes(t)
  if (!scene) return
  const { page, site, pageErrors } = scene
  const { waymark } = site
  const { token } = await waymark.addPerson({ name: 'Ada', role: 'admin' })
  const line = {
    type: 'LineString',
    coordinates: [
      [7, 46],
      [7.1, 46.1],
    ],
  }
  const answer = await waymark.fetch('/v2/trails', {
    method: 'POST',
    token,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ trailID: 4711, name: 'Rim Trail', slug: 'rim-trail', geometry: line }),
  })
  assert.equal(answer.status, 201, await answer.text())
  const place = () => askMap(page, `[...map.getCenter().toArray(), map.getZoom()]`)
  const clickAt = async (across: number) => {
    const { x, y, width, height } = await mapBox(page)
    await page.mouse.click(x + width * across, y + height / 2)
  }

  const release = await hold(page, '**/v2/trails?*')
  await page.goto(`${site.url}/routes/new`)
  await waitForMap(page)
  await page.getByRole('button', { name: /^Draw on the map/ }).click()
  await clickAt(0.4)
  await waitForPoints(page, 1)
  const before = await place()
  const late = page.waitForResponse(/\/v2\/trails\?/)
  await release()
  await (await late).finished()
  await clickAt(0.6)
  await waitForPoints(page, 2)
  assert.deepEqual(await place(), before)
  assert.deepEqual(pageErrors, [])
})
