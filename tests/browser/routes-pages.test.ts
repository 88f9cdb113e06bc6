// My routes and the page of a route in a real browser: import, visibility, link, deletion; and axe on all three pages.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { answerOf, axeFindings, findingsInBothColours, shoot, sidewaysScroll } from './harness.ts'
import { acceptDialogs, openRoutes, recordedFile, recordedGpx, waitForMap } from './routes-scene.ts'

void test('My routes: many files at once with a result each, visibility in place, a link that is withdrawn, deleting', async (t) => {
  const scene = await openRoutes(t)
  if (!scene) return
  const { page, site, pageErrors, stored, browser } = scene
  await page.goto(`${site.url}/routes/mine`)
  await page.getByText('No routes yet').waitFor()
  assert.deepEqual(await axeFindings(page), [])
  const choosing = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Import GPX files' }).first().click()
  const broken = { name: 'broken.gpx', mimeType: 'application/gpx+xml', buffer: Buffer.from('<gpx><trk>') }
  await (await choosing).setFiles([recordedFile, { ...recordedFile, name: 'again.gpx' }, broken])
  await page.getByText('2 imported, 1 failed.').waitFor()
  await page.getByText(/^Failed: .*gpx line 1/).waitFor()
  await page
    .getByText(/has the same points/)
    .first()
    .waitFor()
  const menu = page.getByRole('button', { name: 'Who can see Ridge walk: Only me' }).first()
  await menu.click()
  await page.getByRole('menuitemradio', { name: 'Anyone with the link' }).click()
  await page.getByText('Anyone with the link can see it now.').waitFor()
  assert.equal((await stored()).filter(({ visibility }) => visibility === 'link').length, 1)

  // Anyone with the link sees the line and no more; without the token, nothing.
  const linked = (await stored()).find(({ visibility }) => visibility === 'link')
  assert.ok(linked)
  await page.goto(`${site.url}/routes/${linked.routeID}`)
  const snippet = await page.locator('code', { hasText: 'iframe' }).textContent()
  const token = /token=([\w-]+)/.exec(snippet ?? '')?.[1]
  assert.ok(token)
  const visitor = await browser.visit({ origins: [site.origin], expectedStatuses: [401, 403, 404] })
  visitor.context.setDefaultTimeout(40_000)
  await visitor.page.goto(`${site.url}/routes/${linked.routeID}`)
  await visitor.page.getByRole('heading', { name: 'Route not found' }).first().waitFor()
  await visitor.page.goto(`${site.url}/routes/${linked.routeID}?token=${token}`)
  await visitor.page.getByRole('heading', { name: 'Ridge walk' }).waitFor()
  await visitor.page.getByRole('img', { name: /^Elevation/ }).waitFor()
  const downloading = visitor.page.waitForEvent('download')
  await visitor.page.getByRole('link', { name: 'Download GPX' }).click()
  assert.ok(!(await readFile(await (await downloading).path(), 'utf8')).includes('<time>'))
  assert.deepEqual(visitor.pageErrors, [])

  await page.getByRole('button', { name: /^Who can see/ }).click()
  await page.getByRole('menuitemradio', { name: 'Only me' }).click()
  await page.getByRole('button', { name: 'Disable link' }).click()
  await page.getByText('Only you can see it now.').waitFor()
  // The response is slow: the page learns of the deletion from the event stream first.
  await page.route(`**/v2/routes/${linked.routeID}`, async (route) => {
    if (route.request().method() !== 'DELETE') return route.continue()
    const response = await answerOf(route)
    await setTimeout(1_000)
    return route.fulfill({ response })
  })
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await page.waitForURL(`${site.url}/routes/mine`)
  await page.getByText('“Ridge walk” deleted.').waitFor()
  assert.equal((await stored()).length, 1)
  assert.deepEqual(pageErrors, [])
})

void test('axe finds nothing: the editor empty and full, the list, a route, in light and dark', async (t) => {
  const scene = await openRoutes(t)
  if (!scene) return
  const { page, site, member, stored } = scene
  acceptDialogs(page)
  const look = async (name: string): Promise<void> => {
    assert.deepEqual(await findingsInBothColours(page, name), [])
  }
  await page.goto(`${site.url}/routes/new`)
  await waitForMap(page)
  await page.getByRole('heading', { name: 'How do you want to start?' }).waitFor()
  await look('editor empty')
  const gpx = { gpx: recordedGpx, visibility: 'public', description: 'Start early.' }
  await site.waymark.fetch(`/v2/accounts/${member.accountId}/routes`, {
    method: 'POST',
    token: member.token,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(gpx),
  })
  const [route] = await stored()
  await page.goto(`${site.url}/routes/${route?.routeID}/edit`)
  await waitForMap(page)
  await page.getByRole('tab', { name: 'Points' }).click()
  await page.locator('[data-cell="lat 0"]').click()
  await page.getByRole('img', { name: /^Elevation/ }).waitFor()
  await look('editor full')
  await page.getByRole('heading', { level: 1 }).click()
  await page.keyboard.press('s')
  await page.getByText(/of 60 points/).waitFor()
  await look('simplify')
  await page.goto(`${site.url}/routes/mine`)
  await page.locator('main li svg path').first().waitFor()
  await look('list')
  await page.goto(`${site.url}/routes/${route?.routeID}`)
  await waitForMap(page)
  await page.getByRole('img', { name: /^Elevation/ }).waitFor()
  await look('route')
  await page.setViewportSize({ width: 390, height: 844 })
  assert.deepEqual(await sidewaysScroll(page), [])
  await shoot(page, 'route 390')
})
