// Sign-in and consent in Chromium for an application at another origin, with the real Content-Security-Policy (issue 4).
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import * as oidc from 'openid-client'
import { registerClient } from '../../src/auth/oauth/oauth-clients.ts'
import { requestOf } from '../helpers/oauth-site.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { addMember } from '../helpers/visitor.ts'
import { startApplication } from './application.ts'
import { openBrowser } from './harness.ts'
import { startSite } from './site.ts'

const scope = 'images:read images:write'

async function startBoth(t: TestContext, mountPath = '') {
  const site = await startSite(t, { mountPath })
  const { waymark, url } = site
  const { accountId } = await waymark.addPerson({ name: 'Gallery Makers' })
  let clientId = ''
  const application = await startApplication(t, async (redirectUris) => {
    const client = {
      accountId,
      name: 'Gallery',
      scope,
      now: waymark.system.now(),
      isPublic: true,
      redirectUris,
    }
    ;({ clientId } = await registerClient(waymark.installation.database.db, client))
    return { waymarkUrl: url, clientId, scope }
  })
  const execute = [oidc.allowInsecureRequests]
  const library = () => oidc.discovery(new URL(url), clientId, {}, oidc.None(), { execute })
  return { ...site, application, library }
}

for (const mountPath of ['', '/photos']) {
  void test(`Chromium: sign-in, consent, tokens and the API from a page of another origin, below "${mountPath}"`, async (t) => {
    const browser = await openBrowser(t)
    if (!browser) return
    const { origin, url, application, waymark } = await startBoth(t, mountPath)
    const member = await addMember(waymark)
    await waymark.addTrail(7, 'Rim Trail')
    const token = await waymark.tokenFor(member.accountId, scope)
    await waymark.upload(
      { accountId: member.accountId, token },
      7,
      await jpegPicture({ width: 12, height: 9 }),
    )
    const { page, pageErrors } = await browser.visit({
      origins: [origin, application.origin],
      expectedStatuses: [401], // the last call, with the token revoked
    })
    await page.goto(application.origin)
    await page.getByRole('button', { name: 'Sign in with Waymark' }).click()
    await page.getByLabel('Email address').fill(member.email)
    await page.getByLabel('Password').fill(member.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Allow Gallery?' }).waitFor()
    assert.ok(page.url().startsWith(`${url}/oauth/interaction/`))
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.waitForURL(`${application.redirectUri}?*`)
    const output = page.locator('output', { hasText: /\w/ })
    const said = 'token 200 refresh 200 images 200 1 revoked 200 after 401'
    assert.equal(await output.textContent(), said)
    // The second time, no password is requested; an application on this machine asks for consent each time.
    await page.goto(application.origin)
    await page.getByRole('button', { name: 'Sign in with Waymark' }).click()
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.waitForURL(`${application.redirectUri}?*`)
    assert.equal(await output.textContent(), said)
    assert.deepEqual(pageErrors, [])
  })
}

void test('Chromium: refusing returns to the application with the error', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { origin, application, waymark } = await startBoth(t)
  const member = await addMember(waymark)
  const { page, pageErrors } = await browser.visit({ origins: [origin, application.origin] })
  await page.goto(application.origin)
  await page.getByRole('button', { name: 'Sign in with Waymark' }).click()
  await page.getByLabel('Email address').fill(member.email)
  await page.getByLabel('Password').fill(member.password)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Deny' }).click()
  await page.waitForURL(`${application.redirectUri}?*`)
  assert.equal(await page.locator('output', { hasText: /\w/ }).textContent(), 'refused: access_denied')
  assert.deepEqual(pageErrors, [])
})

void test('Chromium without scripts: sign-in after a typing mistake, consent, and the code reaches the application', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { origin, application, library, waymark } = await startBoth(t)
  const member = await addMember(waymark)
  const { page, pageErrors } = await browser.visit({
    origins: [origin, application.origin],
    hasScripts: false,
    expectedStatuses: [403],
  })
  const client = await library()
  const { address, checks } = await requestOf(client, { redirect_uri: application.plainUri })
  await page.goto(address.href)
  await page.getByLabel('Email address').fill(member.email)
  await page.getByLabel('Password').fill('a slip')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('Incorrect email address or password.').waitFor()
  assert.equal(await page.getByLabel('Email address').inputValue(), member.email)
  await page.getByLabel('Password').fill(member.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.waitForURL(`${application.plainUri}?*`)
  assert.equal(application.received.length, 1)
  const tokens = await oidc.authorizationCodeGrant(client, new URL(page.url()), checks)
  assert.equal(tokens.claims()?.sub, String(member.accountId))
  assert.deepEqual(pageErrors, [])
})

void test('Chromium: an application may receive the code by form_post, without a script of ours', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { origin, application, library, waymark } = await startBoth(t)
  const member = await addMember(waymark)
  const client = await library()
  const { page, pageErrors } = await browser.visit({ origins: [origin, application.origin] })
  const { address } = await requestOf(client, {
    redirect_uri: application.plainUri,
    response_mode: 'form_post',
  })
  await page.goto(address.href)
  await page.getByLabel('Email address').fill(member.email)
  await page.getByLabel('Password').fill(member.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.waitForURL(application.plainUri)
  assert.deepEqual(pageErrors, [])
})

for (const hasScripts of [true, false]) {
  void test(`Chromium: a device is connected on /device, scripts ${hasScripts ? 'on' : 'off'}`, async (t) => {
    const browser = await openBrowser(t)
    if (!browser) return
    const { origin, application, library, waymark } = await startBoth(t)
    const member = await addMember(waymark)
    const client = await library()
    const begun = await oidc.initiateDeviceAuthorization(client, { scope: 'openid images:read' })
    const { page, pageErrors } = await browser.visit({ origins: [origin, application.origin], hasScripts })
    await page.goto(begun.verification_uri_complete ?? '')
    assert.equal(await page.getByLabel('Code').inputValue(), begun.user_code)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText(begun.user_code).waitFor()
    await page.getByRole('button', { name: 'Yes, this is my device' }).click()
    await page.getByLabel('Email address').fill(member.email)
    await page.getByLabel('Password').fill(member.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByRole('heading', { name: 'Your device is connected' }).waitFor()
    const tokens = await oidc.pollDeviceAuthorizationGrant(client, { ...begun, interval: 0.01 })
    assert.equal(tokens.claims()?.sub, String(member.accountId))
    assert.deepEqual(pageErrors, [])
  })
}
