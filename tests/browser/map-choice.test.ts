// Choosing the map as an admin: explanations, immediate effect, and the page's policy.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { archiveOf, protomapsTile, tilesOf } from '../helpers/archives.ts'
import { addSignedIn } from '../helpers/visitor.ts'
import { startOfTime } from '../helpers/waymark.ts'
import { findingsInEveryLook, openBrowser } from './harness.ts'
import { startSite } from './site.ts'

const style = {
  version: 8,
  sources: {
    land: {
      type: 'geojson',
      data: { type: 'Feature', properties: {}, geometry: { type: 'Point', coordinates: [0, 0] } },
      attribution: '© the map makers',
    },
  },
  layers: [
    { id: 'background', type: 'background', paint: { 'background-color': '#dde7dd' } },
    { id: 'land', type: 'circle', source: 'land' },
  ],
}

async function startStyleServer(t: TestContext) {
  let asked = 0
  const server = createServer((_request, response) => {
    asked += 1
    response.writeHead(200, { 'access-control-allow-origin': '*', 'content-type': 'application/json' })
    response.end(JSON.stringify(style))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked: () => asked }
}

void test('an admin chooses a style of their own, a file and none, and sees each', async (t) => {
  const browser = await openBrowser(t, { hasMaps: true })
  if (!browser) return
  const tiles = await startStyleServer(t)
  const site = await startSite(t, { hasApp: true, environment: { WEBHOOK_ALLOW: '127.0.0.1' } })
  const { waymark } = site
  waymark.system.advance(Date.now() - startOfTime)
  const admin = await addSignedIn(waymark, 'admin')
  const { page, context, pageErrors } = await browser.visit({ origins: [site.origin, tiles.origin] })
  await context.addCookies([...admin.jar].map(([name, value]) => ({ name, value, url: site.url })))

  await page.goto(`${site.url}/admin`)
  await page.getByText('No map has been chosen yet').waitFor()
  await page.getByRole('link', { name: 'Choose a map' }).click()
  await page.getByRole('heading', { name: 'Map', exact: true, level: 1 }).waitFor()
  assert.deepEqual(await findingsInEveryLook(page, 'admin map'), [])

  await page.getByRole('radio', { name: 'Online map' }).check()
  await page.getByText('loads the map from OpenFreeMap, which learns their IP address').waitFor()
  await page.getByRole('combobox', { name: 'Style' }).selectOption('Another style')
  await page.getByRole('textbox', { name: 'Style URL' }).fill(`${tiles.origin}/style.json`)
  const seen: string[] = []
  page.on('request', (request) => {
    if (/\/v2\/(?:site|admin\/map)$/.test(request.url())) seen.push(request.method())
  })
  page.on('response', (response) => {
    if (response.request().isNavigationRequest()) seen.push('reloaded')
  })
  await page.getByRole('button', { name: 'Use this map' }).click()
  await page.getByText(`Pages may load from ${new URL(tiles.origin).host}.`).waitFor()
  await page.getByText('© the map makers').waitFor()
  assert.ok(tiles.asked() >= 2, 'by the server, and by the browser')
  // Until it is loaded anew, the page has the policy of the map before: it asks for nothing that it could not draw.
  assert.deepEqual(seen.slice(0, 2), ['PUT', 'reloaded'])

  await mkdir(path.join(waymark.dataDir, 'map'))
  await writeFile(path.join(waymark.dataDir, 'map', 'base.pmtiles'), archiveOf(tilesOf(0, 4, protomapsTile)))
  await page.getByRole('radio', { name: 'Map file on this server' }).check()
  await page.getByRole('button', { name: 'Use this map' }).click()
  await page.getByText('Vector tiles, zoom 0–4').waitFor()
  assert.deepEqual(await findingsInEveryLook(page, 'admin map file'), [])
  await page.getByRole('radio', { name: 'No map' }).check()
  await page.getByRole('button', { name: 'Use this map' }).click()
  await page.getByText('This is the current map.').waitFor()
  assert.deepEqual(pageErrors, [])
})
