// Photos without a location: the message for each reason, the device's location, the other file chooser, neighbours, and
// German.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import {
  ascii,
  buildTiff,
  exifSegment,
  insertSegments,
  xmpSegment,
  wrapXmp,
} from '../helpers/exif-fixtures.ts'
import { buildGps } from '../helpers/gps-cases.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { evaluate, findingsInBothColours, shoot, sidewaysScroll } from './harness.ts'
import { dropFiles, filesIn, photo, place } from './upload-fixtures.ts'
import { prepareTrail, walkGpx, walkPhotoAt, walkPhotos } from './upload-places-scene.ts'
import { inState, lookAt, open, row, showsTrail, stored, waitForCount, type Room } from './upload-scene.ts'

const cases: Record<string, (t: TestContext, room: Room) => Promise<void>> = {}

const panel = (page: Page) => page.getByRole('region', { name: 'Photos without a location' })

const here = { latitude: 46.512, longitude: 7.251, accuracy: 12 }

/** Counts location requests of a page; read by `timesAsked`. */
const countQuestions = `
  const ask = navigator.geolocation.getCurrentPosition.bind(navigator.geolocation)
  window.timesAsked = 0
  navigator.geolocation.getCurrentPosition = (...parts) => { window.timesAsked += 1; ask(...parts) }`
const timesAsked = (page: Page) => evaluate(page, 'window.timesAsked')

cases['each kind of missing location has its own sentence'] = async (t, room) => {
  const { page, pageErrors } = await open(room)
  const blank = [[0, 0]] as const
  const zero = [[0, 1]] as const
  const segments: readonly (readonly [string, Uint8Array, string])[] = [
    ['none.jpg', exifSegment(buildTiff({ main: [ascii(0x010f, 'Waymark')] })), 'The camera saved none'],
    ['empty.jpg', exifSegment(buildTiff({ gps: [ascii(0x001d, '2026:05:14')] })), 'has no coordinates'],
    ['zeros.jpg', exifSegment(buildGps({ lat: zero, lon: zero })), 'no GPS fix'],
    ['letters.jpg', exifSegment(buildGps({ latRef: undefined })), 'lack north or south'],
    [
      'blank.jpg',
      exifSegment(buildGps({ lat: blank, lon: blank, latRef: '', lonRef: '' })),
      'is blanked out',
    ],
    ['xmp.jpg', xmpSegment(wrapXmp('<rdf:Description exif:GPSLatitude="50,17.97N"/>')), 'only traces of it'],
  ]
  const files = await Promise.all(
    segments.map(async ([name, segment], at): Promise<[string, Buffer]> => [
      name,
      insertSegments(await jpegPicture({ width: 60 + at, height: 40 }), [segment]),
    ]),
  )
  await dropFiles(page, await filesIn(t, Object.fromEntries(files)))
  await waitForCount(inState(page, 'ready'), segments.length, 'ready')
  for (const [name, , sentence] of segments) await row(page, name).getByText(sentence).waitFor()
  await lookAt(page, 'upload-missing-kinds')
  assert.deepEqual(pageErrors, [])
}

