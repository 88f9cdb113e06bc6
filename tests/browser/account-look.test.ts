// Accessibility of the account pages: forms, dialogs and secrets with axe in both colour schemes and at 390 pixels; every
// key; the map.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openAccount, type AccountScene } from './account-scene.ts'
import { findingsInEveryLook } from './harness.ts'

/** Names that are hard to lay out. */
const long = 'Gratwanderungsgesellschaftsvorsitzendenstellvertretung'.repeat(3)

async function judge({ page }: AccountScene, name: string): Promise<void> {
  assert.deepEqual(await findingsInEveryLook(page, name), [])
}

/** Each section as it is at first, and everything that opens in it. */
async function judgeAll(scene: AccountScene): Promise<void> {
  const { page, main, goTo, press } = scene
  const dialog = page.getByRole('dialog')
  const close = async () => {
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  }
  await main.getByLabel('New email address').fill('b@trails.example')
  await press('Change email address')
  await dialog.getByLabel('Your password').waitFor()
  await judge(scene, 'confirm')
  await close()
  await judge(scene, 'Profile')
  for (const section of [
    'Password',
    'Passkeys',
    'Signed-in browsers',
    'Applications',
    'Connect a device',
    'Privacy zones',
    'Download my data',
  ]) {
    await goTo(section)
    await judge(scene, section)
  }
  await goTo('API keys')
  await judge(scene, 'no keys')
  await press('Create key')
  await main.getByLabel('Name').fill(long)
  await judge(scene, 'new key')
  await main.locator('form').getByRole('button', { name: 'Create key' }).click()
  await main.getByText('It is shown only once').waitFor()
  await judge(scene, 'made key')
  await press('I’ve saved it')
  await press(`Replace: ${long}`)
  await judge(scene, 'replace key')
  await close()

  await goTo('Your applications')
  await press('Register an application')
  await main.getByLabel('Name').fill(long)
  await judge(scene, 'new application')
  await main.locator('form').getByRole('button', { name: 'Register an application' }).click()
  await main.getByText('It is shown only once').waitFor()
  await judge(scene, 'made application')
  await goTo('Webhooks')
  await press('Create webhook')
  await main.getByLabel('Selected events').check()
  await judge(scene, 'new webhook')
  await press('Cancel')
  await goTo('Delete my account')
  await judge(scene, 'leave')
}

void test('axe finds nothing in sections, forms, dialogs and secrets, light and dark, on a phone and in a wide window', async (t) => {
  const scene = await openAccount(t, { role: 'reviewer' })
  if (!scene) return
  await judgeAll(scene)
  assert.deepEqual(scene.pageErrors, [])
})

void test('every key on the shortcut sheet for the account works', async (t) => {
  const scene = await openAccount(t)
  if (!scene) return
  const { page, main, goTo, press } = scene
  const at = (section: string) =>
    page.getByRole('heading', { level: 2, name: section, exact: true }).waitFor()
  await page.keyboard.press(']')
  await at('Password')
  await page.keyboard.press('[')
  await at('Profile')
  await page.keyboard.press('[')
  await at('Delete my account')
  const news: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['API keys', () => main.getByLabel('Name').waitFor()],
    ['Your applications', () => main.getByLabel('Redirect URIs').waitFor()],
    ['Webhooks', () => main.getByLabel('URL').waitFor()],
    ['Privacy zones', () => page.locator('input:focus').and(page.getByLabel('Latitude')).waitFor()],
  ]
  for (const [section, isOpen] of news) {
    await goTo(section)
    await page.keyboard.press('?')
    for (const key of ['n', ']', '[']) await page.locator(`[data-shortcut="${key}"]`).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('n')
    await isOpen()
    if (section !== 'Privacy zones') await press('Cancel')
  }
})

void test('a zone is placed by a click on the map, added, shown, and removed; coordinates do the same', async (t) => {
  const scene = await openAccount(t, { hasMaps: true })
  if (!scene) return
  const { page, main, goTo, press, pageErrors } = scene
  await goTo('Privacy zones')
  await main.getByText('No privacy zones yet').waitFor()
  const lat = main.getByLabel('Latitude')
  // A map accepts clicks once it is drawn.
  await main.locator('[aria-busy=false] canvas').click({ position: { x: 200, y: 150 } })
  await main.locator('input[value*="."]').first().waitFor()
  assert.match(await lat.inputValue(), /^-?\d+\.\d{5}$/)
  await main.getByLabel('Name').fill('By the map')
  await press('Add zone')
  await main.getByRole('heading', { name: 'By the map' }).waitFor()
  assert.equal(await lat.inputValue(), '')

  await press('Add zone')
  await main.getByText('Between -90 and 90 degrees.').waitFor()
  await lat.fill('46.5')
  await main.getByLabel('Longitude').fill('7,9')
  const radius = main.getByLabel('Radius in metres')
  await main.getByText(/within a circle with a radius of (2\.00 km|1\.24 mi)\b/).waitFor()
  await radius.fill('300')
  await main.getByText(/within a circle with a radius of (3\.00 km|1\.86 mi)\b/).waitFor()
  await radius.fill('3000')
  await main.getByText('within a circle').waitFor({ state: 'detached' })
  await radius.fill('300')
  await press('Add zone')
  await main.getByText(/46\.50000, 7\.90000/).waitFor()
  await press('Show Unnamed on map')
  for (const name of ['By the map', 'Unnamed']) {
    await press(`Remove: ${name}`)
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
    await main.getByRole('heading', { name }).waitFor({ state: 'detached' })
  }
  assert.deepEqual(pageErrors, [])
})
