// The docs for a visitor: every guide, every link, the reference of every operation, and trying one with a key.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { guideNames } from '../../web/pages/docs/guide-list.ts'
import { addMember } from '../helpers/visitor.ts'
import { openDocs } from './docs-scene.ts'
import { evaluate } from './harness.ts'

const lostHashes = `[...document.querySelectorAll('main a[href^="#"]')]
  .map(({ hash }) => decodeURIComponent(hash.slice(1)))
  .filter((id) => !document.getElementById(id))`
const shownOperations = `[...document.querySelectorAll('[data-operation]')].map(({ dataset }) => dataset.operation)`

const heading = (page: Page) => page.getByRole('heading', { level: 1 }).innerText()

/** The address changes first: until the guide has come, its predecessor is still shown, with its keys. */
const shown = (page: Page, title: string): Promise<void> =>
  page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()

void test('every guide opens from the list without an account, and none of its links is broken', async (t) => {
  const scene = await openDocs(t)
  if (!scene) return
  const { page, open, pageErrors } = scene
  await open('')
  const list = page.getByRole('navigation', { name: 'Docs' })
  const links = list.getByRole('link')
  assert.equal(await links.count(), guideNames.length + 2)
  const seen = new Set<string>()
  for (const name of guideNames) {
    const link = list.locator(`a[href="/photos/docs/${name}"]`)
    const title = await link.innerText()
    await link.click()
    await page.waitForURL(new RegExp(`/docs/${name}$`))
    await shown(page, title)
    await page.getByRole('navigation', { name: 'Guides' }).waitFor()
    seen.add(title)
    const broken = await evaluate(page, lostHashes)
    assert.deepEqual(broken, [], name)
  }
  assert.equal(seen.size, guideNames.length)
  // From guide to guide, to the exact heading.
  await open('/review')
  await page.locator('main a[href="/photos/docs/operations#checking-the-data"]').click()
  await page.waitForURL(/\/docs\/operations#checking-the-data$/)
  await shown(page, 'Operating Waymark')
  assert.deepEqual(pageErrors, [])
})

void test('guides are searched, code is copied, tab choices are remembered, and keys lead from one to the next', async (t) => {
  const scene = await openDocs(t)
  if (!scene) return
  const { page, open, context, pageErrors } = scene
  await open('')
  await page.keyboard.press('/')
  await page.keyboard.type('backup')
  await page.getByRole('link', { name: 'Backup and restore' }).last().click()
  await page.waitForURL(/\/docs\/backup/)
  await shown(page, 'Backup and restore')
  await page.keyboard.press(']')
  await page.waitForURL(/\/docs\/metrics/)
  await shown(page, 'Metrics')
  await page.keyboard.press('[')
  await page.waitForURL(/\/docs\/backup/)
  await shown(page, 'Backup and restore')
  await page.keyboard.press('r')
  await page.waitForURL(/\/docs\/api/)
  await open('/upload')
  await page.getByRole('tab', { name: 'Command line' }).first().click()
  assert.equal(await page.getByRole('tab', { name: 'Command line', selected: true }).count(), 2)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('button', { name: 'Copy code' }).first().click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  assert.match(await page.evaluate('navigator.clipboard.readText()'), /^waymark login/)
  await open('/no-such-guide')
  assert.equal(await heading(page), 'Guide not found')
  assert.deepEqual(pageErrors, [])
})

void test('the reference lists every operation of openapi.json, searchable and linkable', async (t) => {
  const scene = await openDocs(t)
  if (!scene) return
  const { page, open, pageErrors } = scene
  const file = path.resolve(import.meta.dirname, '../../docs/openapi.json')
  const { paths } = JSON.parse(await readFile(file, 'utf8')) as { paths: Record<string, object> }
  const all = Object.entries(paths).flatMap(([at, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${at}`),
  )
  await open('/api')
  const shown = await evaluate(page, shownOperations)
  assert.deepEqual((shown as string[]).toSorted(), all.toSorted())
  await open('/api#postTrailsTrailIDImages')
  const entry = page.locator('#postTrailsTrailIDImages')
  await entry.getByRole('heading', { name: 'Responses' }).waitFor()
  assert.equal(await entry.getByRole('tab', { name: 'application/xml' }).count(), 2)
  assert.match(await entry.innerText(), /images:write[\s\S]*image\/jpeg/)
  await page.getByLabel('Search operations').fill('webhook rotate')
  await page.getByText('1 operation', { exact: true }).waitFor()
  assert.equal(await page.locator('[data-operation]').count(), 1)
  assert.deepEqual(pageErrors, [])
})

void test('an operation is tried with a key, which stays in the tab; a wrong one shows the problem; a change asks first', async (t) => {
  const scene = await openDocs(t, { expectedStatuses: [401] })
  if (!scene) return
  const { page, open, site, pageErrors } = scene
  await site.waymark.addTrail(4711, 'Rim Trail')
  const { accountId } = await addMember(site.waymark)
  const apiKey = await site.waymark.addKey(accountId)
  await open('/api#getTrailsTrailIDImages')
  const entry = page.locator('#getTrailsTrailIDImages')
  const answer = entry.locator('[data-status]')
  await entry.getByLabel('API key').first().fill('wm_wrong')
  await entry.getByLabel('trailID (path)').fill('4711')
  await entry.getByRole('button', { name: 'Send', exact: true }).click()
  await answer.getByText('Invalid API key').waitFor()
  assert.equal(await answer.getAttribute('data-status'), '401')
  await entry.getByLabel('API key').first().fill(apiKey)
  await entry.getByLabel('Accept').selectOption('application/xml')
  await entry.getByRole('button', { name: 'Send', exact: true }).click()
  await page.locator('#getTrailsTrailIDImages [data-status="200"]').waitFor()
  assert.match(await answer.innerText(), /ArrayOfTrailImageDetails/)
  const kept =
    'JSON.stringify([sessionStorage.getItem("waymark.docs.api-key"), JSON.stringify(localStorage)])'
  const [inTab, inBrowser] = JSON.parse(await page.evaluate(kept)) as [string, string]
  assert.equal(inTab, apiKey)
  assert.ok(!inBrowser.includes(apiKey))

  await open('/api#postV2Trails')
  const write = page.locator('#postV2Trails')
  await write.getByText('This is not a dry run').waitFor()
  assert.equal(await write.getByRole('button', { name: 'Send', exact: true }).isDisabled(), true)
  await write.getByLabel('I understand').click()
  assert.equal(await write.getByRole('button', { name: 'Send', exact: true }).isDisabled(), false)
  assert.deepEqual(pageErrors, [])
})
