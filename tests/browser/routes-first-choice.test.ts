// The first action on an empty route works while the map is loading, which takes seconds over a slow connection.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openRoutes, waitForMap } from './routes-scene.ts'

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
