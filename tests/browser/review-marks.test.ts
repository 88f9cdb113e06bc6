// Counts, edits and dialogs of the desk in a real browser: the menu's badge, decisions in the comparison dialog, the
// confirmation before reports are dismissed, and the question before a page with an unsent decision is closed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jpegPicture } from '../helpers/pictures.ts'
import { sendJson } from '../helpers/review-desk.ts'
import { evaluate, findingsInBothColours, openBrowser } from './harness.ts'
import { becomes, focused, openDesk, said, seen, startDesk, stateOf, trailId, until } from './review-desk.ts'

/** Whether the badge's text is not cut off. */
const badge = `(() => {
  const [shown] = [...document.querySelectorAll('nav [aria-hidden]')].filter((one) => /^\\d/.test(one.textContent ?? ''))
  const { width, height } = shown.getBoundingClientRect()
  const box = shown.parentElement
  return { text: shown.textContent, isWhole: box.scrollWidth <= box.clientWidth + 1 && width > 0 && height > 0,
    isRound: getComputedStyle(shown.parentElement).textOverflow !== 'ellipsis' }
})()`

void test('12 waiting photos show as 12 on a phone, legible in both colour schemes, and the last key decides in the comparison', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const desk = await startDesk(t, 10)
  const { waymark, ana } = desk
  const picture = await jpegPicture({ width: 900, height: 600 })
  const bert = await waymark.addPerson({ name: 'Bert' })
  const first = await waymark.upload(ana, trailId, picture)
  const second = await waymark.upload(bert, trailId, picture)
  const { page, pageErrors } = await openDesk(browser, desk, { widthPx: 390, path: `/review/${second}` })
  await page.getByText('12 pending review').first().waitFor({ state: 'attached' })
  assert.deepEqual(await evaluate(page, badge), { text: '12', isWhole: true, isRound: true })
  assert.deepEqual(await findingsInBothColours(page, 'review-badge'), [])

  await page.setViewportSize({ width: 1_280, height: 844 })
  await page.getByRole('button', { name: 'Compare' }).first().waitFor()
  await page.keyboard.press('c')
  const dialog = page.getByRole('dialog', { name: 'Similar photos' })
  await dialog.getByText('Other photo', { exact: true }).waitFor()
  assert.deepEqual(await findingsInBothColours(page, 'review-compare'), [])
  await page.keyboard.press('r')
  await said(page, 'Reason for rejecting')
  await page.keyboard.press('1')
  await becomes(desk, second, 'rejected')
  await page.goto(`${desk.site.url}/review/${first}`)
  await page.getByRole('button', { name: 'Compare' }).first().waitFor()
  await page.keyboard.press('c')
  await dialog.getByRole('button', { name: /^Approve/ }).waitFor()
  await page.keyboard.press('a')
  await becomes(desk, first, 'approved')
  assert.deepEqual(pageErrors, [])
})

void test('keeping a reported photo says what happens: it stays published, and can be unpublished later', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const desk = await startDesk(t, 1)
  const { waymark, sue } = desk
  const [one = 0] = desk.ids
  await waymark.review(sue, one, 'approve')
  await sendJson(waymark, 'POST', `/v2/images/${one}/reports`, { body: { reason: 'privacy' } })
  const { page } = await openDesk(browser, desk, { path: '/docs' })
  // The photo is claimed only after its reports were dismissed, as on a slow connection.
  const dismissed = Promise.withResolvers<void>()
  const claimed = Promise.withResolvers<void>()
  await page.route('**/v2/review/claims', async (route) => {
    claimed.resolve()
    await dismissed.promise
    await route.continue()
  })
  await page.goto(`${desk.site.url}/review?show=reported`)
  await seen(page, 'Photo 1')
  await claimed.promise
  await page.keyboard.press('a')
  const dialog = page.getByRole('dialog', { name: 'Keep the photo and dismiss its reports?' })
  await dialog.getByText('you can unpublish the photo at any time').waitFor()
  assert.equal(await dialog.getByText('cannot be undone').count(), 0)
  await focused(page, dialog.getByRole('button', { name: 'Dismiss reports' }))
  await page.keyboard.press('Enter')
  await said(page, 'Report dismissed.')
  assert.equal((await stateOf(waymark, sue, one)).status, 'approved')
  const late = page.waitForResponse((response) => response.url().endsWith('/v2/review/claims'))
  dismissed.resolve()
  await late
  // As the dialog says; the desk releases a claim that came too late.
  let status = 409
  await until('unpublished', async () => {
    status = (await waymark.review(sue, one, 'remove')).status
    return status !== 409
  })
  assert.equal(status, 200)
})

void test('texts edited in place are saved, and restored with u', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const desk = await startDesk(t, 1)
  const { page, pageErrors } = await openDesk(browser, desk)
  await seen(page, 'Photo 1')
  await page.keyboard.press('e')
  await page.getByLabel('Title', { exact: true }).fill('The jetty')
  await page.keyboard.press('Enter')
  await seen(page, 'The jetty')
  await page.keyboard.press('u')
  await seen(page, 'Photo 1')
  assert.deepEqual(pageErrors, [])
})

void test('the browser asks before it closes a page whose decision is not sent yet', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const desk = await startDesk(t, 2)
  const [one = 0] = desk.ids
  const { page, pageErrors } = await openDesk(browser, desk)
  const sent = Promise.withResolvers<void>()
  await page.route(/\/v2\/images\/\d+\/review$/, async (route) => {
    await sent.promise
    await route.continue()
  })
  await seen(page, 'Photo 1')
  await page.keyboard.press('a')
  await seen(page, 'Photo 2')
  // The decision outlives the review page.
  await page.getByRole('link', { name: 'Trails', exact: true }).first().click()
  await page.getByRole('link', { name: 'Heron Lake Loop' }).waitFor()
  const asked = page.waitForEvent('dialog')
  await page.close({ runBeforeUnload: true })
  const dialog = await asked
  assert.equal(dialog.type(), 'beforeunload')
  await dialog.dismiss()
  sent.resolve()
  await becomes(desk, one, 'approved')
  await until('no question any more', async () => {
    return (await evaluate(page, `dispatchEvent(new Event('beforeunload', { cancelable: true }))`)) === true
  })
  assert.deepEqual(pageErrors, [])
})
