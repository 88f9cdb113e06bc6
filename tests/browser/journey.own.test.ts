// One journey through everything: a newcomer's photos, a reviewer's keys, a visitor's map, a route, a key, an
// application.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { registerClient } from '../../src/auth/oauth/oauth-clients.ts'
import { challengeOf, newVerifier } from '../helpers/pkce.ts'
import { addMember } from '../helpers/visitor.ts'
import { actionsOn, copiedBy } from './account-scene.ts'
import { startApplication, type TestApplication } from './application.ts'
import { openBrowser, sidewaysScroll } from './harness.ts'
import { mapBox, waitForMap, waitForPoints } from './routes-scene.ts'
import { startSite, type ServedSite } from './site.ts'
import { until } from './trail-scene.ts'
import { dropFiles, enter, filesIn, photo, place, turnToToday } from './upload-fixtures.ts'
import { inState, row, waitForCount } from './upload-scene.ts'

const gpx = `<gpx version="1.1" creator="Watch"><trk><name>Ridge walk</name><trkseg><trkpt lat="46.5" lon="7.2"/><trkpt lat="46.51" lon="7.22"/><trkpt lat="46.53" lon="7.21"/></trkseg></trk></gpx>`

const newcomer = { name: 'Ana Berger', email: 'ana@trails.example', password: 'over the ridge and far away' }

async function signUp(page: Page, site: ServedSite): Promise<void> {
  await page.goto(`${site.url}/sign-up`)
  await page.locator('input[name=name]').fill(newcomer.name)
  await page.locator('input[name=email]').fill(newcomer.email)
  await page.locator('input[name=password]').fill(newcomer.password)
  await page.locator('main button[type=submit]').click()
  await page.getByRole('button', { name: `Menu for ${newcomer.name}` }).waitFor()
}

async function sendThree(t: TestContext, page: Page, site: ServedSite, isPhone: boolean): Promise<void> {
  await page.goto(`${site.url}/upload?trail=rim-trail`)
  await page.getByText('or paste them').waitFor()
  const whole = await photo({ seed: 3 })
  const files = await filesIn(t, {
    'bridge.jpg': await photo({ seed: 1, position: place }),
    'summit.jpg': await photo({ seed: 2, position: { lat: place.lat + 0.01, lon: place.lon } }),
    'cut.jpg': whole.subarray(0, whole.length / 2),
  })
  if (isPhone) await page.locator('input[type=file]').first().setInputFiles(files)
  else await dropFiles(page, files)
  await waitForCount(inState(page, 'ready'), 3, 'ready')
  await page.getByRole('button', { name: 'Upload 3 photos' }).click()
  await waitForCount(inState(page, 'done'), 2, 'done')
  await row(page, 'cut.jpg').getByText('The image is damaged').waitFor()
}

async function drawAndImport(page: Page, site: ServedSite, isPhone: boolean): Promise<void> {
  await page.goto(`${site.url}/routes/new`)
  await waitForMap(page)
  await page.getByRole('button', { name: /^Draw on the map/ }).click()
  for (const [at, [across = 0, down = 0]] of [
    [0.3, 0.4],
    [0.45, 0.6],
    [0.6, 0.4],
  ].entries()) {
    const { x, y, width, height } = await mapBox(page)
    const [toX, toY] = [x + width * across, y + height * down]
    await (isPhone ? page.touchscreen.tap(toX, toY) : page.mouse.click(toX, toY))
    await waitForPoints(page, at + 1)
  }
  await page.keyboard.press('Control+z')
  await waitForPoints(page, 2)
  await page.keyboard.press('Control+Shift+z')
  await waitForPoints(page, 3)
  await page.keyboard.press('Escape')
  await page.getByLabel('Name', { exact: true }).fill('Drawn and walked')
  await page.keyboard.press('Control+s')
  await page.getByText('Saved.', { exact: true }).waitFor()
  await page.waitForURL(/\/routes\/\d+\/edit$/)

  await page.goto(`${site.url}/routes/new`)
  await waitForMap(page)
  const choosing = page.waitForEvent('filechooser')
  await page
    .getByRole('button', { name: /^Import GPX/ })
    .first()
    .click()
  await (
    await choosing
  ).setFiles({ name: 'walk.gpx', mimeType: 'application/gpx+xml', buffer: Buffer.from(gpx) })
  await waitForPoints(page, 3)
  await page.keyboard.press('Control+s')
  await page.getByText('Saved.', { exact: true }).waitFor()
  await page.waitForURL(/\/routes\/\d+\/edit$/)
  await page.getByRole('button', { name: 'Edit line' }).click()
  const downloading = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: 'Download GPX' }).click()
  assert.equal(await readFile(await (await downloading).path(), 'utf8'), gpx)
  await page.reload()
  await waitForMap(page)
  await waitForPoints(page, 3)
  assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Ridge walk')
}

