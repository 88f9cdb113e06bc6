// The upload page in a real browser: drag and drop, refused, replaced and converted files.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { dragFiles, dropFiles, filesIn, photo, place, webpPhoto } from './upload-fixtures.ts'
import { evaluate, shoot } from './harness.ts'
import { inState, lookAt, open, prepare, row, stored, waitForCount, type Room } from './upload-scene.ts'

const cases: Record<string, (t: TestContext, room: Room) => Promise<void>> = {}

cases[
  'three photos by drag and drop: two are uploaded, the damaged one stays with its reason until it is replaced'
] = async (t, room) => {
  const opened = await open(room, { expectedStatuses: [422] })
  const { page, pageErrors } = opened
  await lookAt(page, 'upload-empty')
  const whole = await photo({ seed: 3 })
  const files = await filesIn(t, {
    'bridge.jpg': await photo({ seed: 1, position: place }),
    'summit.jpg': await photo({ seed: 2 }),
    'cut.jpg': whole.subarray(0, whole.length / 2),
    'notes.txt': Buffer.from('no photo at all, only words'),
  })
  await dropFiles(page, files)
  await waitForCount(inState(page, 'ready'), 3, 'ready')
  // Detected before anything was sent.
  await row(page, 'bridge.jpg').getByText('46.52123, 7.25988 (from the photo)').waitFor()
  await row(page, 'bridge.jpg').getByText('Waymark Trail 2').waitFor()
  await row(page, 'summit.jpg').getByText('No location in the file').waitFor()
  await row(page, 'notes.txt').getByText('Not a supported photo').waitFor()
  await page.getByLabel('Title of bridge.jpg').fill('At the bridge')
  await lookAt(page, 'upload-ready')

  await page.getByRole('button', { name: 'Upload 3 photos' }).click()
  await waitForCount(inState(page, 'done'), 2, 'done')
  await row(page, 'cut.jpg').getByText('The image is damaged').waitFor()
  await lookAt(page, 'upload-refused')
  // Sent in parallel, in any order.
  const sent = (await stored(opened)).map(({ title, lat, lon }) => ({ title, lat, lon }))
  assert.deepEqual(
    sent.toSorted((one, other) => one.title.localeCompare(other.title)),
    [
      { title: '', lat: null, lon: null },
      { title: 'At the bridge', ...place },
    ],
  )

  // No file disappears silently, even after a reload.
  await page.reload()
  await row(page, 'cut.jpg').getByText('The image is damaged').waitFor()
  const [mended = ''] = await filesIn(t, { 'mended.jpg': whole })
  await page.getByLabel('Replace file: cut.jpg').first().setInputFiles(mended)
  await row(page, 'mended.jpg').and(inState(page, 'ready')).waitFor()
  await page.keyboard.press('Control+Enter')
  await waitForCount(inState(page, 'done'), 3, 'done')
  assert.equal((await stored(opened)).length, 3)
  assert.deepEqual(pageErrors, [])
}

cases[
  'a drop works although the element below the pointer is gone; a drag that ends otherwise leaves no cover'
] = async (t, room) => {
  const { page, pageErrors } = await open(room)
  const passing = (id: string) =>
    evaluate(
      page,
      `document.body.insertAdjacentHTML('beforeend', '<p id="${id}" style="position: fixed; inset: 0; z-index: 9">')`,
    )
  const remove = (id: string) => evaluate(page, `document.querySelector('#${id}').remove()`)
  const cover = page.getByText('Drop to add')
  const files = await filesIn(t, { 'a.jpg': await photo({ seed: 1 }) })

  await dragFiles(page, files, ['enter', 'over', 'leave'], async () => {
    await cover.waitFor()
    await shoot(page, 'upload-drag')
  })
  await cover.waitFor({ state: 'detached' })

  // Chromium sends no event when this drag ends.
  await passing('first')
  await dragFiles(page, files, ['enter', 'leave'], () => remove('first'))
  await cover.waitFor()
  await page.mouse.move(300, 300)
  await page.mouse.move(310, 310)
  await cover.waitFor({ state: 'detached' })

  await passing('second')
  await dragFiles(page, files, ['enter', 'over', 'drop'], () => remove('second'))
  await waitForCount(inState(page, 'ready'), 1, 'ready')
  await cover.waitFor({ state: 'detached' })
  assert.deepEqual(pageErrors, [])
}

cases['a WebP is uploaded unchanged, with its location; a duplicate file is reported'] = async (t, room) => {
  const opened = await open(room)
  const { page, pageErrors } = opened
  const file = await webpPhoto({ seed: 5, position: place })
  await dropFiles(
    page,
    await filesIn(t, {
      'valley.webp': file,
      'scan.tiff': Buffer.from('II*\0 and nothing of it that could be read'),
    }),
  )
  await row(page, 'scan.tiff').getByText('This browser cannot convert it').waitFor()
  await lookAt(page, 'upload-questions')
  await row(page, 'valley.webp').and(inState(page, 'ready')).waitFor()
  await row(page, 'valley.webp').getByText('46.52123, 7.25988 (from the photo)').waitFor()
  await page.getByRole('button', { name: 'Upload 1 photo' }).click()
  await waitForCount(inState(page, 'done'), 1, 'done')
  const [image] = await stored(opened)
  assert.deepEqual([image?.mimeType, image?.lat, image?.lon], ['image/jpeg', place.lat, place.lon])

  const same = await photo({ seed: 9 })
  await dropFiles(page, await filesIn(t, { 'one.jpg': same }))
  await row(page, 'one.jpg').and(inState(page, 'ready')).waitFor()
  await dropFiles(page, await filesIn(t, { 'two.jpg': same }))
  await row(page, 'two.jpg').getByText('Same photo as one.jpg').waitFor()
  await page.getByRole('button', { name: 'Upload 1 photo' }).click()
  await waitForCount(inState(page, 'done'), 2, 'done')
  await dropFiles(page, await filesIn(t, { 'three.jpg': same }))
  await row(page, 'three.jpg')
    .getByText(/Same photo|already uploaded this photo/)
    .waitFor()
  assert.deepEqual(pageErrors, [])
}

void test('the upload page', async (t) => {
  const room = await prepare(t)
  if (!room) return
  for (const [name, run] of Object.entries(cases)) await t.test(name, (one) => run(one, room))
})
