// The administration for an admin: each section with real data, and the immediate effect of changes.
import assert from 'node:assert/strict'
import { readFile, rm } from 'node:fs/promises'
import { test } from 'node:test'
import { byCommand } from '../../src/accounts/audit/audit.ts'
import { storeSubmitter } from '../../src/accounts/unclaimed.ts'
import { evaluate } from './harness.ts'
import { newFolder } from '../helpers/folders.ts'
import { openAdmin } from './admin-scene.ts'

const shownReasons = `[...document.querySelectorAll('[data-reason]')].map(({ dataset }) => dataset.reason)`

const file = (name: string, mimeType: string, text: string) => ({ name, mimeType, buffer: Buffer.from(text) })

void test('trails are created with a line from a file, edited, and deleted only if they have no photos', async (t) => {
  const scene = await openAdmin(t, { expectedStatuses: [409] })
  if (!scene) return
  const { page, open, press, member, site, pageErrors } = scene
  await open('/trails')
  await press('New trail')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Heron Loop')
  const line = '{"type":"LineString","coordinates":[[7,46],[7.1,46.1]]}'
  await dialog.locator('input[type=file]').setInputFiles(file('l.geojson', 'application/geo+json', line))
  await dialog.getByText('2 points').waitFor()
  await press('Create trail')
  await page.getByText('Heron Loop created').waitFor()
  await page.getByRole('link', { name: 'Heron Loop' }).waitFor()

  await press('Edit Heron Loop')
  await dialog.getByLabel('Name').fill('Heron Lake Loop')
  await dialog.getByLabel('Slug').fill('heron-lake')
  await press('Save')
  await page.getByText('Heron Lake Loop saved').waitFor()
  const kept = await member.call('GET', '/v2/trails?slug=heron-lake')
  const [trail] = (JSON.parse(kept.text) as { items: { name: string; lengthMiles: number | null }[] }).items
  assert.equal(trail?.name, 'Heron Lake Loop')
  assert.ok((trail?.lengthMiles ?? 0) > 8, 'the line stays where it is not touched')

  await press('Delete Heron Lake Loop')
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('Heron Lake Loop deleted').waitFor()
  const reviewer = await site.waymark.addPerson({ role: 'reviewer' })
  const { db } = site.waymark.installation.database
  await db.insertInto('account_trail').values({ account_id: reviewer.accountId, trail_id: 4712 }).execute()
  await press('Delete Creek Trail')
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
  await dialog.getByText('Some reviewers are limited to this trail').waitFor()
  assert.deepEqual(pageErrors, [])
})

void test('a file of trails is previewed line by line, and imported on confirmation', async (t) => {
  const scene = await openAdmin(t)
  if (!scene) return
  const { page, open, press, member, pageErrors } = scene
  const count = async () =>
    (JSON.parse((await member.call('GET', '/v2/trails')).text) as { items: unknown[] }).items.length
  const rows = page.locator('[data-import] tbody tr')
  const texts = async () => (await rows.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim())
  await open('/trails?view=import')
  const input = page.locator('main input[type=file]')
  await input.setInputFiles(file('t.csv', 'text/csv', 'trailID,name\n4711,Rim\n0,Wrong\n'))
  await page.getByText('Fix these lines').waitFor()
  assert.match((await texts())[0] ?? '', /^Invalid line 3 – trailID must be/i)
  assert.equal(await page.getByRole('button', { name: /^Import/ }).count(), 0)

  await press('Choose another file')
  const csv = 'trailID,name\n4711,Rim\n4712,Creek Trail\n4713,Ochre\n'
  await input.setInputFiles(file('t.csv', 'text/csv', csv))
  await rows.first().waitFor()
  const [added, changed] = await texts()
  assert.match(added ?? '', /^added line 4 4713 Ochre ochre$/i)
  assert.match(changed ?? '', /^changed line 2 4711 name Rim Trail Rim slug rim-trail rim$/i)
  assert.match(await page.locator('dl').innerText(), /1\s*unchanged|unchanged\s*1/)
  assert.equal(await count(), 2, 'a dry run changes nothing')
  await press('Import 2 changes')
  await page.getByText('1 trail added, 1 changed').waitFor()
  await page.getByRole('link', { name: 'Ochre' }).waitFor()
  assert.equal(await count(), 3)
  const download = page.waitForEvent('download')
  await press('Export CSV')
  const saved = await readFile(await (await download).path(), 'utf8')
  assert.match(saved, /4713,Ochre,ochre/)
  assert.deepEqual(pageErrors, [])
})

