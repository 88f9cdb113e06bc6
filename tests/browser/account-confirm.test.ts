// Confirming one's identity: actions that need the password or a new sign-in ask for it in place, and lose no input.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openAccount } from './account-scene.ts'

const tenMinutesMs = 600_000

void test('changing the address asks for the password in place: a wrong one is reported, and typed text stays', async (t) => {
  const scene = await openAccount(t, { expectedStatuses: [403] })
  if (!scene) return
  const { page, member, main, press, pageErrors } = scene
  const dialog = page.getByRole('dialog')
  await main.getByLabel('New email address').fill('b@trails.example')
  await press('Change email address')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  // The button is enabled again once the app has handled that.
  await main.locator('button[type=submit]:enabled', { hasText: 'Change email address' }).waitFor()
  assert.equal(await main.getByRole('alert').count(), 0, 'who changed their mind is told nothing')
  await press('Change email address')
  await dialog.getByLabel('Your password').fill('no')
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  await dialog.getByText('Incorrect password.').waitFor()
  assert.equal(await main.getByLabel('New email address').inputValue(), 'b@trails.example')
  await dialog.getByLabel('Your password').fill(member.password)
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  await page.getByText('Your email address is now b@trails.example.').waitFor()
  assert.deepEqual(pageErrors, [])
})

void test('an expired sign-in is renewed in place, and the submitted form continues by itself', async (t) => {
  const scene = await openAccount(t, { expectedStatuses: [401] })
  if (!scene) return
  const { page, context, site, member, main, press } = scene
  await main.getByRole('textbox', { name: 'Name' }).fill('Zoë')
  await site.waymark.installation.database.db.deleteFrom('session').execute()
  await press('Save name')
  const dialog = page.getByRole('dialog', { name: 'Your session has expired' })
  const opened = context.waitForEvent('page')
  await dialog.getByRole('button', { name: 'Sign in again' }).click()
  const other = await opened
  await other.getByLabel('Email address').fill(member.email)
  await other.getByLabel('Password').fill(member.password)
  await other.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByText('Name saved.').waitFor()
  assert.equal(await main.getByRole('textbox', { name: 'Name' }).inputValue(), 'Zoë')
  assert.equal(
    await page.evaluate(
      `fetch('/photos/v2/me').then((answer) => answer.json()).then((me) => me.displayName)`,
    ),
    'Zoë',
  )
})

void test('an account is deleted: a word is typed, an old sign-in asks for the password, and the person is signed out', async (t) => {
  const scene = await openAccount(t, { expectedStatuses: [401, 403] })
  if (!scene) return
  const { page, site, member, main, goTo, press, pageErrors } = scene
  await goTo('Delete my account')
  const button = main.getByRole('button', { name: 'Delete my account permanently' })
  assert.equal(await button.isDisabled(), true)
  await main.getByLabel('Delete them').check()
  await main.getByLabel('Type delete to confirm').fill('delete')
  site.waymark.system.advance(tenMinutesMs)
  await button.click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Your password').fill('no')
  await press('Confirm')
  await dialog.getByText('Incorrect password.').waitFor()
  await dialog.getByLabel('Your password').fill(member.password)
  await press('Confirm')
  await main.getByRole('heading', { name: 'Account deleted' }).waitFor()
  const row = await site.waymark.installation.database.db
    .selectFrom('account')
    .select('deleted_at')
    .where('id', '=', member.accountId)
    .executeTakeFirst()
  assert.notEqual(row?.deleted_at, null)
  assert.equal(await page.evaluate(`fetch('/photos/v2/me').then((answer) => answer.status)`), 401)
  assert.deepEqual(pageErrors, [])
})

void test('a person without a password signs in again instead, in a separate window', async (t) => {
  const scene = await openAccount(t, { expectedStatuses: [403] })
  if (!scene) return
  const { page, context, site, member, main, goTo, press } = scene
  const { db } = site.waymark.installation.database
  const ofMember = db.updateTable('account').where('id', '=', member.accountId)
  const { password_hash: kept } = await db
    .selectFrom('account')
    .select('password_hash')
    .where('id', '=', member.accountId)
    .executeTakeFirstOrThrow()
  await ofMember.set({ password_hash: null }).execute()
  site.waymark.system.advance(tenMinutesMs)
  await page.reload()
  await goTo('Password')
  await main.getByText('You have not set a password').waitFor()
  await main.getByLabel('New password').fill('a password at last')
  await press('Set password')
  const opened = context.waitForEvent('page')
  const sessions = /\/v2\/me\/sessions$/
  const begun = page.waitForResponse(sessions)
  await page.getByRole('dialog').getByRole('button', { name: 'Sign in again' }).click()
  const other = await opened
  await (await begun).finished()
  // The page looks for the new sign-in every other second: only once the account has no password any more.
  const isDone = Promise.withResolvers<void>()
  await page.route(sessions, async (route) => {
    await isDone.promise
    await route.continue()
  })
  // A passkey would do in production; here the account has a password only while signing in.
  await ofMember.set({ password_hash: kept }).execute()
  await other.getByLabel('Email address').fill(member.email)
  await other.getByLabel('Password').fill(member.password)
  await ofMember.set({ password_hash: kept }).execute()
  await other.getByRole('button', { name: 'Sign in', exact: true }).click()
  await other.waitForURL(`${site.url}/`)
  await ofMember.set({ password_hash: null }).execute()
  isDone.resolve()
  await page.getByText('Password set.').waitFor()
})
