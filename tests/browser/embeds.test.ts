// Embeds in a frame of another site, in a real browser: visible in light and dark, without scripts, and without leaks.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { jpegPicture } from '../helpers/pictures.ts'
import { axeFindings, openBrowser, shoot, sidewaysScroll } from './harness.ts'
import { startSite } from './site.ts'

const gpx = `<gpx version="1.1" creator="t" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>${[
  0, 1, 2, 3,
]
  .map((step) => `<trkpt lat="${46 + (step % 2) / 10}" lon="${7 + step / 10}"/>`)
  .join('')}</trkseg></trk></gpx>`

void test('embeds work in a frame of another site: axe finds nothing, light and dark', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { origin, url, waymark } = await startSite(t)
  await waymark.addTrail(7, 'Rim Trail', 'rim')
  const ana = await waymark.addPerson({ role: 'reviewer', name: 'Ana' })
  const photos: number[] = []
  for (let width = 300; width < 310; width += 1) {
    photos.push(await waymark.upload(ana, 7, await jpegPicture({ width, height: 200 })))
    await waymark.review(ana, photos.at(-1) ?? 0, 'approve')
  }
  const made = await waymark.fetch(`/v2/accounts/${ana.accountId}/routes`, {
    method: 'POST',
    token: ana.token,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Over the pass', gpx, visibility: 'public' }),
  })
  const { routeID } = (await made.json()) as { routeID: number }
  /** Path to number of pictures. */
  const embeds = [
    [`images/${photos[0]}`, 1],
    ['t/rim', 9],
    [`routes/${routeID}`, 0],
    ['images/1', 0],
  ] as const

  const blog = createServer((request, response) => {
    const embed = decodeURIComponent((request.url ?? '').slice(1))
    response.setHeader('Content-Type', 'text/html')
    response.end(
      `<!doctype html><title>Blog</title><iframe title="Embed" sandbox="allow-popups" width="360" height="400" src="${url}/embed/${embed}"></iframe>`,
    )
  }).listen(0, '127.0.0.1')
  await once(blog, 'listening')
  t.after(() => blog.close())
  const blogOrigin = `http://127.0.0.1:${(blog.address() as AddressInfo).port}`

  for (const colorScheme of ['light', 'dark'] as const)
    for (const [embed, images] of embeds) {
      const { page, context, pageErrors } = await browser.visit({
        origins: [origin, blogOrigin],
        colorScheme,
        widthPx: 390,
        expectedStatuses: [404],
      })
      let loaded = 0
      page.on('response', (answer) => (loaded += answer.url().includes('/ImageHandler') ? 1 : 0))
      await page.goto(`${url}/embed/${embed}`)
      assert.equal(loaded, images, embed)
      assert.deepEqual(await axeFindings(page), [], embed)
      assert.deepEqual(await sidewaysScroll(page), [], embed)
      await shoot(page, `embed ${embed} ${colorScheme}`)
      if (colorScheme === 'light') {
        await page.goto(`${blogOrigin}/${encodeURIComponent(embed)}`)
        await page.frameLocator('iframe').getByRole('heading', { level: 1 }).waitFor()
      }
      assert.deepEqual(
        pageErrors.filter((pageError) => !pageError.includes('favicon.ico')),
        [],
        embed,
      )
      await context.close()
    }
})
