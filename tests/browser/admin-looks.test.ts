// The administration by keyboard, on a phone and in the dark, with its dialogs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { evaluate, findingsInEveryLook, sidewaysScroll } from './harness.ts'
import { openAdmin } from './admin-scene.ts'

void test('every key on the shortcut sheet works, and only admins have access', async (t) => {
  const scene = await openAdmin(t)
  if (!scene) return
  const { page, open, pageErrors } = scene
  await open('')
  const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
  for (const [key, name] of [
    ['2', 'Trails'],
    ['3', 'Accounts'],
    ['4', 'Applications'],
    ['5', 'Licence and terms'],
    ['b', 'Branding'],
    ['6', 'Review reasons'],
    ['7', 'Storage'],
    ['8', 'Settings'],
    ['9', 'Audit log'],
    ['0', 'Health'],
    ['1', 'Overview'],
  ] as const) {
    await page.keyboard.press(key)
    await heading(name)
  }
  for (const [part, name, key, title] of [
    ['2', 'Trails', 'n', 'New trail'],
    ['3', 'Accounts', 'n', 'New account'],
    ['3', 'Accounts', 'i', 'Invite someone'],
    ['4', 'Applications', 'n', 'New application'],
  ] as const) {
    await page.keyboard.press(part)
    await heading(name)
    await page.keyboard.press(key)
    await page.getByRole('dialog', { name: title }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  await page.keyboard.press('2')
  await heading('Trails')
  await page.keyboard.press('i')
  await page.getByText('CSV with the header').waitFor()
  assert.deepEqual(pageErrors, [])
})

/** The second before the page shows the first. */
const chooseTwo = `for (const [at, value] of ['reviewer', 'true'].entries()) {
  const field = document.querySelectorAll('main select')[at]
  field.value = value
  field.dispatchEvent(new Event('change', { bubbles: true }))
}`

void test('of two filters that are chosen at once both apply', async (t) => {
  const scene = await openAdmin(t)
  if (!scene) return
  const { page, open, pageErrors } = scene
  await open('/accounts')
  await evaluate(page, chooseTwo)
  await page.waitForURL(/suspended=true/)
  assert.equal(new URL(page.url()).searchParams.get('role'), 'reviewer')
  assert.deepEqual(pageErrors, [])
})

void test('axe finds nothing in any part, light, dark and in dialogs, and nothing is wider than a phone', async (t) => {
  const scene = await openAdmin(t, { widthPx: 390 })
  if (!scene) return
  const { page, open, member, pageErrors } = scene
  const parts = [
    '',
    '/trails',
    '/trails?view=import',
    '/trails?edit=4711',
    '/accounts',
    `/accounts?account=${member.accountId}`,
    '/accounts?form=invite',
    '/applications?form=new',
    '/terms',
    '/branding',
    '/reasons',
    '/storage',
    '/settings',
    '/audit',
    '/health',
  ]
  for (const part of parts) {
    await open(part)
    assert.deepEqual(await findingsInEveryLook(page, part || 'overview'), [])
  }
  assert.deepEqual(pageErrors, [])
})

/** Labels of the sections that are wider than their column, and a button of the menu that is out of the window. */
const findCutOff = `[
  ...[...document.querySelectorAll('[data-part]')].filter((link) => link.scrollWidth > link.clientWidth),
  ...[...document.querySelectorAll('header [name=menu]')].filter((button) => button.getBoundingClientRect().right > innerWidth),
].map((element) => element.textContent)`

void test('the long words of German fit into the bar and beside a section, in windows of every width', async (t) => {
  const scene = await openAdmin(t)
  if (!scene) return
  const { page, context, site, open, pageErrors } = scene
  await context.addCookies([{ name: 'waymark_language', value: 'de', url: site.origin }])
  await open('')
  await page.getByRole('heading', { level: 1, name: 'Übersicht' }).waitFor()
  for (const width of [740, 768, 834, 970, 1_024, 1_100, 1_200, 1_280]) {
    await page.setViewportSize({ width, height: 800 })
    assert.deepEqual(await sidewaysScroll(page), [], `${width}`)
    assert.deepEqual(await evaluate(page, findCutOff), [], `${width}`)
  }
  assert.deepEqual(pageErrors, [])
})
