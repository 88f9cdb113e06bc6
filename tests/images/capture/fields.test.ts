// When and how a photo was taken: read at upload, entered by people, and visible by permission (contract C42–C44).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Image } from '../../../src/shared/v2/schemas.ts'
import { ascii, buildTiff, gpsEntries, insertSegments, exifSegment } from '../../helpers/exif-fixtures.ts'
import { rationals, tags, tiffTypes, type TiffEntry } from '../../helpers/exif-fixtures.ts'
import { jpegPicture } from '../../helpers/pictures.ts'
import { assertProblem } from '../../helpers/problems.ts'
import { startWaymark } from '../../helpers/waymark.ts'
import { detailsPart, filePart, imageOf, json, patch, readAs, sendForm } from '../image-client.ts'

const waymark = await startWaymark({ environment: { SITE_TIME_ZONE: 'Asia/Tokyo' } })
after(() => waymark.close())
await waymark.addTrail(4711, 'Rim Trail')
const ana = await waymark.addPerson({ name: 'Ana' })

let pictures = 0
async function photoWith(exif: readonly TiffEntry[], gps?: readonly TiffEntry[]): Promise<Buffer> {
  pictures += 1
  const picture = await jpegPicture({ width: 12, height: 9, seed: pictures })
  return insertSegments(picture, [exifSegment(buildTiff({ exif, ...(gps && { gps }) }))])
}

const taken = ascii(tags.takenAt, '2026:05:14 23:08:07')
const sense: readonly TiffEntry[] = [
  { tag: tags.altitudeReference, type: tiffTypes.byte, values: [1] },
  rationals(tags.altitude, [43, 2]),
  ascii(tags.directionReference, 'T'),
  rationals(tags.direction, [181, 2]),
  rationals(tags.accuracy, [9, 2]),
]

interface Captured {
  readonly takenOn: string | null
  readonly takenAt: string | null
  readonly takenAtZone: string | null
  readonly positionSource: string | null
  readonly positionAccuracy: number | null
  readonly direction: number | null
  readonly altitude: number | null
}

const capturedOf = (image: Image): Captured => ({
  takenOn: image.takenOn,
  takenAt: image.takenAt,
  takenAtZone: image.takenAtZone,
  positionSource: image.positionSource,
  positionAccuracy: image.positionAccuracy,
  direction: image.direction,
  altitude: image.altitude,
})

const unknown: Captured = {
  takenOn: null,
  takenAt: null,
  takenAtZone: null,
  positionSource: null,
  positionAccuracy: null,
  direction: null,
  altitude: null,
}

async function uploaded(bytes: Buffer, details?: object): Promise<Image> {
  const parts = [filePart(bytes), ...(details === undefined ? [] : [detailsPart(details)])]
  return readAs<Image>(await sendForm(waymark, ana, 4711, { parts }), 201)
}
const change = async (imageId: number, body: object): Promise<Image> =>
  readAs<Image>(await patch(waymark, ana, imageId, { body }))

const inZurich = gpsEntries(47.37, 8.54)

void test('C42: everything that a file states', async () => {
  const bytes = await photoWith(
    [taken, ascii(tags.offset, '-03:30'), ascii(tags.subSeconds, '25')],
    [...inZurich, ...sense],
  )
  const image = await uploaded(bytes)
  const expected = {
    takenOn: '2026-05-14',
    takenAt: '2026-05-14T23:08:07.250-03:30',
    takenAtZone: 'stated',
    positionSource: 'exif',
    positionAccuracy: 4.5,
    direction: 90.5,
    altitude: -21.5,
  }
  assert.deepEqual(capturedOf(image), expected)
  assert.deepEqual(capturedOf(await imageOf(waymark, ana, image.imageID)), expected)
  const classic = await waymark.upload(ana, 4711, await photoWith([taken], [...inZurich, ...sense]))
  const { takenAt, takenAtZone } = await imageOf(waymark, ana, classic)
  assert.deepEqual([takenAt, takenAtZone], ['2026-05-14T23:08:07+02:00', 'position'])
})