async function makeKey(page: Page, site: ServedSite): Promise<void> {
  const { main, press } = actionsOn(page)
  await page.goto(`${site.url}/account/keys`)
  await press('Create key')
  await main.getByLabel('Name').fill('Our site')
  await main.locator('form').getByRole('button', { name: 'Create key' }).click()
  const key = await copiedBy({ page, press }, 'Copy key')
  const answer = await fetch(`${site.url}/Trails/4711/Images?api_key=${key}`)
  assert.equal(((await answer.json()) as unknown[]).length, 2)
}

async function allowAndTakeBack(
  page: Page,
  site: ServedSite,
  application: TestApplication,
  clientId: string,
) {
  const verifier = newVerifier()
  const asked = {
    client_id: clientId,
    response_type: 'code',
    redirect_uri: application.plainUri,
    scope: 'openid images:read',
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
  }
  await page.goto(`${site.url}/oauth/authorize?${new URLSearchParams(asked).toString()}`)
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.waitForURL(`${application.origin}/**`)
  const answer = await fetch(`${site.url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      client_id: clientId,
      grant_type: 'authorization_code',
      code: application.received.at(-1)?.searchParams.get('code') ?? '',
      redirect_uri: application.plainUri,
      code_verifier: verifier,
    }),
  })
  const { access_token: token } = (await answer.json()) as { access_token: string }
  const statusOf = async () =>
    (await fetch(`${site.url}/v2/me`, { headers: { authorization: `Bearer ${token}` } })).status
  assert.equal(await statusOf(), 200)
  await page.goto(`${site.url}/account/applications`)
  await page.getByRole('button', { name: 'Revoke access: Trail Album' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke access', exact: true }).click()
  await page.getByText('No applications yet').waitFor()
  assert.equal(await statusOf(), 401)
}

async function walk(t: TestContext, widthPx: number): Promise<void> {
  const browser = await openBrowser(t, { hasMaps: true })
  if (!browser) return
  const isPhone = widthPx < 500
  const site = await startSite(t, { hasApp: true, environment: { SIGN_UP: 'open' } })
  turnToToday(site)
  const { waymark } = site
  await waymark.addTrail(4711, 'Rim Trail', 'rim-trail')
  const publisher = await addMember(waymark)
  let clientId = ''
  const application = await startApplication(t, async (redirectUris) => {
    const client = {
      accountId: publisher.accountId,
      name: 'Trail Album',
      isPublic: true,
      redirectUris,
      now: 0,
    }
    ;({ clientId } = await registerClient(waymark.installation.database.db, {
      ...client,
      scope: 'images:read',
    }))
    return { waymarkUrl: site.url, clientId, scope: 'images:read' }
  })
  const origins = [site.origin, application.origin]
  const visit = () => browser.visit({ origins, widthPx, hasTouch: isPhone, expectedStatuses: [422] })

  const { page, pageErrors } = await visit()
  await signUp(page, site)
  await sendThree(t, page, site, isPhone)
  if (isPhone) assert.deepEqual(await sidewaysScroll(page), [])

  const reviewer = await addMember(waymark, 'reviewer')
  const desk = await visit()
  await enter(desk.page, site, '/review', reviewer)
  // The desk shows a decision before the server has it.
  let decided = 0
  desk.page.on('response', (response) => {
    const isDecision =
      response.request().method() === 'POST' && /\/v2\/images\/\d+\/review$/.test(response.url())
    if (isDecision && response.ok()) decided += 1
  })
  for (const left of [2, 1]) {
    // Only then is a photo chosen; its picture may be there before.
    await desk.page.getByText(`1 of ${left}`).first().waitFor()
    await desk.page.locator('main img').first().waitFor()
    await desk.page.keyboard.press('a')
  }
  await desk.page
    .getByText(/All reviewed|The queue is empty/)
    .first()
    .waitFor()
  await until(() => Promise.resolve(decided === 2), 'both decisions have arrived')

  const visitor = await visit()
  await visitor.page.goto(`${site.url}/t/rim-trail`)
  await waitForCount(visitor.page.locator('[data-image] img'), 2, 'in the gallery')
  await waitForMap(visitor.page)
  await page.goto(`${site.url}/photos?status=approved`)
  await waitForCount(page.locator('main img'), 2, 'listed, of the newcomer')

  await drawAndImport(page, site, isPhone)
  await makeKey(page, site)
  await allowAndTakeBack(page, site, application, clientId)
  assert.deepEqual([...pageErrors, ...desk.pageErrors, ...visitor.pageErrors], [])
}

void test('from signing up to revoking an application, on a desktop', (t) => walk(t, 1_280))

void test('the same on a touch screen of 390 pixels', (t) => walk(t, 390))
