// The page /account in a real browser: light and dark, narrow and wide, and everything on it done without scripts.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { registerClient } from '../../src/auth/oauth-clients.ts'
import { saveConsent } from '../../src/auth/consent-table.ts'
import { addMember, type Member } from '../helpers/visitor.ts'
import { axeFindings, openBrowser, sidewaysScroll, shoot, type VisitOptions } from './harness.ts'
import { startOfTime } from '../helpers/waymark.ts'
import { startSite, type ServedSite, type SiteOptions } from './site.ts'

/** A browser drops a cookie whose end has passed by its own clock. */
async function startToday(t: TestContext, options?: SiteOptions): Promise<ServedSite> {
  const site = await startSite(t, options)
  site.waymark.system.advance(Date.now() - startOfTime)
  return site
}

async function signIn(page: Page, { url }: ServedSite, { email, password }: Member): Promise<void> {
  await page.goto(`${url}/account`)
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`${url}/account`)
}

/** An account that has one of everything, with names that are hard to set. */
async function furnish(site: ServedSite): Promise<Member> {
  const member = await addMember(site.waymark, 'reviewer')
  const { db } = site.waymark.installation.database
  const name = 'Gratwanderungsgesellschaftsvorsitzendenstellvertretung'.repeat(3)
  const redirectUris = [`https://${'long.'.repeat(20)}example/back`]
  const client = { accountId: member.accountId, name, isPublic: false, redirectUris, now: 0 }
  const { clientId } = await registerClient(db, { ...client, scope: 'images:read images:write' })
  const { accountId } = member
  await saveConsent(db, { accountId, clientId, scope: 'images:read images:review', grantedAt: 0 })
  await site.waymark.addKey(member.accountId)
  return member
}

async function openFolds(page: Page): Promise<void> {
  const folded = page.locator('details:not([open]) > summary')
  while ((await folded.count()) > 0) await folded.first().click()
}

async function judge(page: Page, message: string): Promise<void> {
  await shoot(page, message)
  assert.deepEqual(await axeFindings(page), [], message)
  assert.deepEqual(await sidewaysScroll(page), [], message)
}

type Look = Pick<VisitOptions, 'colorScheme' | 'widthPx'>
const looks: readonly Required<Look>[] = [
  { colorScheme: 'light', widthPx: 390 },
  { colorScheme: 'dark', widthPx: 1_280 },
]

/** The account, folded and open, the pages below it, a done message, a new key, and a form that was refused. */
async function judgeAll(page: Page, site: ServedSite, name: string): Promise<void> {
  await judge(page, name)
  // Links to pages below are those in lists.
  const below = await page.locator('.rows a').all()
  const addresses = await Promise.all(below.map(async (link) => (await link.getAttribute('href')) ?? ''))
  assert.ok(addresses.length >= 2)
  await openFolds(page)
  await judge(page, `${name}-open`)
  for (const [at, address] of addresses.entries()) {
    await page.goto(site.origin + address)
    await judge(page, `${name}-below-${at}`)
  }
  await page.goto(`${site.url}/account?done=key-revoked#keys`)
  await judge(page, `${name}-done`)
  await openFolds(page)
  await page.getByLabel('What it is for').fill('My site')
  await page.getByRole('button', { name: 'Make the key' }).click()
  await page.locator('.secret').waitFor()
  await judge(page, `${name}-new-key`)
  await page.goto(`${site.url}/account`)
  await openFolds(page)
  await page.locator('#client-name').fill('My app')
  await page.getByLabel('Addresses that people come back to').fill('http://gallery.example/')
  await page.getByRole('button', { name: 'Register the application' }).click()
  await page.getByText(/must be an https address/).waitFor()
  await judge(page, `${name}-refused`)
}

void test('axe finds nothing on the page and those below it, folded or open, and nothing scrolls sideways', async (t: TestContext) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const site = await startToday(t, { mountPath: '/photos' })
  const member = await furnish(site)
  for (const look of looks) {
    const { page, troubles, context } = await browser.visit({
      origins: [site.origin],
      expectedStatuses: [400],
      ...look,
    })
    await signIn(page, site, member)
    await judgeAll(page, site, `account-${look.colorScheme}-${look.widthPx}`)
    assert.deepEqual(troubles, [])
    await context.close()
  }
})

void test('without scripts, a person changes the name, makes, replaces and revokes a key, and registers an application', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const site = await startToday(t)
  await site.waymark.addTrail(1, 'Rim Trail')
  const member = await addMember(site.waymark)
  const { page, troubles } = await browser.visit({
    origins: [site.origin],
    hasScripts: false,
    expectedStatuses: [400],
  })
  await signIn(page, site, member)
  const opens = async (key: string) =>
    (await site.waymark.fetch('/Trails/1/Images', { headers: { 'x-api-key': key } })).status === 200
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()

  await page.getByText('Change your name').click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Zoë <b>')
  await press('Change the name')
  await page.getByText('Your name is changed.').waitFor()
  assert.equal(new URL(page.url()).hash, '#profile')
  assert.equal(await page.locator('.viewer a').textContent(), 'Zoë <b>')

  await page.getByText('Make a key').click()
  await page.getByLabel('What it is for').fill('My site')
  await page.getByLabel('When it expires').selectOption({ label: 'In 90 days' })
  await press('Make the key')
  const first = ((await page.locator('.secret').textContent()) ?? '').trim()
  assert.equal(await opens(first), true)
  await page.getByRole('link', { name: 'Back to your account' }).click()
  await page.getByRole('link', { name: 'Replace or revoke My site' }).click()
  await press('Replace the key')
  const second = ((await page.locator('.secret').textContent()) ?? '').trim()
  assert.deepEqual([await opens(first), await opens(second)], [false, true])
  await page.getByRole('link', { name: 'Back to your account' }).click()
  await page.getByRole('link', { name: 'Replace or revoke My site' }).click()
  await press('Revoke the key')
  await page.getByText('The key is revoked').waitFor()
  assert.equal(await opens(second), false)

  await page.getByText('Register an application').click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).last().fill('My app')
  await page.getByLabel('Addresses that people come back to').fill('http://gallery.example/')
  await press('Register the application')
  await page.getByText(/must be an https address/).waitFor()
  assert.equal(new URL(page.url()).hash, '#clients')
  assert.equal(await page.getByRole('textbox', { name: 'Name', exact: true }).last().inputValue(), 'My app')
  await page.getByLabel('Addresses that people come back to').fill('https://gallery.example/')
  await press('Register the application')
  await page.getByText('Copy the secret now').waitFor()
  assert.match((await page.locator('.secret').first().textContent()) ?? '', /wms_/)
  assert.deepEqual(troubles, [])
})