void test('C42: without a stated offset it is that of the location, otherwise that of the site; nothing is refused', async () => {
  const atPlace = await uploaded(await photoWith([taken], inZurich))
  assert.deepEqual(capturedOf(atPlace), {
    ...unknown,
    takenOn: '2026-05-14',
    takenAt: '2026-05-14T23:08:07+02:00',
    takenAtZone: 'position',
    positionSource: 'exif',
  })
  const atSite = await uploaded(await photoWith([taken]))
  const ofSite = { takenOn: '2026-05-14', takenAt: '2026-05-14T23:08:07+09:00', takenAtZone: 'site' }
  assert.deepEqual(capturedOf(atSite), { ...unknown, ...ofSite })
  const odd = await photoWith(
    [ascii(tags.takenAt, '2026:99:99 99:99:99')],
    [rationals(tags.direction, [9, 0]), rationals(tags.altitude, [0, 0]), rationals(tags.accuracy, [1, 0])],
  )
  assert.deepEqual(capturedOf(await uploaded(odd)), unknown)
})

void test('C44: fields of the upload take precedence over the file', async () => {
  const bytes = () => photoWith([taken], [...inZurich, ...sense])
  const said = await uploaded(await bytes(), {
    lat: 35.7,
    lon: 139.7,
    positionSource: 'track',
    takenAt: '2026-05-14T08:00:00Z',
    direction: 360,
    altitude: null,
  })
  assert.deepEqual(capturedOf(said), {
    takenOn: '2026-05-14',
    takenAt: '2026-05-14T08:00:00+00:00',
    takenAtZone: 'stated',
    positionSource: 'track',
    positionAccuracy: null,
    direction: 360,
    altitude: null,
  })
  const elsewhere = await uploaded(await bytes(), { lat: 35.7, lon: 139.7 })
  assert.deepEqual(
    [elsewhere.takenAt, elsewhere.positionSource, elsewhere.positionAccuracy],
    ['2026-05-14T23:08:07+09:00', 'given', null],
  )
  const unplaced = await uploaded(await bytes(), { lat: null, lon: null })
  assert.deepEqual(
    [unplaced.takenAtZone, unplaced.positionSource, unplaced.positionAccuracy, unplaced.altitude],
    ['site', null, null, null],
  )
  const high = await uploaded(await bytes(), { lat: null, lon: null, altitude: 7 })
  assert.equal(high.altitude, 7)
  const surer = await uploaded(await bytes(), { positionAccuracy: 2 })
  assert.deepEqual([surer.positionSource, surer.positionAccuracy], ['exif', 2])
})

void test('C44: a change sets and clears fields, and leaves those it does not name', async () => {
  const { imageID, ...before } = await uploaded(await photoWith([taken], [...inZurich, ...sense]))
  assert.equal((await change(imageID, { title: 'Bridge' })).takenAt, before.takenAt)
  const turned = await change(imageID, { direction: 0, altitude: 12.25, positionAccuracy: 0 })
  assert.deepEqual(capturedOf(turned), {
    ...capturedOf({ imageID, ...before }),
    direction: 0,
    altitude: 12.25,
    positionAccuracy: 0,
  })
  const same = await change(imageID, { lat: before.lat, lon: before.lon })
  assert.deepEqual([same.positionSource, same.positionAccuracy], ['exif', 0], 'it is no new position')
  const moved = await change(imageID, {
    lat: 35.7,
    lon: 139.7,
    positionSource: 'device',
    positionAccuracy: 8,
  })
  assert.deepEqual(
    [moved.positionSource, moved.positionAccuracy, moved.takenAt, moved.takenAtZone],
    ['device', 8, '2026-05-14T23:08:07+09:00', 'position'],
    'the clock is the same, in the zone of the new place',
  )
  const movedAgain = await change(imageID, { lat: 47, lon: 8 })
  assert.deepEqual([movedAgain.positionSource, movedAgain.positionAccuracy], ['given', null])
  const cleared = await change(imageID, { lat: null, lon: null, takenAt: null, direction: null })
  assert.deepEqual(capturedOf(cleared), unknown, 'the height of the place is gone with it')
  assert.equal((await change(imageID, { lat: null, lon: null, altitude: 7 })).altitude, 7)
  const retold = await change(imageID, { takenAt: '2026-02-01T00:30:00.5+14:00', positionSource: null })
  assert.deepEqual(capturedOf(retold), {
    ...unknown,
    takenOn: '2026-02-01',
    takenAt: '2026-02-01T00:30:00.500+14:00',
    takenAtZone: 'stated',
    altitude: 7,
  })
})

