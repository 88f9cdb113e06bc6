// Passkeys in a real browser with a virtual authenticator: adding one, signing in, and allowing an application.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { registerClient } from '../../src/auth/oauth/oauth-clients.ts'
import { challengeOf, newVerifier } from '../helpers/pkce.ts'
import { addMember, type Member } from '../helpers/visitor.ts'
import { axeFindings, openBrowser, shoot, sidewaysScroll, type Visit } from './harness.ts'
import { startSite, type ServedSite } from './site.ts'

/** A device with a fingerprint reader, and a person ready to touch it. */
async function addAuthenticator(page: Page) {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: false,
    },
  })
  return {
    credentials: async () => (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials,
    /** Whether the person touches the device when asked. */
    touches: (enabled: boolean) =>
      session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled }),
    verifies: (isUserVerified: boolean) =>
      session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
  }
}

interface Scene extends Visit {
  readonly site: ServedSite
  readonly member: Member
  readonly authenticator: Awaited<ReturnType<typeof addAuthenticator>>
}

interface SceneOptions {
  readonly expectedStatuses?: readonly number[]
  /**
   * Whether the browser offers passkeys in the list below the address field. The virtual device would choose immediately,
   * before the button is pressed.
   */
  readonly hasList?: boolean
}

async function open(
  t: TestContext,
  { expectedStatuses = [], hasList = false }: SceneOptions = {},
): Promise<Scene | undefined> {
  const browser = await openBrowser(t)
  if (!browser) return undefined
  const site = await startSite(t, { host: 'localhost', mountPath: '/photos', hasApp: true })
  const member = await addMember(site.waymark)
  const visit = await browser.visit({ origins: [site.origin], expectedStatuses })
  if (!hasList) {
    await visit.context.addInitScript(
      'if (globalThis.PublicKeyCredential) PublicKeyCredential.isConditionalMediationAvailable = async () => false',
    )
  }
  return { ...visit, site, member, authenticator: await addAuthenticator(visit.page) }
}

const withPasskey = (page: Page) => page.getByRole('button', { name: 'Sign in with a passkey' })

async function signInByPassword({ page, site, member }: Scene): Promise<void> {
  await page.goto(`${site.url}/sign-in?next=/account/passkeys`)
  await page.getByLabel('Email address').fill(member.email)
  await page.getByLabel('Password').fill(member.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL(`${site.url}/account/passkeys`)
}

async function addPasskey({ page, authenticator }: Scene, name: string): Promise<void> {
  await page.getByLabel('Passkey name').fill(name)
  await authenticator.touches(true)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('heading', { name, exact: true }).waitFor()
  await authenticator.touches(false)
}

async function signOut({ page }: Scene): Promise<void> {
  await page.getByRole('button', { name: /^Menu for/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Signed out' }).waitFor()
}

/** Ignores the tab's icon, which a browser cancels if the page navigates immediately. */
const withoutDrawing = (pageErrors: readonly string[]): string[] =>
  pageErrors.filter((pageError) => !/^failed: .*favicon\.svg.* net::ERR_ABORTED$/.test(pageError))

/** In a separate window: the check closes a browser session, which removes the authenticator from the page. */
async function inspect({ context, site }: Scene, path: string, buttonShown: string): Promise<void> {
  const page = await context.newPage()
  await page.goto(site.url + path)
  await page.getByRole('button', { name: buttonShown }).waitFor()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    assert.deepEqual(await axeFindings(page), [])
    await shoot(page, `passkeys ${path} ${colorScheme}`)
  }
  await page.setViewportSize({ width: 390, height: 844 })
  assert.deepEqual(await sidewaysScroll(page), [])
  await page.close()
}

void test('C29: a person adds a passkey, signs in with it, and allows an application with it', async (t) => {
  const scene = await open(t)
  if (!scene) return
  const { page, site, member, authenticator, pageErrors } = scene
  await signInByPassword(scene)
  await addPasskey(scene, 'This laptop')
  await page.getByText('Passkey added').waitFor()
  await inspect(scene, '/account/passkeys', 'Add a passkey')
  const [credential] = await authenticator.credentials()
  assert.equal(credential?.isResidentCredential, true)
  assert.equal(credential?.rpId, 'localhost')
  await signOut(scene)

  await page.goto(`${site.url}/sign-in?next=/problems`)
  await inspect(scene, '/sign-in', 'Sign in with a passkey')
  await authenticator.touches(true)
  await withPasskey(page).click()
  await page.waitForURL(`${site.url}/problems`)
  await page.goto(`${site.url}/account/passkeys`)
  await page.getByRole('heading', { name: 'This laptop' }).waitFor()
  await authenticator.touches(false)
  await signOut(scene)

  const redirectUri = `${site.url}/problems`
  const { clientId } = await registerClient(site.waymark.installation.database.db, {
    accountId: member.accountId,
    name: 'Gallery',
    isPublic: true,
    redirectUris: [redirectUri],
    scope: 'images:read',
    now: 0,
  })
  const query = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'openid images:read',
    code_challenge: challengeOf(newVerifier()),
    code_challenge_method: 'S256',
  })
  await page.goto(`${site.url}/oauth/authorize?${query.toString()}`)
  await authenticator.touches(true)
  await withPasskey(page).click()
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.waitForURL((url) => url.pathname === '/photos/problems' && url.searchParams.has('code'))
  assert.deepEqual(withoutDrawing(pageErrors), [])
})

