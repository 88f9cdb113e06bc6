// Photos without a location: which they are, the remedies offered, and what is sent.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { positionsOf } from '../../web/pages/upload/placing/track-lines.ts'
import { correctionText } from '../../web/upload/clock-correction.ts'
import { matchOriginals, type FileTraits } from '../../web/upload/match-originals.ts'
import {
  cameraTimeOf,
  inOrderOfTime,
  isPlaceless,
  isSentWithoutPlace,
  neighbourOffers,
} from '../../web/upload/placeless.ts'
import type { QueuedPhoto } from '../../web/upload/photo.ts'
import { reduceQueue } from '../../web/upload/queue.ts'
import { detailsOf } from '../../web/upload/queue-view.ts'
import { readTrackFiles } from '../../web/upload/read-track-file.ts'
import { facts, photo } from './queued-photos.ts'

const without = { ...facts, position: undefined }

/** Ready and without a location; taken so many seconds after ten o'clock. */
const taken = (id: string, seconds: number | undefined, more: Partial<QueuedPhoto> = {}): QueuedPhoto =>
  photo(id, {
    state: 'ready',
    facts: {
      ...without,
      capture:
        seconds === undefined
          ? {}
          : { localTime: new Date(Date.UTC(2026, 4, 14, 10, 0, seconds)).toISOString().slice(0, 19) },
    },
    ...more,
  })
const at = (lat: number, lon: number): Partial<QueuedPhoto> => ({ position: { from: 'person', lat, lon } })

void test('a photo counts as without a location until it has one, is meant to have none, or is being sent', () => {
  assert.ok(isPlaceless(taken('a', 0)))
  assert.ok(isPlaceless(taken('a', 0, { state: 'queued' })))
  assert.ok(!isPlaceless(photo('a')), 'not looked at yet')
  assert.ok(!isPlaceless(photo('a', { state: 'ready', facts })), 'the file has one')
  assert.ok(!isPlaceless(taken('a', 0, at(1, 2))), 'the person has said one')
  assert.ok(!isPlaceless(taken('a', 0, { position: { from: 'nobody' } })), 'it was removed')
  for (const state of ['unusable', 'sending', 'processing', 'done'] as const)
    assert.ok(!isPlaceless(taken('a', 0, { state })), state)
})

void test('photos are ordered by time; one without a time stays after the one that it follows', () => {
  const queue = [taken('c', 30), taken('d', undefined), taken('a', 10), taken('b', 20)]
  assert.deepEqual(
    inOrderOfTime(queue).map(({ id }) => id),
    ['a', 'b', 'c', 'd'],
  )
  const untimed = [taken('x', undefined), taken('y', undefined)]
  assert.deepEqual(inOrderOfTime(untimed), untimed)
})

void test('the time of a photo added by the previous version of the page is read from its text', () => {
  const before = (takenAt?: string) => cameraTimeOf(photo('a', { facts: { ...without, takenAt } }))
  const localTime = '2026-05-14T09:08:07'
  assert.deepEqual(before(`${localTime}-03:30`), { localTime, offsetMinutes: -210 })
  assert.equal(before(localTime).localTime, localTime)
  assert.equal(before().localTime, undefined)
})

void test('a position is offered only between two placed photos within two minutes', () => {
  const offers = neighbourOffers([
    taken('a', 0, at(46, 7)),
    taken('b', 60),
    taken('c', 120, at(46.002, 7.002)),
    taken('far', 600),
    taken('hidden', 61, { position: { from: 'nobody' } }),
    taken('untimed', undefined),
  ])
  assert.deepEqual([...offers.keys()], ['b'])
  const offer = offers.get('b')
  assert.deepEqual([offer?.before, offer?.after], ['a.jpg', 'c.jpg'])
  assert.ok(Math.abs((offer?.lat ?? 0) - 46.001) < 1e-9)
})

void test('the details that are sent say where the position comes from', () => {
  const sent = (position: QueuedPhoto['position']) => {
    const { title, caption, termsVersion, ...place } = detailsOf(photo('a', { position }))
    assert.deepEqual([title, caption, termsVersion], ['', '', null])
    return place
  }
  assert.deepEqual(sent({ from: 'file' }), {})
  assert.deepEqual(sent({ from: 'nobody' }), { lat: null, lon: null })
  // As the page before kept it.
  assert.deepEqual(sent({ from: 'person', lat: 1, lon: 2 }), { lat: 1, lon: 2, positionSource: 'given' })
  assert.deepEqual(sent({ from: 'person', lat: 1, lon: 2, by: 'device', accuracyMetres: 12 }), {
    lat: 1,
    lon: 2,
    positionSource: 'device',
    positionAccuracy: 12,
  })
  const takenAt = '2026-05-14T11:00:00+02:00'
  assert.deepEqual(sent({ from: 'person', lat: 1, lon: 2, by: 'track', altitude: 900, takenAt }), {
    lat: 1,
    lon: 2,
    positionSource: 'track',
    altitude: 900,
    takenAt,
  })
})

