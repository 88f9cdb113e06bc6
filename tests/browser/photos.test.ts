// One's own photos in a real browser: their status, editing, deleting with Undo, sending another.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Locator, Page } from 'playwright-core'
import type { Member } from '../helpers/visitor.ts'
import type { Person } from '../helpers/waymark.ts'
import {
  openBrowser,
  sidewaysScroll,
  shoot,
  type TestBrowser,
  type Visit,
  type VisitOptions,
} from './harness.ts'
import { startSite, type ServedSite } from './site.ts'
import { enter, photo, place, turnToToday } from './upload-fixtures.ts'
import { lookAt, showsTrail, waitForCount } from './upload-scene.ts'
import { addMember } from '../helpers/visitor.ts'

interface Room {
  readonly browser: TestBrowser
  readonly site: ServedSite
  readonly staff: Person
}

interface Own {
  readonly member: Member
  readonly token: string
  /** imageIDs in upload order: approved, rejected as blurred, pending, pending. */
  readonly ids: readonly number[]
}

let seed = 0

async function furnish({ site, staff }: Room): Promise<Own> {
  const { waymark } = site
  const member = await addMember(waymark)
  const token = await waymark.tokenFor(member.accountId, 'images:read images:write')
  const ids: number[] = []
  for (const title of ['Old bridge', 'Fog', 'Summit', 'Lake']) {
    seed += 1
    // A second apart, so that their order is defined.
    waymark.system.advance(1_000)
    const id = await waymark.upload(
      { accountId: member.accountId, token },
      4711,
      await photo({ seed: 100 + seed, position: place }),
    )
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ title })
    const answer = await waymark.fetch(`/v2/images/${id}`, { method: 'PATCH', token, headers, body })
    assert.equal(answer.status, 200)
    ids.push(id)
  }
  const [approved = 0, rejected = 0] = ids
  await waymark.review(staff, approved, 'approve')
  const refused = await waymark.fetch(`/v2/images/${rejected}/review`, {
    method: 'POST',
    token: staff.token,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ decision: 'reject', reason: 'blurred' }),
  })
  assert.equal(refused.status, 200)
  return { member, token, ids }
}

interface Opened extends Visit, Own {
  readonly site: ServedSite
  readonly staff: Person
}

async function open(room: Room, options: Partial<VisitOptions> = {}): Promise<Opened> {
  const own = await furnish(room)
  const visit = await room.browser.visit({ origins: [room.site.origin], ...options })
  visit.context.setDefaultTimeout(30_000)
  await enter(visit.page, room.site, '/photos', own.member)
  await card(visit.page, 'Lake').waitFor()
  return { ...visit, ...own, site: room.site, staff: room.staff }
}

const card = (page: Page, title: string): Locator => page.getByRole('article', { name: title, exact: true })
const tab = (page: Page, name: string): Locator =>
  page.getByRole('navigation', { name: 'Filter by status' }).getByRole('link', { name })

async function readImage({ site, token }: Opened, id: number): Promise<Record<string, unknown>> {
  const answer = await site.waymark.fetch(`/v2/images/${id}`, { token })
  return (await answer.json()) as Record<string, unknown>
}

const cases: Record<string, (room: Room) => Promise<void>> = {}

cases['each photo shows its state, a rejected one the reason, and can be replaced by another'] = async (
  room,
) => {
  const { page, pageErrors } = await open(room)
  await tab(page, 'All 4').waitFor()
  await tab(page, 'Pending review 2').waitFor()
  await card(page, 'Fog').getByText('blurred').waitFor()
  await lookAt(page, 'photos')
  await tab(page, 'Rejected 1').click()
  await page.waitForURL(/status=rejected/)
  await waitForCount(page.getByRole('article'), 1, 'the rejected one')
  await tab(page, 'Unpublished 0').click()
  await page.getByText('No unpublished photos').waitFor()
  await lookAt(page, 'photos-none')
  await tab(page, 'Rejected 1').click()
  await card(page, 'Fog').getByRole('link', { name: 'Upload a replacement' }).click()
  await page.getByText('Replacing “Fog”').waitFor()
  await showsTrail(page, 'Rim Trail')
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles({
      name: 'clear.jpg',
      mimeType: 'image/jpeg',
      buffer: await photo({ seed: 77 }),
    })
  await page.getByLabel('Title of clear.jpg').waitFor()
  assert.equal(await page.getByLabel('Title of clear.jpg').inputValue(), 'Fog')
  assert.deepEqual(pageErrors, [])
}

cases[
  'text and location are changed in the drawer, the location cleared; a decision appears without reloading'
] = async (room) => {
  const opened = await open(room, { expectedStatuses: [412] })
  const { page, ids, site, staff, token, pageErrors } = opened
  const [, , summit = 0] = ids
  await page.getByRole('button', { name: 'Open Summit' }).click()
  await page.getByRole('dialog').getByLabel('Title').fill('The summit')
  await page.getByRole('button', { name: 'Clear location' }).click()
  await page.getByRole('dialog').locator('li').filter({ hasText: 'Uploaded' }).first().waitFor()
  await lookAt(page, 'photos-drawer')
  // Someone else changes it in the meantime: nothing is overwritten unseen. The other version arrives late, after the refusal.
  await page.route(`**/v2/images/${summit}`, async (route) => {
    if (route.request().method() === 'GET') await setTimeout(500)
    await route.continue()
  })
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ caption: 'From elsewhere' })
  await site.waymark.fetch(`/v2/images/${summit}`, { method: 'PATCH', token, headers, body })
  await page.getByRole('button', { name: 'Save' }).click()
  const changed = page.getByRole('alert').filter({ hasText: 'This photo was changed elsewhere' })
  const saved = page.getByText('Saved.')
  await changed.or(saved).first().waitFor()
  if (await changed.isVisible()) await page.getByRole('button', { name: 'Save' }).click()
  await saved.waitFor()
  await page.unrouteAll({ behavior: 'wait' })
  const { title, lat, lon, caption } = await readImage(opened, summit)
  assert.deepEqual([title, lat, lon, caption], ['The summit', null, null, 'From elsewhere'])
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await card(page, 'The summit').waitFor()
  await site.waymark.review(staff, summit, 'approve')
  await card(page, 'The summit').getByText('Published').waitFor()
  await tab(page, 'Published 2').waitFor()
  assert.deepEqual(pageErrors, [])
}

