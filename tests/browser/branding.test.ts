// Branding set in the administration and seen on pages: legible for any colour, in light and dark.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openAdmin } from './admin-scene.ts'
import { evaluate, findingsInBothColours, findingsInEveryLook, ownConnection, shoot } from './harness.ts'

const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 100" onload="window.ran = true"><script>window.ran = true</script><rect width="300" height="100" rx="20" fill="#8a2be2"/><image href="https://elsewhere.example/x.png" width="9" height="9"/></svg>`

void test('an admin sets a name, a colour, a footer and a logo, which every page shows at once', async (t) => {
  const scene = await openAdmin(t)
  if (!scene) return
  const { page, site, open, press, pageErrors } = scene
  await open('/branding')
  await page.getByLabel('Name of the site').fill('Ridge & Co')
  await page.getByLabel('Accent colour', { exact: true }).fill('#8a2be')
  await page.getByText('Enter a colour as #').waitFor()
  await page.getByLabel('Accent colour', { exact: true }).fill('#ffd400')
  const preview = page.getByRole('region', { name: 'Preview' })
  assert.match(
    await preview.getByRole('region', { name: 'Light' }).innerText(),
    /the shade #[\da-f]{6} is used/,
  )
  assert.match(await preview.getByRole('region', { name: 'Dark' }).innerText(), /legible here as it is/)
  await page.getByLabel('Footer text').fill('The club of the ridge.')
  await press('Add link')
  await press('Save')
  await page.getByText('Enter a text.').waitFor()
  await page.getByLabel('Text of link 1').fill('Imprint')
  await page.getByLabel('Address of link 1').fill('javascript:alert(1)')
  await press('Save')
  await page.getByText('Enter an address with https').waitFor()
  await page.getByLabel('Address of link 1').fill('/docs')
  await press('Save')
  await page.getByText('Branding saved').waitFor()
  await page.getByRole('banner').getByText('Ridge & Co').waitFor()
  const foot = page.getByRole('contentinfo')
  assert.match(await foot.innerText(), /The club of the ridge\.\s+Imprint/)
  assert.deepEqual(await findingsInEveryLook(page, 'branding'), [])

  const chooser = page.waitForEvent('filechooser')
  await press('Logo: Choose file')
  await (
    await chooser
  ).setFiles({ name: 'logo.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(drawing) })
  await page.getByText('Logo saved').waitFor()
  const logo = page.getByRole('banner').getByRole('img', { name: 'Ridge & Co' })
  await logo.waitFor()
  assert.equal(await evaluate(page, 'window.ran === undefined'), true)
  await shoot(page, 'branding')

  // The server's pages and the app, each reloaded.
  const accent = `getComputedStyle(document.documentElement).getPropertyValue('--accent')`
  for (const path of ['/docs', '/problems', '/']) {
    await page.goto(site.url + path)
    await page.getByRole('banner').getByRole('img', { name: 'Ridge & Co' }).waitFor()
    assert.match(await page.title(), /Ridge & Co$/)
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.reload()
    await page.getByRole('banner').waitFor()
    assert.equal(await evaluate(page, accent), '#ffd400', path)
    await page.emulateMedia({ colorScheme: 'light' })
    await page.reload()
    await page.getByRole('banner').waitFor()
    assert.match(String(await evaluate(page, accent)), /^#(?!1d6546|ffd400)[\da-f]{6}$/, path)
  }
  assert.deepEqual(pageErrors, [])
})

void test('axe finds nothing on pages of any accent colour', async (t) => {
  const scene = await openAdmin(t)
  if (!scene) return
  const { page, site, admin, pageErrors } = scene
  for (const accent of ['#ffd400', '#ff0000', '#00ffff', '#777777', '#ffffff', '#000000', '#0000ff']) {
    const wanted = { name: null, accent, footer: { text: 'Text', links: [{ label: 'Link', url: '/docs' }] } }
    const answer = await page.context().request.put(`${site.url}/v2/admin/branding`, {
      data: wanted,
      headers: { origin: site.origin, 'sec-fetch-site': 'same-origin', ...ownConnection },
    })
    assert.equal(answer.status(), 200)
    for (const path of ['/problems', '/docs', '/admin/branding']) {
      await page.goto(site.url + path)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.getByRole('contentinfo').waitFor()
      assert.deepEqual(await findingsInBothColours(page, `${accent} ${path}`), [])
    }
  }
  assert.ok(admin.accountId)
  assert.deepEqual(pageErrors, [])
})
