// The form in which owners choose what others see of a route: in plain words, and saved.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openRoutes, recordedGpx } from './routes-scene.ts'

void test('a route is made public, and its times are shared with a checkbox; the original can be downloaded', async (t) => {
  const scene = await openRoutes(t)
  if (!scene) return
  const { page, site, member, pageErrors } = scene
  const headers = { 'content-type': 'application/json' }
  const made = await site.waymark.fetch(`/v2/accounts/${member.accountId}/routes`, {
    method: 'POST',
    token: member.token,
    headers,
    body: JSON.stringify({ name: 'Ridge walk', gpx: recordedGpx }),
  })
  const { routeID } = (await made.json()) as { routeID: number }
  const sharesNow = async (): Promise<unknown> =>
    (
      (await (await site.waymark.fetch(`/v2/routes/${routeID}`, { token: member.token })).json()) as {
        shares: unknown
      }
    ).shares
  await page.goto(`${site.url}/routes/${routeID}/edit`)
  const times = page.getByRole('checkbox', { name: 'Times' })
  await page.getByRole('radio', { name: 'Everybody' }).waitFor()
  assert.equal(await times.count(), 0, 'nobody else sees a private route')
  await page.getByRole('radio', { name: 'Everybody' }).check()
  assert.equal(await times.isChecked(), false)
  assert.equal(await page.getByText('They see nothing else from the file').isVisible(), true)
  await times.check()
  await page.getByRole('checkbox', { name: 'Sensor values' }).check()
  await page.getByRole('checkbox', { name: 'Sensor values' }).uncheck()
  await page.keyboard.press('Control+s')
  await page.getByText('Saved.', { exact: true }).waitFor()
  assert.deepEqual(await sharesNow(), ['times'])
  await page.reload()
  await times.waitFor()
  assert.equal(await times.isChecked(), true)

  await page.goto(`${site.url}/routes/${routeID}`)
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download original' }).click()
  const file = await (await downloading).createReadStream()
  const pieces: Buffer[] = []
  for await (const piece of file) pieces.push(piece as Buffer)
  assert.equal(Buffer.concat(pieces).toString('utf8'), recordedGpx)
  assert.deepEqual(pageErrors, [])
})