void test('a role change applies at the next request, a suspension at once, and both can be undone', async (t) => {
  const scene = await openAdmin(t)
  if (!scene) return
  const { page, open, member, settled, pageErrors } = scene
  const status = async (path: string) => (await member.call('GET', path)).status
  assert.deepEqual([await status('/v2/review/queue'), await status('/v2/me')], [403, 200])
  await open(`/accounts?q=${member.email}`)
  assert.equal(await page.locator('[data-account]').count(), 1)
  await page.locator(`[data-account="${member.accountId}"] button`).click()
  const panel = page.getByRole('dialog')
  await panel.getByLabel('Role').selectOption('reviewer')
  await page.getByText('is now Reviewer').waitFor()
  assert.equal(await status('/v2/review/queue'), 200)

  await panel.getByLabel('Add trail').fill('creek')
  await panel.getByRole('button', { name: /Creek Trail/ }).click()
  await panel.getByRole('button', { name: 'Remove Creek Trail from the list' }).waitFor()
  const me = JSON.parse((await member.call('GET', '/v2/site')).text) as { viewer: { trails: unknown } }
  assert.deepEqual(me.viewer.trails, [4712])

  await panel.getByLabel('Suspended').click()
  await page.getByText(/\w suspended$/).waitFor()
  assert.equal(await status('/v2/me'), 401)
  await page.getByRole('button', { name: 'Undo' }).last().click()
  await panel.locator('[role=switch]:checked').waitFor({ state: 'detached' })
  await panel.getByLabel('Trusted submitter').click()
  await page.getByText('are now published without review').waitFor()
  await page.keyboard.press('Escape')
  await open(`/audit?acctID=${member.accountId}&action=account.suspended`)
  await settled()
  assert.equal(await page.locator('tbody tr').count(), 1)
  assert.deepEqual(pageErrors, [])
})

void test('an account that nobody has claimed yet says so in the list, and is given an address', async (t) => {
  const scene = await openAdmin(t)
  if (!scene) return
  const { page, open, site, pageErrors } = scene
  const { installation, system } = site.waymark
  const isFrom = () => true
  const keeping = { at: system.now(), by: byCommand, source: 'https://old.example/V1', isFrom, isSame: false }
  const ann = { id: 42, displayName: 'Ann', email: undefined }
  await installation.database.db.transaction().execute((tx) => storeSubmitter(tx, ann, keeping))
  const row = page.locator('[data-account="42"]')
  await open('/accounts')
  await row.getByText('not claimed yet').waitFor()
  assert.equal(await row.getByText('email not confirmed').count(), 0, 'there is none to verify')
  await row.getByRole('button').click()
  const panel = page.getByRole('dialog')
  await panel.getByLabel('Email address of its owner').fill('ann@trails.example')
  await panel.getByRole('button', { name: 'Save address' }).click()
  await page.getByText('Ann saved').waitFor()
  await page.keyboard.press('Escape')
  await row.getByText('ann@trails.example').waitFor()
  await row.getByText('email not confirmed').waitFor()
  assert.deepEqual(pageErrors, [])
})

