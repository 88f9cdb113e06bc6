// The administration by keyboard, on a phone and in the dark, with its dialogs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findingsInEveryLook } from './harness.ts'
import { openAdmin } from './admin-scene.ts'

void test('every key of the sheet does what it says, and nobody but admins gets in', async (t) => {
  const scene = await openAdmin(t)
  if (!scene) return
  const { page, open, troubles } = scene
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
  assert.deepEqual(troubles, [])
})

void test('axe finds nothing in any part, by day, in the dark and in dialogs, and nothing is wider than a phone', async (t) => {
  const scene = await openAdmin(t, { widthPx: 390 })
  if (!scene) return
  const { page, open, member, troubles } = scene
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
  assert.deepEqual(troubles, [])
})
