// /routes in a real browser: the list of public routes, its filters in the URL, its map, and everything without scripts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findingsInEveryLook, sidewaysScroll } from './harness.ts'
import { openRoutes, waitForMap } from './routes-scene.ts'
import { waitForCount } from './upload-scene.ts'
import { gpxOf, json, type Point } from '../account-routes/v2-helpers.ts'
import { addListed, compareWithTrails, putTrail } from '../account-routes/public-list/list-helpers.ts'

const along = (lat: number, count: number): Point[] =>
  Array.from({ length: count }, (_, at) => [lat, Number((7 + at * 0.001).toFixed(3)), 500 + at * 10])

void test('/routes: cards and map of public routes, filters, more, on a phone, and without a script', async (t) => {
  const scene = await openRoutes(t)
  if (!scene) return
  const { page, site, member, pageErrors } = scene
  const { waymark } = site
  const admin = await waymark.addPerson({ role: 'admin' })
  await putTrail(waymark, admin, 'POST', { trailID: 4711, name: 'Rim Trail', points: along(46, 40) })
  for (let nth = 1; nth <= 30; nth += 1) {
    const [lat, count] = nth === 1 ? [46, 30] : [50 + nth / 10, 100 + nth]
    await addListed(waymark, member, { name: `Walk ${nth}`, gpx: gpxOf([along(lat, count)]) })
  }
  await compareWithTrails(waymark)
  await waymark.fetch(`/v2/accounts/${member.accountId}/routes`, {
    method: 'POST',
    token: member.token,
    headers: json,
    body: JSON.stringify({ name: 'Secret walk' }),
  })

  const list = page.getByRole('region', { name: 'Public routes' })
  const cards = list.getByRole('listitem')
  await page.goto(`${site.url}/routes`)
  await page.getByRole('heading', { level: 1, name: 'Routes' }).waitFor()
  await waitForMap(page)
  assert.equal(await cards.count(), 24)
  assert.equal(await page.getByText('Secret walk').count(), 0)
  await page.getByRole('link', { name: 'Show more' }).click()
  await list.getByText('Walk 1', { exact: true }).waitFor()
  await waitForCount(cards, 30, 'all')

  // Filters are in the URL; Back steps through them.
  await page.getByLabel('Distance').selectOption({ label: 'Up to 3 mi' })
  await page.waitForURL(/distance=-3/)
  // It was in the list before, too.
  await waitForCount(cards, 1, 'short ones')
  await list.getByText('Walk 1', { exact: true }).waitFor()
  await page.goBack()
  await list.getByText('Walk 30').waitFor()
  await page.getByLabel('Near a trail').fill('Rim Trail')
  await page.getByLabel('Near a trail').press('Enter')
  await page.getByText('Routes that use Rim Trail').waitFor()
  await waitForCount(cards, 1, 'that use it')
  await page.getByLabel('Search routes').fill('nothing has this')
  await page.getByRole('heading', { name: 'No matching routes' }).waitFor()
  await page.getByRole('link', { name: 'Show all routes' }).click()
  await list.getByText('Walk 30').waitFor()
  await page.getByRole('link', { name: /Walk 30/ }).click()
  await page.getByRole('heading', { level: 1, name: 'Walk 30' }).waitFor()

  // A member finds their own routes next to it, in the menu as before.
  await page.goto(`${site.url}/routes`)
  await page.getByRole('navigation').getByRole('link', { name: 'My routes' }).click()
  await page.waitForURL(`${site.url}/routes/mine`)
  await page.getByText('Secret walk').waitFor()

  await page.goto(`${site.url}/routes`)
  await waitForMap(page)
  assert.deepEqual(await findingsInEveryLook(page, 'public routes'), [])
  await page.setViewportSize({ width: 390, height: 844 })
  assert.deepEqual(await sidewaysScroll(page), [])
  assert.deepEqual(pageErrors, [])

  const bare = await scene.context.browser()?.newContext({ javaScriptEnabled: false })
  assert.ok(bare)
  const still = await bare.newPage()
  await still.goto(`${site.url}/routes`)
  const links = still.getByRole('region', { name: 'Public routes' }).getByRole('listitem')
  assert.equal(await links.count(), 24)
  await still.getByRole('link', { name: 'Show more' }).click()
  await still.waitForURL(/cursor=/)
  assert.equal(await links.count(), 6)
  await still.getByLabel('Sort by').selectOption('length')
  await still.getByLabel('Search routes').fill('walk 2')
  await still.getByLabel('Search routes').press('Enter')
  await still.waitForURL(/order=length/)
  assert.equal(await links.count(), 11)
  await bare.close()
})
