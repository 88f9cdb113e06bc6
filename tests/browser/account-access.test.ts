// Access to an account in the app: API keys, allowed applications, own applications, webhooks.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { registerClient } from '../../src/auth/oauth/oauth-clients.ts'
import { challengeOf, newVerifier } from '../helpers/pkce.ts'
import { addMember } from '../helpers/visitor.ts'
import { isSigned, startReceiver } from '../events/webhooks/receiver.ts'
import { copiedBy, openAccount } from './account-scene.ts'
import { startApplication } from './application.ts'

void test('C28: a key is created, copied, works on the API, is replaced with an overlap, and stops working once revoked', async (t) => {
  const scene = await openAccount(t)
  if (!scene) return
  const { page, site, main, goTo, press, pageErrors } = scene
  const statusWith = async (key: string) =>
    (await site.waymark.fetch('/Trails/4711/Images', { headers: { 'x-api-key': key } })).status
  await goTo('API keys')
  await press('Create key')
  await main.getByLabel('Name').fill('The <b>site</b>')
  await main.getByLabel('Expires').selectOption({ label: 'In 90 days' })
  await main.locator('form').getByRole('button', { name: 'Create key' }).click()
  const first = await copiedBy(scene, 'Copy key')
  assert.match(first, /^wm_[\w-]{43}$/)
  assert.equal(await statusWith(first), 200)
  // The example uses an existing trail, once the app has found one, and works unchanged.
  const address = `${site.url}/Trails/4711/Images`
  await main.locator('pre', { hasText: new RegExp(`'${RegExp.escape(address)}'$`) }).waitFor()
  assert.equal((await fetch(address, { headers: { 'x-api-key': first } })).status, 200)
  await main.getByRole('heading', { name: 'The <b>site</b>', exact: true }).waitFor()
  await main.getByText('in 3 months').waitFor()

  await press('I’ve saved it')
  await main.getByText(first).waitFor({ state: 'detached' })
  await press('Replace: The <b>site</b>')
  await page.getByLabel('The old key expires').selectOption({ label: 'In 1 day' })
  await page.getByRole('dialog').getByRole('button', { name: 'Replace', exact: true }).click()
  const second = await copiedBy(scene, 'Copy key')
  assert.deepEqual([await statusWith(first), await statusWith(second)], [200, 200])
  await main.getByText('Replaced; expires').waitFor()
  assert.equal(await page.getByRole('button', { name: /^Replace:/ }).count(), 1, 'none is replaced twice')

  await press('I’ve saved it')
  for (const left of [1, 0]) {
    await page
      .getByRole('button', { name: /^Revoke:/ })
      .first()
      .click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page
      .getByRole('button', { name: /^Revoke:/ })
      .nth(left)
      .waitFor({ state: 'detached' })
  }
  assert.deepEqual([await statusWith(first), await statusWith(second)], [401, 401])
  await main.getByText('Expired and revoked keys (2)').click()
  assert.equal(await main.getByText('Expired', { exact: true }).count(), 2)
  assert.deepEqual(pageErrors, [])
})

