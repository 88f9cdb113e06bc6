// The review desk in a real browser: a queue by keyboard, two reviewers at once, edits, reports, selections, no network.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { sendJson } from '../helpers/review-desk.ts'
import { answerOf, openBrowser } from './harness.ts'
import {
  becomes,
  claimerOf,
  describe,
  focused,
  hearNothing,
  movesOf,
  openDesk,
  said,
  seen,
  startDesk,
  stateOf,
  until,
} from './review-desk.ts'

void test('a queue by keyboard only: approve, reject with a reason, undo twice, skip, approve a selection (C22, C23)', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const desk = await startDesk(t, 6)
  const [one = 0, two = 0, three = 0, four = 0] = desk.ids
  // Texts read before an undo have another ETag: the desk reads them again and decides on the same texts.
  const { page, pageErrors } = await openDesk(browser, desk, { expectedStatuses: [412] })
  const { keyboard } = page
  await seen(page, 'Photo 1')
  // The next three are preloaded.
  await until(
    'three photos lie beneath',
    async () =>
      (await page.locator('[aria-hidden=true] > img[data-size="640"][data-loaded=true]').count()) === 3,
  )

  await keyboard.press('a')
  await seen(page, 'Photo 2')
  await becomes(desk, one, 'approved')
  await keyboard.press('r')
  await page.getByRole('button', { name: 'Blurred' }).waitFor()
  await keyboard.press('1')
  await seen(page, 'Photo 3')
  await becomes(desk, two, 'rejected')
  assert.equal((await movesOf(desk, two)).at(-1)?.reason, 'blurred')

  await keyboard.press('u')
  await seen(page, 'Photo 2')
  await becomes(desk, two, 'pending')
  await keyboard.press('u')
  await seen(page, 'Photo 1')
  await becomes(desk, one, 'pending')
  // An undo that is faster than its decision waits for it.
  await keyboard.press('a')
  await keyboard.press('u')
  await seen(page, 'Photo 1')
  await until('approved and undone', async () => (await movesOf(desk, one)).length === 5)
  assert.equal((await stateOf(desk.waymark, desk.sue, one)).status, 'pending')

  await keyboard.press('r')
  await keyboard.press('r')
  await becomes(desk, one, 'rejected')
  assert.equal((await movesOf(desk, one)).at(-1)?.reason, null)
  await seen(page, 'Photo 2')
  await keyboard.press('s')
  await seen(page, 'Photo 3')
  assert.equal((await stateOf(desk.waymark, desk.sue, two)).status, 'pending')
  await keyboard.press('Space')
  await keyboard.press('j')
  await seen(page, 'Photo 4')
  await keyboard.press('Space')
  await said(page, '2 selected')
  await keyboard.press('Shift+A')
  await becomes(desk, three, 'approved')
  await becomes(desk, four, 'approved')
  await seen(page, 'Photo 5')
  await keyboard.press('u')
  await becomes(desk, three, 'pending')
  await becomes(desk, four, 'pending')
  // The second key applies to the second photo, however fast it comes.
  await seen(page, 'Photo 3')
  await keyboard.press('a')
  await keyboard.press('a')
  await becomes(desk, three, 'approved')
  await becomes(desk, four, 'approved')
  await keyboard.press('k')
  assert.deepEqual(pageErrors, [])
})