cases['several are selected and deleted, and restored by Undo; the trash restores the rest'] = async (
  room,
) => {
  const opened = await open(room)
  const { page, pageErrors } = opened
  await page.getByRole('checkbox', { name: 'Select Summit' }).check()
  await page.getByRole('checkbox', { name: 'Select Fog' }).click({ modifiers: ['Shift'] })
  const bar = page.getByRole('region', { name: 'Actions for selected photos' })
  await bar.getByText('2 photos selected').waitFor()
  await lookAt(page, 'photos-selected')
  await bar.getByRole('button', { name: 'Delete' }).click()
  await waitForCount(page.getByRole('article'), 2, 'deleted')
  await tab(page, 'Trash 2').waitFor()
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click()
  await waitForCount(page.getByRole('article'), 4, 'taken back')
  await page.getByRole('checkbox', { name: 'Select Lake' }).check()
  await bar.getByRole('button', { name: 'Set a caption' }).click()
  await page.getByRole('dialog').getByLabel('Caption').fill('In May')
  await page.getByRole('button', { name: 'Set caption of 1 photo' }).click()
  await page.getByText('Caption set for 1 photo.').waitFor()
  await bar.getByRole('button', { name: 'Delete' }).click()
  await waitForCount(page.getByRole('article'), 3, 'deleted')
  await tab(page, 'Trash 1').click()
  await lookAt(page, 'photos-trash')
  await page.getByRole('button', { name: 'Restore Lake' }).click()
  await page.getByText('The trash is empty').waitFor()
  const image = await readImage(opened, opened.ids[3] ?? 0)
  assert.deepEqual([image['status'], image['caption']], ['pending', 'In May'])
  assert.deepEqual(pageErrors, [])
}

cases['every key on the shortcut sheet works'] = async (room) => {
  const { page, pageErrors } = await open(room)
  const active = page.locator('article[data-active=true]')
  await page.keyboard.press('j')
  assert.equal(await active.getAttribute('aria-label'), 'Lake')
  await page.keyboard.press('j')
  assert.equal(await active.getAttribute('aria-label'), 'Summit')
  await page.keyboard.press('k')
  assert.equal(await active.getAttribute('aria-label'), 'Lake')
  await page.keyboard.press('x')
  assert.equal(await active.getAttribute('data-selected'), 'true')
  await page.keyboard.press('x')
  assert.equal(await active.getAttribute('data-selected'), 'false')
  await page.keyboard.press('a')
  await page.getByText('4 photos selected').waitFor()
  await page.keyboard.press('a')
  await page.getByText('4 photos selected').waitFor({ state: 'detached' })
  await page.keyboard.press('e')
  await page.getByRole('dialog').getByLabel('Title').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.keyboard.press('c')
  await page.getByRole('dialog', { name: 'Set the caption of 1 photo' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.keyboard.press('v')
  await page.waitForURL(/view=list/)
  await shoot(page, 'photos-list')
  await page.keyboard.press('Delete')
  await waitForCount(page.getByRole('article'), 3, 'deleted')
  await page.keyboard.press('?')
  await page.getByRole('dialog').waitFor()
  const entries = await page.locator('[data-shortcut]').all()
  const listed = await Promise.all(entries.map((entry) => entry.getAttribute('data-shortcut')))
  const own = listed.filter((keys) => keys !== null && !/^g |^[?/]$|^Mod\+K$/.test(keys))
  assert.deepEqual(new Set(own), new Set(['j', 'k', 'e', 'x', 'a', 'c', 'Delete', 'v']))
  assert.deepEqual(pageErrors, [])
}

cases['on a phone nothing is wider than the screen, and the drawer works'] = async (room) => {
  const { page, pageErrors } = await open(room, { widthPx: 390 })
  assert.deepEqual(await sidewaysScroll(page), [])
  await shoot(page, 'photos-phone')
  await page.getByRole('searchbox').fill('fog')
  await waitForCount(page.getByRole('article'), 1, 'found')
  await page.getByRole('button', { name: 'Open Fog' }).click()
  await page.getByRole('dialog').getByText('Rejected').first().waitFor()
  assert.deepEqual(await sidewaysScroll(page), [])
  await shoot(page, 'photos-drawer-phone')
  assert.deepEqual(pageErrors, [])
}

async function prepare(t: TestContext): Promise<Room | undefined> {
  const browser = await openBrowser(t)
  if (!browser) return undefined
  const site = await startSite(t, { hasApp: true })
  turnToToday(site)
  await site.waymark.addTrail(4711, 'Rim Trail', 'rim-trail')
  const staff = await site.waymark.addPerson({ name: 'Rob', role: 'reviewer' })
  return { browser, site, staff }
}

void test("the page of one's own photos", async (t) => {
  const room = await prepare(t)
  if (!room) return
  for (const [name, run] of Object.entries(cases)) await t.test(name, () => run(room))
})