cases[
  'where I am now: requested only then, with its accuracy; a refusal says so in a sentence, and the upload works'
] = async (t, room) => {
  const opened = await open(room, { widthPx: 390, hasTouch: true })
  const { page, context, pageErrors } = opened
  await context.addInitScript(countQuestions)
  await page.reload()
  await page.getByText('or paste them').waitFor()
  await showsTrail(page, 'Rim Trail')
  await shoot(page, 'upload-sources-phone')
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles(await filesIn(t, { 'a.jpg': await photo({ seed: 1 }), 'b.jpg': await photo({ seed: 2 }) }))
  await waitForCount(inState(page, 'ready'), 2, 'ready')
  await lookAt(page, 'upload-placeless-phone')
  assert.deepEqual(await sidewaysScroll(page), [])
  assert.equal(await timesAsked(page), 0)

  await page.getByRole('button', { name: 'Where I am now: a.jpg' }).click()
  await page.getByText('Your location is blocked for this site.').waitFor()
  await row(page, 'a.jpg').getByText('No location in the file').waitFor()

  await context.grantPermissions(['geolocation'], { origin: room.site.origin })
  await context.setGeolocation(here)
  await page.getByRole('button', { name: 'Where I am now: a.jpg' }).click()
  await row(page, 'a.jpg').getByText('46.51200, 7.25100 (your location, within 39 ft)').waitFor()
  assert.equal(await timesAsked(page), 2)
  await page.getByRole('button', { name: 'Upload 2 photos' }).click()
  await waitForCount(inState(page, 'done'), 2, 'done')
  const sent = (await stored(opened)).map(({ lat, positionSource, positionAccuracy }) => [
    lat,
    positionSource,
    positionAccuracy,
  ])
  assert.deepEqual(
    sent.toSorted(([one], [other]) => Number(one) - Number(other)),
    [
      [null, null, null],
      [46.512, 'device', 12],
    ],
  )
  assert.deepEqual(pageErrors, [])
}

cases["a photo taken in the app gets the device's location; without permission it is still added"] = async (
  t,
  room,
) => {
  const { page, context, pageErrors } = await open(room, { hasTouch: true })
  const camera = page.locator('input[capture]')
  await camera.setInputFiles(await filesIn(t, { 'one.jpg': await photo({ seed: 1 }) }))
  await page.getByText('The photo was added without a location.').waitFor()
  await row(page, 'one.jpg').and(inState(page, 'ready')).waitFor()
  await context.grantPermissions(['geolocation'], { origin: room.site.origin })
  await context.setGeolocation(here)
  await camera.setInputFiles(await filesIn(t, { 'two.jpg': await photo({ seed: 2 }) }))
  await row(page, 'two.jpg').getByText('46.51200, 7.25100 (your location').waitFor()
  // The photo's own location is better than that of the device.
  await camera.setInputFiles(await filesIn(t, { 'own.jpg': await photo({ seed: 3, position: place }) }))
  await row(page, 'own.jpg').getByText('46.52123, 7.25988 (from the photo)').waitFor()
  assert.deepEqual(pageErrors, [])
}

cases['a location found after the upload says that it is too late'] = async (t, room) => {
  const { page, context, pageErrors } = await open(room, { hasTouch: true })
  await context.addInitScript(`
    navigator.geolocation.getCurrentPosition = (found) => {
      window.find = () => found({ coords: { latitude: 46.512, longitude: 7.251, accuracy: 12 } })
    }`)
  await page.reload()
  await page.getByText('or paste them').waitFor()
  await showsTrail(page, 'Rim Trail')
  await page
    .locator('input[capture]')
    .setInputFiles(await filesIn(t, { 'one.jpg': await photo({ seed: 1 }) }))
  await page.getByRole('button', { name: 'Upload 1 photo' }).click()
  await waitForCount(inState(page, 'done'), 1, 'done')
  await evaluate(page, 'window.find()')
  await page.getByText('The photo was uploaded before your location was found.').waitFor()
  assert.deepEqual(pageErrors, [])
}

cases['files chosen again replace the photos that they match, whatever their names'] = async (t, room) => {
  const { page, pageErrors } = await open(room)
  const first = { 'a.jpg': await photo({ seed: 1 }), 'b.jpg': await walkPhotoAt(2, 5) }
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles(await filesIn(t, first))
  await waitForCount(inState(page, 'ready'), 2, 'ready')
  await page.getByLabel('Title of a.jpg').fill('At the bridge')
  const chooser = page.locator('input[data-chooser=originals]')
  assert.equal(await chooser.getAttribute('accept'), null)
  await panel(page).getByRole('button', { name: 'Choose again' }).click()
  const files = {
    'PXL_1.jpg': await photo({ seed: 1, position: place }),
    'c.jpg': await photo({ seed: 7, sidePx: 40 }),
  }
  await chooser.setInputFiles(await filesIn(t, files))
  await page.getByText('1 photo has its original file now; 1 file matches none and was added.').waitFor()
  await row(page, 'PXL_1.jpg').getByText('46.52123, 7.25988 (from the photo)').waitFor()
  assert.equal(await page.getByLabel('Title of PXL_1.jpg').inputValue(), 'At the bridge')
  await waitForCount(page.getByRole('article'), 3, 'rows')
  assert.deepEqual(pageErrors, [])
}

