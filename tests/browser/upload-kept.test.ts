// Photos being uploaded, in a real browser: across a reload, a lost response, a lost connection and an expired session,
// without duplicates.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { dropFiles, enter, filesIn, photo, throttleUploads } from './upload-fixtures.ts'
import { inState, lookAt, open, prepare, row, stored, waitForCount, type Room } from './upload-scene.ts'

const cases: Record<string, (t: TestContext, room: Room) => Promise<void>> = {}

/** Runs in the page: the Idempotency-Key of a photo in the queue, by which its request is known. */
const keyOf = (name: string): string => `new Promise((resolve, reject) => {
  const opening = indexedDB.open('waymark.uploads')
  opening.onerror = () => reject(opening.error)
  opening.onsuccess = () => {
    const reading = opening.result.transaction('photos').objectStore('photos').getAll()
    reading.onerror = () => reject(reading.error)
    reading.onsuccess = () => resolve(reading.result.find((photo) => photo.name === '${name}').key)
  }
})`

cases['C18: a reload in the middle, and a lost response: everything arrives, nothing twice'] = async (
  t,
  room,
) => {
  const opened = await open(room)
  const { page, context } = opened
  const names = ['a.jpg', 'b.jpg', 'c.jpg', 'd.jpg']
  const made = await Promise.all(names.map((_, index) => photo({ seed: index + 1, sidePx: 500 })))
  await dropFiles(
    page,
    await filesIn(t, Object.fromEntries(names.map((name, index) => [name, made[index] ?? Buffer.of()]))),
  )
  await waitForCount(inState(page, 'ready'), 4, 'ready')
  // So slow that none has arrived before the page is reloaded.
  const release = await throttleUploads(page, 10_000)
  await page.getByRole('button', { name: 'Upload 4 photos' }).click()
  // Three at once, no more.
  await waitForCount(inState(page, 'sending'), 3, 'sending')
  await waitForCount(inState(page, 'queued'), 1, 'queued')
  await page.locator('article [role=progressbar]:not([aria-valuenow="0"])').first().waitFor()

  // The first response after the reload is lost after the upload was stored.
  let lost = 0
  await context.route('**/v2/trails/4711/images', async (route) => {
    if (lost > 0 || route.request().method() !== 'POST') return route.fallback()
    lost += 1
    await route.fetch()
    return route.abort('connectionreset')
  })
  page.once('dialog', (dialog) => void dialog.accept())
  await page.reload()
  await release()
  await waitForCount(inState(page, 'done'), 4, 'done')
  assert.equal(lost, 1, 'an answer was lost')
  assert.equal((await stored(opened)).length, 4)
}

cases['without a connection photos wait, and continue by themselves once it is back'] = async (t, room) => {
  const opened = await open(room)
  const { page, context } = opened
  await dropFiles(page, await filesIn(t, { 'a.jpg': await photo({ seed: 1 }) }))
  await waitForCount(inState(page, 'ready'), 1, 'ready')
  await context.setOffline(true)
  await page.getByRole('button', { name: 'Upload 1 photo' }).click()
  await row(page, 'a.jpg').getByText('Offline. Resumes automatically.').waitFor()
  await context.setOffline(false)
  await waitForCount(inState(page, 'done'), 1, 'done')
  assert.equal((await stored(opened)).length, 1)
}

cases['an expired sign-in asks again and loses nothing; photos are never uploaded as somebody else'] = async (
  t,
  room,
) => {
  const { page, context, site, member } = await open(room, { expectedStatuses: [401] })
  await dropFiles(page, await filesIn(t, { 'a.jpg': await photo({ seed: 1 }) }))
  await waitForCount(inState(page, 'ready'), 1, 'ready')
  await context.clearCookies()
  await page.getByRole('button', { name: 'Upload 1 photo' }).click()
  const dialog = page.getByRole('dialog', { name: 'Your session has expired' })
  await dialog.waitFor()
  await dialog.getByRole('button', { name: 'Not now' }).last().click()
  await page.getByRole('alert').getByText('Nothing is lost').waitFor()
  // Another user signs in, in another tab of the same browser.
  const other = await context.newPage()
  const stranger = await enter(other, site, '/photos')
  await page.getByRole('button', { name: 'Sign in again' }).click()
  await page.getByRole('alert').getByText('Signed in to another account').waitFor()
  assert.equal((await stored({ member: stranger })).length, 0)
  await page.reload()
  await page.getByText('or paste them').waitFor()
  assert.equal(await page.getByRole('article').count(), 0, 'not the photos of the stranger')
  await other.close()
  await context.clearCookies()
  await enter(page, site, '/upload?trail=rim-trail', member)
  await waitForCount(inState(page, 'done'), 1, 'done')
  assert.equal((await stored({ member })).length, 1)
}