void test('C29: an allowed application is listed with its rights, and revoking it ends its token', async (t) => {
  const scene = await openAccount(t)
  if (!scene) return
  const { page, site, main, goTo, press } = scene
  const publisher = await addMember(site.waymark)
  let clientId = ''
  const application = await startApplication(t, async (redirectUris) => {
    const { db } = site.waymark.installation.database
    const client = { accountId: publisher.accountId, name: 'Gallery', isPublic: true, redirectUris, now: 0 }
    ;({ clientId } = await registerClient(db, { ...client, scope: 'images:read' }))
    return { waymarkUrl: site.url, clientId, scope: 'images:read' }
  })
  await goTo('Applications')
  await main.getByText('No applications yet').waitFor()

  const verifier = newVerifier()
  const query = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    redirect_uri: application.plainUri,
    scope: 'openid images:read',
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
  })
  const other = await scene.context.newPage()
  await other.goto(`${site.url}/oauth/authorize?${query.toString()}`)
  await other.getByRole('button', { name: 'Allow' }).click()
  await other.waitForURL(`${application.origin}/**`)
  await other.close()
  const code = application.received.at(-1)?.searchParams.get('code') ?? ''
  const answer = await fetch(`${site.url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      client_id: clientId,
      grant_type: 'authorization_code',
      code,
      redirect_uri: application.plainUri,
      code_verifier: verifier,
    }),
  })
  const { access_token: token } = (await answer.json()) as { access_token: string }
  const statusOf = async () =>
    (await fetch(`${site.url}/v2/me`, { headers: { authorization: `Bearer ${token}` } })).status
  assert.equal(await statusOf(), 200)

  await page.reload()
  await main.getByRole('heading', { name: 'Gallery' }).waitFor()
  await main
    .getByText('See your photos, including unpublished ones, and download the original files.')
    .waitFor()
  await press('Revoke access: Gallery')
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke access', exact: true }).click()
  await main.getByText('No applications yet').waitFor()
  assert.equal(await statusOf(), 401)
})

void test('C29: an application of one’s own is registered, corrected after errors, changed, and removed', async (t) => {
  const scene = await openAccount(t, { expectedStatuses: [400] })
  if (!scene) return
  const { page, main, goTo, press, pageErrors } = scene
  await goTo('Your applications')
  await press('Register an application')
  assert.equal(
    await main.getByLabel('images:review').count(),
    0,
    'a member is not offered what the role does not give',
  )
  await main.getByLabel('Name').fill('My <b>app</b>')
  await main.getByLabel('Redirect URIs').fill('http://gallery.example/')
  const form = main.locator('form')
  await form.getByRole('button', { name: 'Register an application' }).click()
  await main.getByText(/must be an https URL/).waitFor()
  assert.equal(await main.getByLabel('Name').inputValue(), 'My <b>app</b>')
  await main.getByLabel('Redirect URIs').fill('https://a.example/back\nhttp://127.0.0.1/back')
  await form.getByRole('button', { name: 'Register an application' }).click()
  assert.match(await copiedBy(scene, 'Copy secret'), /^wms_/)
  await press('I’ve saved it')

  await press('Edit: My <b>app</b>')
  const dialog = page.getByRole('dialog')
  assert.equal(
    await dialog.getByLabel('Redirect URIs').inputValue(),
    'https://a.example/back\nhttp://127.0.0.1/back',
  )
  await dialog.getByLabel('Name').fill('Renamed')
  await dialog.getByLabel('images:write').check()
  await dialog.getByRole('button', { name: 'Save changes' }).click()
  await main.getByRole('heading', { name: 'Renamed' }).waitFor()
  await main.getByText('Upload photos as you').waitFor()

  await press('New secret: Renamed')
  await dialog.getByRole('button', { name: 'New secret' }).click()
  assert.match(await copiedBy(scene, 'Copy secret'), /^wms_/)
  await press('I’ve saved it')
  await press('Remove: Renamed')
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
  await main.getByText('No applications yet').waitFor()

  await main.getByRole('button', { name: 'Register an application' }).click()
  await main.getByLabel('Name').fill('On the phone')
  await main.getByLabel(/it cannot keep a secret/).check()
  await form.getByRole('button', { name: 'Register an application' }).click()
  assert.match(await copiedBy(scene, 'Copy client ID'), /^wmc_/)
  assert.equal(await page.getByRole('button', { name: 'New secret: On the phone' }).count(), 0)
  assert.deepEqual(pageErrors, [])
})

void test('a webhook is created with a secret, tested, replayed, given another secret, turned off and on, and deleted', async (t) => {
  const scene = await openAccount(t, { environment: { WEBHOOK_ALLOW: '127.0.0.0/8' } })
  if (!scene) return
  const { page, main, goTo, press, pageErrors } = scene
  scene.site.waymark.app.services.webhooks.start()
  const receiver = await startReceiver((work) => t.after(work))
  await goTo('Webhooks')
  await press('Create webhook')
  await main.getByLabel('URL').fill(receiver.url)
  await main.getByLabel('Selected events').check()
  await main.getByLabel('Photo rejected').uncheck()
  await main.locator('form').getByRole('button', { name: 'Create webhook' }).click()
  const secret = await copiedBy(scene, 'Copy secret')
  assert.match(secret, /^whsec_/)
  await press('I’ve saved it')
  await main.getByText('10 event types').waitFor()

  await press(`Send test: ${receiver.url}`)
  await main.getByText('Delivered', { exact: true }).waitFor()
  const [first] = receiver.received
  assert.ok(first && isSigned(first, secret))
  await main.getByText('Request body', { exact: true }).click()
  await main.locator('pre').filter({ hasText: 'webhookID' }).waitFor()
  const shown = (await main.locator('pre').filter({ hasText: 'webhookID' }).textContent()) ?? ''
  assert.deepEqual(JSON.parse(shown), JSON.parse(first.body))
  await main.locator('ol code').filter({ hasText: '204' }).waitFor()

  await press('Redeliver webhook.test')
  await main.locator('ol code').nth(1).waitFor()
  assert.equal(receiver.received.length, 2)
  assert.equal(receiver.received[1]?.headers['webhook-id'], first.headers['webhook-id'])

  const dialog = page.getByRole('dialog')
  await press(`New secret: ${receiver.url}`)
  await dialog.getByRole('button', { name: 'New secret' }).click()
  const renewed = await copiedBy(scene, 'Copy secret')
  await press('I’ve saved it')
  await press(`Send test: ${receiver.url}`)
  await main.locator('ol code').nth(2).waitFor()
  const last = receiver.received.at(-1)
  assert.ok(last && isSigned(last, renewed) && !isSigned(last, secret))

  await press(`Edit: ${receiver.url}`)
  await dialog.getByLabel('All events').check()
  await dialog.getByRole('button', { name: 'Save changes' }).click()
  await main.getByText('all events', { exact: true }).waitFor()
  await press(`Turn off: ${receiver.url}`)
  await dialog.getByRole('button', { name: 'Turn off' }).click()
  await main.getByText('Off since').waitFor()
  await press(`Turn on: ${receiver.url}`)
  await main.getByText('On', { exact: true }).waitFor()
  await press(`Delete: ${receiver.url}`)
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
  await main.getByText('No webhooks yet').waitFor()
  assert.deepEqual(pageErrors, [])
})