void test('people are invited, uninvited, created, given a link, and deleted after their address was typed', async (t) => {
  const scene = await openAdmin(t)
  if (!scene) return
  const { page, open, press, member, pageErrors } = scene
  const dialog = page.getByRole('dialog')
  await open('/accounts?view=invitations')
  await page.getByText('No open invitations').waitFor()
  await press('Invite')
  await dialog.getByLabel('Email address').fill('new@trails.example')
  await dialog.getByLabel('Role').selectOption('reviewer')
  await dialog.getByRole('button', { name: 'Invite', exact: true }).click()
  assert.match(await dialog.locator('[data-secret]').innerText(), /^http:\/\/localhost:\d+\/photos\//)
  await page.keyboard.press('Escape')
  await press('Revoke the invitation for new@trails.example')
  await dialog.getByRole('button', { name: 'Revoke', exact: true }).click()
  await page.getByText('No open invitations').waitFor()

  await open(`/accounts?account=${member.accountId}`)
  await press('Create password reset link')
  assert.match(await dialog.locator('[data-secret]').innerText(), /\/photos\//)
  await press('Delete account')
  const last = dialog.last()
  const go = last.getByRole('button', { name: 'Delete permanently' })
  assert.equal(await go.isDisabled(), true)
  await last.getByLabel(/^Type /).fill(member.email)
  await go.click()
  await page.getByText('deleted, with 0 photos and 0 routes').waitFor()
  assert.equal((await member.call('GET', '/v2/me')).status, 401)
  assert.deepEqual(pageErrors, [])
})

void test('applications, terms and reasons are created, changed and visible where they apply', async (t) => {
  const scene = await openAdmin(t)
  if (!scene) return
  const { page, open, press, member, pageErrors } = scene
  const dialog = page.getByRole('dialog')
  await open('/applications')
  await press('New application')
  await dialog.getByLabel('Name').fill('Feed')
  await dialog.getByLabel('Redirect URIs').fill('https://feed.example/back')
  await press('Register')
  assert.match(await dialog.locator('[data-secret]').innerText(), /^wms_/)
  await press('Done')
  await press('Withdraw the approval of Feed') // which an admin's own registration has
  await dialog.getByRole('button', { name: 'Withdraw approval' }).click()
  await page.getByText('Approval of Feed withdrawn').waitFor()
  await press('Approve Feed')
  await dialog.getByText(/people are sent to feed\.example/).waitFor()
  await dialog.getByRole('button', { name: 'Approve', exact: true }).click()
  await page.getByText('Feed approved').waitFor()
  await page.locator('[data-client]').getByText('approved', { exact: true }).waitFor()
  await press('Remove Feed')
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByText('Feed removed').waitFor()

  await open('/terms')
  await page.getByLabel('Photo licence').selectOption('CC-BY-4.0')
  await page.getByLabel('Upload terms').first().fill('Be kind.')
  const preview = page.getByRole('region', { name: 'Preview' })
  assert.match(await preview.innerText(), /Attribution 4\.0[\s\S]*Be kind\./)
  await press('Publish')
  await page.getByText(/^Version \d{4}-/).waitFor()
  const terms = JSON.parse((await member.call('GET', '/v2/terms')).text) as { licence: { code: string } }
  assert.equal(terms.licence.code, 'CC-BY-4.0')

  await open('/reasons')
  await press('Add reason')
  await press('Save reasons')
  await page.getByText('Enter some text.').waitFor()
  const row = page.locator('[data-reason]').last()
  await row.getByLabel(/^Code of/).fill('night')
  await row.getByLabel(/^Text of/).fill('Taken at night')
  await press('Move “Taken at night” up')
  await press('Save reasons')
  await page.getByText('Reasons saved').waitFor()
  const codes = await evaluate(page, shownReasons)
  assert.equal((codes as string[]).indexOf('night'), (codes as string[]).length - 2)
  assert.deepEqual(pageErrors, [])
})

void test('figures, settings, health and audit show the current state; the export is a CSV of the filtered list', async (t) => {
  const scene = await openAdmin(t)
  if (!scene) return
  const { page, open, press, settled, pageErrors } = scene
  await open('/storage')
  assert.match(await page.getByRole('main').innerText(), /Database[\s\S]*Photos by state/)
  await open('/settings?q=nothing-of-it')
  await page.getByText(/Settings are not available|No matching settings/).waitFor()
  await open('/health')
  await page.locator('[data-probe="/health/ready"]').getByText('responded in').waitFor()
  await open('')
  await page.getByText('Nothing pending review.').waitFor()
  await page.getByText('The server makes no backups by itself (BACKUP_SCHEDULE)').waitFor()
  await open('/audit')
  await page.getByLabel('Action').selectOption('trail.imported')
  await page.waitForURL(/action=trail\.imported/)
  await settled()
  const download = page.waitForEvent('download')
  await press('Export as CSV')
  const saved = await readFile(await (await download).path(), 'utf8')
  assert.match(saved, /^position,at,actor,via,action,acctID,detail\r\n/)
  assert.deepEqual(pageErrors, [])
})

void test('the overview shows the last scheduled backup, when the next is due, and why one failed', async (t) => {
  const to = await newFolder(t)
  const scene = await openAdmin(t, {}, { BACKUP_SCHEDULE: '15 3 * * *', BACKUP_TO: to })
  if (!scene) return
  const { page, open, site, pageErrors } = scene
  const { app, installation } = site.waymark
  const { job } = app.services.backups ?? assert.fail('no backups are scheduled')
  await open('')
  await page.getByText('No backup has been made yet.').waitFor()
  await page.getByText('The next one is due on').waitFor()
  await job.runIfDue() // nothing is due yet; the schedule starts
  const due = { since: 0 }
  await installation.database.db
    .updateTable('installation_fact')
    .set({ value: JSON.stringify(due) })
    .where('name', '=', 'backup')
    .execute()
  await job.runIfDue()
  await open('')
  await page.getByText(/Last backup .*: .*B in \d+ s\./).waitFor()
  await page.getByText('successful', { exact: true }).waitFor()
  const state = await installation.database.db
    .selectFrom('installation_fact')
    .select('value')
    .where('name', '=', 'backup')
    .executeTakeFirstOrThrow()
  const { success } = JSON.parse(state.value) as { success: { startedAt: number } }
  success.startedAt = 0
  await installation.database.db
    .updateTable('installation_fact')
    .set({ value: JSON.stringify({ since: 0, success }) })
    .where('name', '=', 'backup')
    .execute()
  await rm(to, { recursive: true })
  await assert.rejects(job.runIfDue(), /is not a folder/)
  await open('')
  await page.getByText(/Failed .*: BACKUP_TO .* is not a folder: create it, or mount its disk\./).waitFor()
  await page.getByText('needs attention', { exact: true }).waitFor()
  await page.getByText('Overdue since').waitFor()
  assert.deepEqual(pageErrors, [])
})