void test('a passkey chosen from the list under the address field signs in', async (t) => {
  const scene = await open(t, { hasList: true })
  if (!scene) return
  const { page, site, authenticator, pageErrors } = scene
  await signInByPassword(scene)
  await addPasskey(scene, 'This laptop')
  await signOut(scene)
  await authenticator.touches(true)
  // The device may choose before the page is loaded, which would then interrupt a navigation that waits for that.
  await page.goto(`${site.url}/sign-in?next=/problems`, { waitUntil: 'commit' })
  await page.waitForURL(`${site.url}/problems`)
  assert.deepEqual(withoutDrawing(pageErrors), [])
})

void test('errors are shown on the page: a passkey removed in the meantime, no user verification, a second one', async (t) => {
  const scene = await open(t, { expectedStatuses: [403] })
  if (!scene) return
  const { page, site, member, authenticator } = scene
  await signInByPassword(scene)
  await addPasskey(scene, 'This laptop')
  await page.getByLabel('Passkey name').fill('Once more')
  await authenticator.touches(true)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page
    .getByRole('alert')
    .filter({ hasText: 'This device already has a passkey for this account.' })
    .waitFor()
  await authenticator.touches(false)
  await signOut(scene)
  await page.getByRole('link', { name: 'Sign in again' }).click()
  await withPasskey(page).waitFor()
  await authenticator.verifies(false)
  await authenticator.touches(true)
  await withPasskey(page).click()
  await page.getByRole('alert').filter({ hasText: 'No passkey was used.' }).waitFor()
  const language = { name: 'waymark_language', url: site.url }
  await page.context().addCookies([{ ...language, value: 'de' }])
  await page.reload()
  await page.getByRole('button', { name: 'Mit einem Passkey anmelden' }).click()
  await page.getByRole('alert').filter({ hasText: 'Es wurde kein Passkey verwendet.' }).waitFor()
  await page.context().addCookies([{ ...language, value: 'en' }])
  await authenticator.touches(false)
  await authenticator.verifies(true)
  await site.waymark.installation.database.db
    .deleteFrom('passkey')
    .where('account_id', '=', member.accountId)
    .execute()
  await page.reload()
  await authenticator.touches(true)
  await withPasskey(page).click()
  await page.getByRole('alert').filter({ hasText: 'No account here has this passkey' }).waitFor()
  assert.equal(new URL(page.url()).pathname, '/photos/sign-in')
})

void test('without scripts, and at a bare IP address, passkeys are not offered', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  for (const [host, hasScripts] of [
    ['localhost', false],
    ['127.0.0.1', true],
  ] as const) {
    const site = await startSite(t, { host })
    const { page, pageErrors } = await browser.visit({ origins: [site.origin], hasScripts })
    await page.goto(`${site.url}/sign-in`)
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
    assert.equal(await withPasskey(page).count(), 0, host)
    assert.deepEqual(withoutDrawing(pageErrors), [])
  }
})