void test('too late to be placed: sent, or being sent, without a location that it should have', () => {
  const done = taken('a', 0, { state: 'done' })
  const located = { lat: '46.5', lon: '7.25' }
  const cases: readonly (readonly [QueuedPhoto, boolean])[] = [
    [done, true],
    [{ ...done, state: 'sending' }, true],
    [{ ...done, state: 'ready' }, false],
    [{ ...done, position: { from: 'nobody' } }, false],
    [{ ...done, position: { from: 'person', lat: 1, lon: 2 } }, false],
    [{ ...done, facts: { ...facts, position: located } }, false],
  ]
  for (const [one, isLate] of cases) assert.equal(isSentWithoutPlace(one), isLate, JSON.stringify(one))
})

void test('a converted photo remembers why its file had no location', () => {
  const asking = photo('a', {
    state: 'asking',
    question: { kind: 'convert' },
    facts: { ...without, kind: 'webp', missing: 'not-a-number' },
  })
  const [converting] = reduceQueue([asking], { type: 'answered', ids: ['a'] })
  assert.equal(converting?.original?.missing, 'not-a-number')
})

const file = (name: string, takenAt?: string, width = 4_000, height = 3_000): FileTraits => ({
  name,
  takenAt,
  width,
  height,
})

void test('files chosen again are matched by name, otherwise by time and size, each once', () => {
  const photos = [file('1000.jpg', 'ten'), file('b.jpg', 'ten'), file('c.jpg'), file('d.jpg', 'noon')]
  const matches = matchOriginals(photos, [
    file('PXL.jpg', 'ten', 3_000, 4_000),
    file('B.JPG', 'ten'),
    file('c.jpg', 'later'),
    file('d.jpg', 'another time'),
    file('PXL.jpg', 'ten'),
    file('nothing.jpg'),
  ])
  assert.deepEqual(matches, [0, 1, 2, undefined, undefined, undefined])
})

void test('a clock correction is shown in hours, minutes and seconds', () => {
  const texts = [3_600, -3_600, 90, -19_800, 3_661].map(correctionText)
  assert.deepEqual(texts, ['+1:00', '−1:00', '+0:01:30', '−5:30', '+1:01:01'])
})

const point = (lat: number, time: string): string =>
  `<trkpt lat="${lat}" lon="7"><time>${time}</time></trkpt>`
const gpx = (points: string, name = ''): Blob =>
  new Blob([
    `<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><trk>${name}<trkseg>${points}</trkseg></trk></gpx>`,
  ])

void test('several files form one track; unusable ones are named with the reason', async () => {
  const { track, faults } = await readTrackFiles([
    { name: 'second.gpx', gpx: gpx(point(46.1, '2026-05-14T10:00:00Z')) },
    { name: 'first.gpx', gpx: gpx(point(46, '2026-05-14T09:00:00Z'), '<name>Morning</name>') },
    { name: 'still.gpx', gpx: gpx('<trkpt lat="46" lon="7"/>') },
    { name: 'broken.gpx', gpx: new Blob(['<gpx><trk>']) },
  ])
  assert.equal(track?.name, 'second, Morning')
  assert.deepEqual([...(track?.track.lats ?? [])], [46, 46.1])
  assert.deepEqual(
    faults.map(({ name, why }) => [name, why]),
    [
      ['still.gpx', 'no-times'],
      ['broken.gpx', 'unreadable'],
    ],
  )
  assert.notEqual(faults[1]?.detail, '')
  const none = await readTrackFiles([{ name: 'broken.gpx', gpx: new Blob(['']) }])
  assert.deepEqual([none.track, none.faults.length], [undefined, 1])
})

void test('the files of a track are read one at a time', async () => {
  let open = 0
  let maxOpen = 0
  const slow = (): Blob => {
    const blob = gpx(point(46, '2026-05-14T09:00:00Z'))
    const read = blob.arrayBuffer.bind(blob)
    blob.arrayBuffer = async () => {
      maxOpen = Math.max(maxOpen, ++open)
      await setImmediate()
      open -= 1
      return read()
    }
    return blob
  }
  await readTrackFiles(['a', 'b', 'c'].map((name) => ({ name, gpx: slow() })))
  assert.equal(maxOpen, 1)
})

void test('a long track is drawn with fewer points, including its last', () => {
  const count = 10_001
  const lats = Float64Array.from({ length: count }, (_, index) => index / 1e4)
  const lons = new Float64Array(count)
  const drawn = positionsOf({ count, lats, lons, eles: lons, times: lats })
  assert.ok(drawn.length <= 4_001, `${drawn.length}`)
  assert.deepEqual(
    [drawn[0], drawn.at(-1)],
    [
      [0, 0],
      [0, 1],
    ],
  )
})