void test('C44: a classic PUT of a position makes its source `given`', async () => {
  const { imageID } = await uploaded(await photoWith([taken], [...inZurich, ...sense]))
  const put = await waymark.fetch(`/Trails/4711/Images/${imageID}`, {
    method: 'PUT',
    token: ana.token,
    headers: json,
    body: JSON.stringify({ lat: '46.5', lon: '7.5' }),
  })
  assert.equal(put.status, 200)
  const { positionSource, positionAccuracy, direction } = await imageOf(waymark, ana, imageID)
  assert.deepEqual([positionSource, positionAccuracy, direction], ['given', null, 90.5])
})

const refused: readonly object[] = [
  { takenAt: '2026-05-14' },
  { takenAt: '2026-05-14T09:08:07' },
  { takenAt: '2026-02-30T09:08:07Z' },
  { takenAt: '' },
  { takenAt: 5 },
  { takenOn: '2026-05-14' },
  { takenAtZone: 'stated' },
  { positionSource: 'exif' },
  { positionSource: 'GIVEN' },
  { positionAccuracy: -0.1 },
  { positionAccuracy: 20_040_001 },
  { altitude: -11_001 },
  { altitude: 100_001 },
  { positionAccuracy: '5' },
  { direction: -1 },
  { direction: 360.5 },
  { direction: true },
  { altitude: '12' },
  { lat: null, lon: null, positionSource: 'given' },
  { lat: null, lon: null, positionAccuracy: 5 },
]

void test('C44: impossible values are refused, and nothing of the change is stored', async () => {
  const { imageID, ...before } = await uploaded(await photoWith([taken], [...inZurich, ...sense]))
  for (const body of refused) {
    await assertProblem(await patch(waymark, ana, imageID, { body }), 'invalid-field')
    const parts = [filePart(await photoWith([])), detailsPart(body)]
    await assertProblem(await sendForm(waymark, ana, 4711, { parts }), 'invalid-field')
  }
  assert.deepEqual(await imageOf(waymark, ana, imageID), { imageID, ...before })
})

void test('C44: an unknown position has no source or accuracy', async () => {
  const { imageID, ...before } = await uploaded(await photoWith([]))
  for (const body of [{ positionSource: 'line' }, { positionAccuracy: 5 }]) {
    const { detail } = await assertProblem(await patch(waymark, ana, imageID, { body }), 'invalid-field')
    assert.match(detail ?? '', /belong to a position/)
    const parts = [filePart(await photoWith([])), detailsPart(body)]
    await assertProblem(await sendForm(waymark, ana, 4711, { parts }), 'invalid-field')
  }
  assert.deepEqual(await imageOf(waymark, ana, imageID), { imageID, ...before })
})

const sentences: readonly (readonly [object, string])[] = [
  [{ positionSource: 'map' }, 'The field positionSource must be one of track, line, device, given or null.'],
  ...['2026-05-14T09:08:07', 'yesterday', '2026-02-30T09:08:07Z'].map(
    (takenAt) =>
      [
        { takenAt },
        'The field takenAt must be a timestamp with an offset, such as 2026-05-14T09:08:07+02:00.',
      ] as const,
  ),
]

void test('C44: the refusal says which values the field allows', async () => {
  const { imageID } = await uploaded(await photoWith([]))
  for (const [body, detail] of sentences) {
    const problem = await readAs<{ detail: string }>(await patch(waymark, ana, imageID, { body }), 400)
    assert.equal(problem.detail, detail)
  }
})

void test('C18: the given capture time distinguishes uploads', async () => {
  const bytes = await photoWith([taken])
  const first = await uploaded(bytes)
  const second = await uploaded(bytes, { takenAt: '2026-05-14T08:00:00Z' })
  assert.notEqual(second.imageID, first.imageID)
  const keyed = (details: object, status: number) =>
    sendForm(waymark, ana, 4711, {
      parts: [filePart(bytes), detailsPart(details)],
      headers: { 'idempotency-key': 'bridge' },
    }).then((answer) => readAs<Image>(answer, status))
  const third = await keyed({ direction: 5 }, 201)
  assert.equal((await keyed({ direction: 5 }, 201)).imageID, third.imageID)
  await keyed({ direction: 6 }, 422)
  await keyed({ direction: null }, 422)
})
