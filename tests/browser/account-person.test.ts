// Personal settings in the app: profile, password, browsers, drafts, data export, and what visitors see.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { createVisitor } from '../helpers/visitor.ts'
import { actionsOn, openAccount } from './account-scene.ts'
import { hold } from './public-scene.ts'

void test('the name updates as it is typed, mails are turned off and back on by Undo, and the page shows who is signed in', async (t) => {
  const scene = await openAccount(t, { role: 'reviewer', expectedStatuses: [400] })
  if (!scene) return
  const { page, site, member, main, press, pageErrors } = scene
  await main.getByText(String(member.accountId)).waitFor()
  await main.getByText('Reviewer', { exact: true }).waitFor()
  await main.getByText('not confirmed').waitFor()
  const nasty = `<script>alert(1)</script>"'&`
  await main.getByRole('textbox', { name: 'Name' }).fill(nasty)
  await press('Save name')
  await page.getByText('Name saved.').waitFor()
  await page.getByRole('button', { name: `Menu for ${nasty}` }).waitFor()
  await main.getByRole('textbox', { name: 'Name' }).fill(' ')
  await press('Save name')
  await main.getByText(/1 to 256 characters/).waitFor()
  assert.equal(await main.getByRole('textbox', { name: 'Name' }).inputValue(), ' ', 'what was typed stays')

  const mailsOf = async () => {
    const { db } = site.waymark.installation.database
    return (
      await db.selectFrom('account').select('mails').where('id', '=', member.accountId).executeTakeFirst()
    )?.mails
  }
  await main.getByRole('switch', { name: 'Email notifications' }).click({ force: true })
  await page.getByText('Email notifications are off.').waitFor()
  assert.equal(await mailsOf(), 'off')
  await press('Undo')
  await page.getByText('Email notifications are on.').waitFor()
  assert.equal(await mailsOf(), 'on')
  assert.deepEqual(pageErrors, [])
})

void test('the bar has a new name also where the early request for who is here is later than the app', async (t) => {
  const scene = await openAccount(t)
  if (!scene) return
  const { page, site, main, press, pageErrors } = scene
  const release = await hold(page, '**/early.js*')
  await page.goto(`${site.url}/account`, { waitUntil: 'commit' })
  await main.getByRole('textbox', { name: 'Name' }).waitFor()
  const late = page.waitForResponse(/\/v2\/site$/)
  await release()
  await (await late).finished()
  await main.getByRole('textbox', { name: 'Name' }).fill('Zoë')
  await press('Save name')
  await page.getByRole('button', { name: 'Menu for Zoë' }).waitFor()
  assert.deepEqual(pageErrors, [])
})

void test('the password is changed, and every other browser is signed out', async (t) => {
  const scene = await openAccount(t, { expectedStatuses: [403] })
  if (!scene) return
  const { page, site, member, main, goTo, press, pageErrors } = scene
  const { email, password } = member
  const elsewhere = createVisitor(site.waymark)
  assert.equal((await elsewhere.post('/sign-in', { email, password })).status, 303)
  await goTo('Password')
  await main.getByLabel('Current password').fill('wrong one')
  await main.getByLabel('New password').fill('quite another one')
  await press('Change password')
  await main.getByText('Incorrect password.').waitFor()
  await main.getByLabel('Current password').fill(password)
  await press('Change password')
  await page.getByText('Password changed').waitFor()
  assert.equal(await main.getByLabel('New password').inputValue(), '')
  assert.equal((await elsewhere.call('GET', '/v2/me')).status, 401)
  const again = await createVisitor(site.waymark).post('/sign-in', { email, password: 'quite another one' })
  assert.equal(again.status, 303)
  assert.deepEqual(pageErrors, [])
})

void test('browsers are described in words, the current one is marked, and others are signed out one by one or all at once', async (t) => {
  const scene = await openAccount(t)
  if (!scene) return
  const { page, site, member, main, goTo, press, pageErrors } = scene
  const { email, password } = member
  const visit = async (agent: string) => {
    const visitor = createVisitor(site.waymark)
    await visitor.post('/sign-in', { email, password }, { 'user-agent': agent })
    return visitor
  }
  const firefox = await visit('Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0')
  const odd = await visit('<b>odd</b>')
  await goTo('Signed-in browsers')
  await main.getByRole('heading', { name: /this browser$/ }).waitFor()
  await press('Sign out Firefox on Linux')
  await page.getByText('Browser signed out.').waitFor()
  assert.equal((await firefox.call('GET', '/v2/me')).status, 401)
  assert.equal((await odd.call('GET', '/v2/me')).status, 200)
  await main.getByRole('heading', { name: '<b>odd</b>' }).waitFor()
  await press('Sign out all others')
  await main.getByText('No other browser is signed in to your account.').waitFor()
  assert.equal((await odd.call('GET', '/v2/me')).status, 401)
  assert.deepEqual(pageErrors, [])
})

void test('typed text survives changing the section and is marked, and leaving the account asks first', async (t) => {
  const scene = await openAccount(t)
  if (!scene) return
  const { page, site, main, goTo, press, pageErrors } = scene
  await main.getByLabel('New email address').fill('half@typed')
  await goTo('API keys')
  await page.getByRole('img', { name: 'unsaved' }).waitFor()
  // Together: as two messages, they may be too far apart to be a sequence.
  await Promise.all([page.keyboard.press('g'), page.keyboard.press('d')])
  const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
  await dialog.getByText(/Profile/).waitFor()
  await press('Stay')
  assert.equal(new URL(page.url()).pathname, '/photos/account/keys')
  await goTo('Profile')
  assert.equal(await main.getByLabel('New email address').inputValue(), 'half@typed')
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Trails' }).first().click()
  await press('Leave')
  await page.waitForURL(`${site.url}/`)
  assert.deepEqual(pageErrors, [])
})

void test('Part D: all stored data is downloaded as a ZIP', async (t) => {
  const scene = await openAccount(t)
  if (!scene) return
  const { page, main, goTo, pageErrors } = scene
  await goTo('Download my data')
  const begun = page.waitForEvent('download')
  await main.getByRole('link', { name: 'Download zip' }).click()
  const download = await begun
  assert.match(download.suggestedFilename(), /^waymark-\d+-[\d-]+\.zip$/)
  const zip = await readFile(await download.path())
  assert.equal(zip.subarray(0, 2).toString(), 'PK')
  assert.ok(zip.includes('account.json') && zip.includes('README.txt'))
  assert.deepEqual(pageErrors, [])
})

void test('a visitor is asked to sign in, and returns to the section', async (t) => {
  const scene = await openAccount(t)
  if (!scene) return
  const { browser, site, member } = scene
  const { page } = await browser.visit({ origins: [site.origin] })
  await page.goto(`${site.url}/account/keys`)
  await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click()
  await page.getByLabel('Email address').fill(member.email)
  await page.getByLabel('Password').fill(member.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL(`${site.url}/account/keys`)
  await actionsOn(page).main.getByText('No API keys yet').waitFor()
})
