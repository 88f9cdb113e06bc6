// The language of the app: the browser's at first, then the one chosen in the menu, also on server pages and in emails.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openAccount } from './account-scene.ts'

void test('a person chooses German in the menu, and sees it everywhere', async (t) => {
  const scene = await openAccount(t)
  if (!scene) return
  const { page, site, pageErrors } = scene
  await page.getByRole('button', { name: /^Menu for/ }).click()
  assert.equal(
    await page.getByRole('menuitemradio', { name: 'English' }).getAttribute('aria-checked'),
    'true',
  )
  await page.getByRole('menuitemradio', { name: 'Deutsch' }).click()
  await page.getByRole('button', { name: /^Menü von/ }).click()
  assert.equal(await page.locator('html').getAttribute('lang'), 'de')
  await page.getByRole('menuitem', { name: 'Abmelden' }).click()
  await page.getByRole('heading', { name: 'Abgemeldet' }).waitFor()
  const { db } = site.waymark.installation.database
  const languages = await db
    .selectFrom('account')
    .select('language')
    .where('language', 'is not', null)
    .execute()
  assert.deepEqual(
    languages.map(({ language }) => language),
    ['de'],
  )
  await page.getByRole('link', { name: 'Wieder anmelden' }).click()
  await page.getByLabel('E-Mail-Adresse').waitFor()
  assert.deepEqual(pageErrors, [])
})