void test('others see who is looking at a photo; after a takeover, the first reviewer sees who decided, and keeps their note', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const desk = await startDesk(t, 3)
  const [one = 0] = desk.ids
  const first = await openDesk(browser, desk, { expectedStatuses: [409] })
  await seen(first.page, 'Photo 1')
  await until('claimed', async () => (await claimerOf(desk, one)) === first.reviewer.accountId)
  await first.page.getByText(/Claimed by you until/).waitFor()

  const second = await openDesk(browser, desk)
  await seen(second.page, 'Photo 2') // the first one that is not claimed
  await second.page.getByRole('button', { name: /^Photo 1, being reviewed by Member \d+$/ }).waitFor()
  await second.page.getByText(/Claimed by you until/).waitFor() // so that the next response is the next photo's
  const refused = second.page.waitForResponse(/\/v2\/review\/claims$/)
  await second.page.keyboard.press('k')
  await seen(second.page, 'Photo 1')
  await refused // otherwise it would arrive late, when the first reloads, and claim the photo
  await said(second.page, /is reviewing this photo$/)
  await second.page.keyboard.press('a')
  await said(second.page, /Take over if they have left/)
  assert.equal((await stateOf(desk.waymark, desk.sue, one)).status, 'pending')

  await first.page.route('**/v2/events*', (route) => route.abort('aborted'))
  await first.page.reload()
  await first.page.getByText(/Claimed by you until/).waitFor()
  await hearNothing(first.page)
  await second.page.keyboard.press('t')
  await second.page.getByText(/Claimed by you until/).waitFor()
  await second.page.keyboard.press('a')
  await becomes(desk, one, 'approved')

  await first.page.keyboard.press('n')
  await first.page.keyboard.type('Ask Sue about the sky')
  await first.page.keyboard.press('Escape')
  await first.page.keyboard.press('r')
  await first.page.getByRole('button', { name: 'Blurred' }).waitFor()
  await first.page.keyboard.press('2')
  await said(first.page, /already approved Photo 1, .*your note is kept/)
  await first.page.unrouteAll({ behavior: 'wait' })
  await first.page.getByRole('button', { name: 'View photo' }).click()
  await seen(first.page, 'Photo 1')
  assert.equal(await first.page.getByLabel('Note for the history').inputValue(), 'Ask Sue about the sky')
  assert.deepEqual([...first.pageErrors, ...second.pageErrors], [])
})

void test('a claim that is confirmed after its photo was left is also released', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const desk = await startDesk(t, 2)
  const [one = 0, two = 0] = desk.ids
  const { page, reviewer, pageErrors } = await openDesk(browser, desk)
  await until('claimed', async () => (await claimerOf(desk, one)) === reviewer.accountId)
  const left = Promise.withResolvers<void>()
  await page.route('**/v2/review/claims', async (route) => {
    const response = await answerOf(route)
    if (route.request().postData()?.includes(String(two))) await left.promise
    await route.fulfill({ response })
  })
  await page.keyboard.press('j')
  await until('the next one claimed', async () => (await claimerOf(desk, two)) === reviewer.accountId)
  await until('the first given back', async () => (await claimerOf(desk, one)) === undefined)
  await page.keyboard.press('k')
  await until('the first claimed again', async () => (await claimerOf(desk, one)) === reviewer.accountId)
  left.resolve()
  await until('given back', async () => (await claimerOf(desk, two)) === undefined)
  assert.equal(await claimerOf(desk, one), reviewer.accountId)
  assert.deepEqual(pageErrors, [])
})

void test('a claim ends when the reviewer leaves the photo, and when they leave the page', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const desk = await startDesk(t, 2)
  const [one = 0, two = 0] = desk.ids
  const { page, reviewer, pageErrors } = await openDesk(browser, desk)
  await seen(page, 'Photo 1')
  await until('claimed', async () => (await claimerOf(desk, one)) === reviewer.accountId)
  await page.keyboard.press('j')
  await until('the next one claimed', async () => (await claimerOf(desk, two)) === reviewer.accountId)
  await until('given back', async () => (await claimerOf(desk, one)) === undefined)
  await page.goto('about:blank')
  await until('given back with the page', async () => (await claimerOf(desk, two)) === undefined)
  assert.deepEqual(pageErrors, [])
})

