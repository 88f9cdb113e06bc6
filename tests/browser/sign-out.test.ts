// Signing out in a real browser: stored account data is deleted after asking about unsent photos and routes, and the next
// user sees none of it.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { ownConnection } from './harness.ts'
import { dropFiles, enter, filesIn, photo } from './upload-fixtures.ts'
import { inState, open, prepare, waitForCount, type Room } from './upload-scene.ts'

interface Held {
  /** The account of each photo. */
  readonly photos: readonly number[]
  readonly files: number
  readonly drafts: readonly string[]
  readonly traces: readonly string[]
}

/** Runs in the page: the content of its stores. Opening a missing database would create it. */
const heldHere = `(async () => {
  const known = (await indexedDB.databases()).map(({ name }) => name)
  const asked = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
  const all = async (name, store, how) => {
    if (!known.includes(name)) return []
    const database = await asked(indexedDB.open(name))
    const found = await asked(database.transaction(store).objectStore(store)[how]())
    database.close()
    return found
  }
  return {
    photos: (await all('waymark.uploads', 'photos', 'getAll')).map(({ acctId }) => acctId),
    files: (await all('waymark.uploads', 'files', 'getAllKeys')).length,
    drafts: await all('waymark.route-drafts', 'drafts', 'getAllKeys'),
    traces: Object.keys(localStorage).filter((name) => /place|left/.test(name)),
  }
})()`

const held = (page: Page): Promise<Held> => page.evaluate<Held>(heldHere)

async function chooseSignOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Menu for/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
}

const cases: Record<string, (t: TestContext, room: Room) => Promise<void>> = {}

cases[
  'signing out asks about waiting photos: cancelled, they stay; signed out, they are deleted with all personal data'
] = async (t, room) => {
  const { page, site, member, pageErrors } = await open(room)
  await page.evaluate(`localStorage.setItem('waymark.route-place', '[7,46,8,47]')`)
  const files = { 'a.jpg': await photo({ seed: 1 }), 'b.jpg': await photo({ seed: 2 }) }
  await dropFiles(page, await filesIn(t, files))
  await waitForCount(inState(page, 'ready'), 2, 'ready')

  await chooseSignOut(page)
  const dialog = page.getByRole('dialog', { name: 'Sign out and delete?' })
  await dialog.getByText('2 photos are still waiting to upload.').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.equal((await held(page)).files, 2)
  assert.equal((await page.request.get(`${site.url}/v2/me`, { headers: ownPage(site.url) })).status(), 200)

  await chooseSignOut(page)
  await dialog.getByRole('button', { name: 'Sign out and delete' }).click()
  await page.getByText('You are signed out in this browser.').waitFor()
  assert.equal(await page.getByText('stay in this browser').count(), 0)
  assert.deepEqual(await held(page), { photos: [], files: 0, drafts: [], traces: [] })
  assert.equal((await page.request.get(`${site.url}/v2/me`, { headers: ownPage(site.url) })).status(), 401)

  await enter(page, site, '/upload?trail=rim-trail', member)
  await page.getByText('or paste them').waitFor()
  assert.equal(await page.getByRole('article').count(), 0)
  assert.deepEqual(pageErrors, [])
}

cases[
  'an expired session deletes nothing; the next person sees none of it, and signing out deletes none of it'
] = async (t, room) => {
  const { page, context, site, member } = await open(room, { expectedStatuses: [401] })
  await dropFiles(page, await filesIn(t, { 'a.jpg': await photo({ seed: 3 }) }))
  await waitForCount(inState(page, 'ready'), 1, 'ready')
  await page.goto('about:blank')
  await context.clearCookies()

  const next = await enter(page, site, '/upload?trail=rim-trail')
  await page.getByText('or paste them').waitFor()
  assert.equal(await page.getByRole('article').count(), 0)
  await dropFiles(page, await filesIn(t, { 'b.jpg': await photo({ seed: 4 }) }))
  await waitForCount(inState(page, 'ready'), 1, 'ready')
  assert.deepEqual(
    (await held(page)).photos.toSorted((one, other) => one - other),
    [member.accountId, next.accountId].toSorted((one, other) => one - other),
  )
  await chooseSignOut(page)
  await page.getByRole('dialog').getByText('1 photo is still waiting to upload.').waitFor()
  await page.getByRole('button', { name: 'Sign out and delete' }).click()
  await page.getByText('You are signed out in this browser.').waitFor()
  assert.deepEqual((await held(page)).photos, [member.accountId])

  await enter(page, site, '/upload?trail=rim-trail', member)
  await page.getByRole('article', { name: 'a.jpg' }).waitFor()
}

cases['an unsaved route is asked about, and removed in every tab; with nothing unsent there is no question'] =
  async (_t, room) => {
    const { page, context, site, member } = await open(room)
    const editor = await context.newPage()
    await editor.goto(`${site.url}/routes/new`)
    await editor.getByRole('textbox', { name: 'Name' }).fill('Home and back')
    const end = Date.now() + 30_000
    while ((await held(page)).drafts.length === 0) {
      assert.ok(Date.now() < end, 'the draft was never stored')
      await page.waitForTimeout(50)
    }
    assert.deepEqual((await held(page)).drafts, [`${member.accountId} new`])
    await chooseSignOut(page)
    await page.getByRole('dialog').getByText('1 route has unsaved changes.').waitFor()
    await page.getByRole('button', { name: 'Sign out and delete' }).click()
    await page.getByText('You are signed out in this browser.').waitFor()
    // The editor in the other tab stores every change, at the latest when it is closed.
    await editor.getByRole('textbox', { name: 'Name' }).fill('Home and back again')
    await editor.evaluate(`dispatchEvent(new Event('beforeunload'))`)
    assert.deepEqual((await held(page)).drafts, [])

    await enter(page, site, '/photos', member)
    await chooseSignOut(page)
    await page.getByText('You are signed out in this browser.').waitFor()
  }

/** Headers of a request from a page of the site. */
const ownPage = (url: string) => ({
  'sec-fetch-site': 'same-origin',
  origin: new URL(url).origin,
  ...ownConnection,
})

void test('signing out', async (t) => {
  const room = await prepare(t)
  if (!room) return
  for (const [name, run] of Object.entries(cases)) await t.test(name, (each) => run(each, room))
})