cases['a JPEG whose name ends in .heic is uploaded as a JPEG'] = async (t, room) => {
  const opened = await open(room)
  const { page, pageErrors } = opened
  const files = await filesIn(t, { 'phone.heic': await photo({ seed: 21 }) })
  await page.locator('input[type=file]').first().setInputFiles(files)
  await waitForCount(inState(page, 'ready'), 1, 'ready')
  await page.getByRole('button', { name: 'Upload 1 photo' }).click()
  await row(page, 'phone.heic').and(page.locator('[data-state=done], [data-state=refused]')).waitFor()
  assert.equal(await row(page, 'phone.heic').getAttribute('data-state'), 'done')
  assert.equal((await stored(opened))[0]?.mimeType, 'image/jpeg')
  assert.deepEqual(pageErrors, [])
}

cases['no remaining time is shown without a connection; the signed-out page says what still waits'] = async (
  t,
  room,
) => {
  const { page, context, site } = await open(room, { expectedStatuses: [401] })
  const files = {
    'a.jpg': await photo({ seed: 31, sidePx: 700 }),
    'b.jpg': await photo({ seed: 32, sidePx: 700 }),
  }
  await dropFiles(page, await filesIn(t, files))
  await waitForCount(inState(page, 'ready'), 2, 'ready')
  // So slow that neither arrives.
  await throttleUploads(page, 10_000)
  await page.getByRole('button', { name: 'Upload 2 photos' }).click()
  const summary = page.getByRole('region', { name: 'Upload queue' })
  await summary.getByText(/about .* left/).waitFor()
  await context.setOffline(true)
  await summary.getByText('waiting for a connection').waitFor()
  assert.equal(await summary.getByText(/about .* left/).count(), 0)
  // Still offline: back on the line, and no longer throttled, they would arrive before the click.
  await page.getByRole('button', { name: 'Pause all' }).click()
  await waitForCount(inState(page, 'paused'), 2, 'paused')
  await context.setOffline(false)
  // The session ends, and nothing else.
  await context.clearCookies()
  await page.goto(`${site.url}/upload`)
  await page.getByText('2 photos are waiting on this device. Sign in to upload them.').waitFor()
  await lookAt(page, 'upload-signed-out')
}

cases['my photos are in the order in which they were added, not in the order of arrival'] = async (
  t,
  room,
) => {
  const opened = await open(room)
  const { page } = opened
  const names = ['first', 'second', 'third']
  const made = await Promise.all(names.map((_, index) => photo({ seed: 41 + index })))
  const files = Object.fromEntries(names.map((name, index) => [`${name}.jpg`, made[index] ?? Buffer.of()]))
  await dropFiles(page, await filesIn(t, files))
  await waitForCount(inState(page, 'ready'), 3, 'ready')
  for (const name of names) await page.getByLabel(`Title of ${name}.jpg`).fill(name)
  // The first one arrives last, whichever is sent first.
  const key = await page.evaluate<string>(keyOf('first.jpg'))
  await page.route('**/v2/trails/4711/images', async (route) => {
    if (route.request().headers()['idempotency-key'] === key) {
      await waitForCount(inState(page, 'done'), 2, 'the others')
      opened.site.waymark.system.advance(5_000)
    }
    await route.continue()
  })
  await page.getByRole('button', { name: 'Upload 3 photos' }).click()
  await waitForCount(inState(page, 'done'), 3, 'done')
  await page.goto(`${room.site.url}/photos`)
  await waitForCount(page.getByRole('article'), 3, 'listed')
  const titles = await page.getByRole('article').locator('[class*=title]').allTextContents()
  assert.deepEqual(
    titles.map((title) => title.trim()),
    ['third', 'second', 'first'],
  )
  assert.equal((await stored(opened))[0]?.title, 'first', 'it arrived last')
}

void test('uploads in progress', async (t) => {
  const room = await prepare(t)
  if (!room) return
  for (const [name, run] of Object.entries(cases)) await t.test(name, (one) => run(one, room))
})