void test('an edit is shown word by word and accepted; reports are shown with reasons and dismissed', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const desk = await startDesk(t, 2)
  const { waymark, ana, sue } = desk
  const [one = 0, two = 0] = desk.ids
  for (const id of [one, two]) await waymark.review(sue, id, 'approve')
  await describe(waymark, ana, one, { caption: 'At the old lake.' })
  const body = { reason: 'privacy', note: 'That is me in the boat.' }
  await sendJson(waymark, 'POST', `/v2/images/${two}/reports`, { body })
  const { page, pageErrors } = await openDesk(browser, desk, { path: '/review?show=edited' })
  await seen(page, 'Photo 1')
  assert.match((await page.locator('ins').textContent()) ?? '', /old/)
  assert.equal((await stateOf(waymark, sue, one)).edited, true)
  await page.keyboard.press('a')
  await until('accepted', async () => !(await stateOf(waymark, sue, one)).edited)
  await said(page, 'No photos')

  await page.getByRole('button', { name: /^Reported/ }).click()
  await seen(page, 'Photo 2')
  assert.match(page.url(), /show=reported/)
  await said(page, 'Shows someone without their consent')
  await said(page, 'That is me in the boat.')
  await page.keyboard.press('d')
  await focused(page, page.getByRole('dialog').getByRole('button', { name: 'Dismiss reports' }))
  await page.keyboard.press('Enter')
  await said(page, 'Report dismissed.')
  await said(page, 'No photos')
  assert.equal((await stateOf(waymark, sue, two)).status, 'approved')
  assert.deepEqual(pageErrors, [])
})

void test('in a selection, refused photos are shown with the reason and stay selected', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const desk = await startDesk(t, 3)
  const [one = 0, two = 0, three = 0] = desk.ids
  const { page, pageErrors } = await openDesk(browser, desk)
  await page.route('**/v2/events*', (route) => route.abort('aborted'))
  await page.reload()
  await seen(page, 'Photo 1')
  for (const title of ['Photo 1', 'Photo 2', 'Photo 3']) {
    await seen(page, title)
    await page.keyboard.press('Space')
    await page.keyboard.press('j')
  }
  await said(page, '3 selected')
  await hearNothing(page)
  // The desk may have claimed it in passing, and then gives it back.
  await until(
    'approved by another reviewer',
    async () => (await desk.waymark.review(desk.sue, two, 'approve')).status === 200,
  )
  await page.keyboard.press('Shift+R')
  await page.getByRole('button', { name: 'Offensive' }).waitFor()
  await page.keyboard.press('6')
  await said(page, '2 done, 1 failed')
  await said(page, /"reject" is not possible from this state/)
  await said(page, '1 selected')
  assert.equal((await stateOf(desk.waymark, desk.sue, one)).status, 'rejected')
  assert.equal((await stateOf(desk.waymark, desk.sue, three)).status, 'rejected')
  assert.deepEqual(pageErrors, [])
})

void test('without a connection nothing is decided, and the page says so; afterwards the same photo is shown', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const desk = await startDesk(t, 2)
  const [one = 0] = desk.ids
  const { page, context } = await openDesk(browser, desk)
  await seen(page, 'Photo 1')
  await context.setOffline(true)
  await page.keyboard.press('a')
  await said(page, /^You are offline. Your decision was not applied/)
  await seen(page, 'Photo 1')
  await context.setOffline(false)
  await page.keyboard.press('a')
  await becomes(desk, one, 'approved')
})

void test('decided photos can be found and reopened; the history is saved as JSON and as CSV (trust 38)', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const desk = await startDesk(t, 1)
  const { waymark, sue } = desk
  const [one = 0] = desk.ids
  const body = { decision: 'reject', reason: 'blurred', note: '=HYPERLINK("x")' }
  await sendJson(waymark, 'POST', `/v2/images/${one}/review`, { body, person: sue })
  const { page, pageErrors } = await openDesk(browser, desk, { path: `/review?show=rejected&trail=4711` })
  await seen(page, 'Photo 1')
  await page.keyboard.press('h')
  await said(page, '=HYPERLINK("x")')
  const fileOf = async (name: string): Promise<string> => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name }).click(),
    ])
    return readFile(await download.path(), 'utf8')
  }
  const { items } = JSON.parse(await fileOf('Save as JSON')) as {
    items: readonly { reason: string | null }[]
  }
  assert.deepEqual(
    items.map(({ reason }) => reason),
    [null, 'blurred'],
  )
  assert.match(await fileOf('Save as CSV'), /,"'=HYPERLINK\(""x""\)"\r\n$/)
  await page.keyboard.press('o')
  await becomes(desk, one, 'pending')
  await said(page, 'No photos')
  assert.deepEqual(pageErrors, [])
})