cases['a photo taken between two placed ones, within two minutes, is offered the location between'] = async (
  t,
  room,
) => {
  const { page, pageErrors } = await open(room)
  const files = {
    'a.jpg': await walkPhotoAt(1, 0, { lat: 46.5, lon: 7.25 }),
    'b.jpg': await walkPhotoAt(2, 1),
    'c.jpg': await walkPhotoAt(3, 2, { lat: 46.502, lon: 7.25 }),
    'd.jpg': await walkPhotoAt(4, 9),
  }
  await dropFiles(page, await filesIn(t, files))
  await waitForCount(inState(page, 'ready'), 4, 'ready')
  await row(page, 'b.jpg').getByText('Taken within two minutes between a.jpg and c.jpg.').waitFor()
  assert.equal(await row(page, 'd.jpg').getByText('Taken within two minutes').count(), 0)
  await lookAt(page, 'upload-between')
  await page.getByRole('button', { name: 'Between its neighbours: b.jpg' }).click()
  await row(page, 'b.jpg').getByText('46.50100, 7.25000 (set by you)').waitFor()
  assert.deepEqual(pageErrors, [])
}

cases['an unusable GPX file is reported in a sentence'] = async (t, room) => {
  const { page, pageErrors } = await open(room)
  await dropFiles(
    page,
    await filesIn(t, {
      'broken.gpx': Buffer.from('<gpx><trk>'),
      'still.gpx': Buffer.from(
        '<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><rte><rtept lat="46" lon="7"/></rte></gpx>',
      ),
    }),
  )
  const dialog = page.getByRole('dialog')
  await dialog.getByText('broken.gpx could not be read.').waitFor()
  await dialog.getByText('still.gpx has no times').waitFor()
  await dialog.getByRole('button', { name: 'Choose a GPX file' }).waitFor()
  assert.equal(await page.getByRole('article').count(), 0)
  // A valid track without photos waits for them.
  await dropFiles(page, await filesIn(t, { 'walk.gpx': Buffer.from(walkGpx) }))
  await dialog.getByText('There is no photo without a location.').waitFor()
  await dropFiles(page, await walkPhotos(t, 2))
  await dialog.getByText('2 of 2 photos on the track').waitFor()
  assert.deepEqual(pageErrors, [])
}

cases['in German, on a phone'] = async (t, room) => {
  const { page, context, pageErrors } = await open(room, { widthPx: 390, hasTouch: true })
  await context.addCookies([{ name: 'waymark_language', value: 'de', url: room.site.url }])
  await page.reload()
  await showsTrail(page, 'Rim Trail')
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles(await filesIn(t, { 'a.jpg': await photo({ seed: 1 }), 'b.jpg': await photo({ seed: 2 }) }))
  await waitForCount(inState(page, 'ready'), 2, 'ready')
  assert.deepEqual(await findingsInBothColours(page, 'upload-placeless-german'), [])
  assert.deepEqual(await sidewaysScroll(page), [])
  await page
    .getByRole('region', { name: 'Fotos ohne Standort' })
    .getByRole('button', { name: 'Auf dem Weg' })
    .click()
  await page.getByRole('dialog', { name: 'Standorte auf dem Weg' }).getByRole('slider').first().waitFor()
  assert.deepEqual(await findingsInBothColours(page, 'upload-on-trail-german'), [])
  await page.getByRole('button', { name: 'Standort für 2 Fotos setzen' }).click()
  await row(page, 'a.jpg').getByText('(auf dem Weg)').waitFor()
  assert.deepEqual(pageErrors, [])
}

void test('remedies for photos without a location', async (t) => {
  const room = await prepareTrail(t)
  if (!room) return
  for (const [name, run] of Object.entries(cases)) await t.test(name, (one) => run(one, room))
})
