// The queue as the page shows it: order, progress and remaining time, sent data, and size limits.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PhotoFacts, QueuedPhoto } from '../../web/upload/photo.ts'
import { checkLimits, fittingSide } from '../../web/upload/photo-limits.ts'
import {
  countQueue,
  createPace,
  detailsOf,
  failureOf,
  nextDueAt,
  nextToSend,
  placeOf,
  progressOf,
  refusedBytesOf,
} from '../../web/upload/queue-view.ts'
import { problemOf, waitMs } from '../../web/upload/send-photo.ts'
import { readPlace } from '../../web/upload/typed-place.ts'
import { facts, photo, problem } from './queued-photos.ts'

void test('at most three are sent at once, in order, and not before their time', () => {
  const queue = ['a', 'b', 'c', 'd'].map((one) => photo(one, { state: 'queued' }))
  const named = (photos: readonly QueuedPhoto[]): string => photos.map((one) => one.id).join('')
  assert.equal(named(nextToSend(queue, 0, 0)), 'abc')
  assert.equal(named(nextToSend(queue, 0, 2)), 'a')
  const late = queue.map((one, index) => ({ ...one, notBefore: index * 100 }))
  assert.equal(named(nextToSend(late, 100, 0)), 'ab')
  assert.equal(nextDueAt(late, 100), 200)
  assert.equal(nextDueAt(queue, 0), undefined)
})

void test('the bar counts what was started, and the speed gives the remaining time', () => {
  const queue = [
    photo('a', { state: 'done', sentBytes: 1_000 }),
    photo('b', { state: 'sending', sentBytes: 500 }),
    photo('c', { state: 'ready' }),
    photo('d', { state: 'refused' }),
  ]
  assert.deepEqual(progressOf(queue), { sentBytes: 1_500, totalBytes: 2_000 })
  assert.equal(refusedBytesOf(queue), 1_000)
  assert.deepEqual(
    { ...countQueue(queue) },
    { checking: 0, asking: 0, ready: 1, underWay: 1, paused: 0, done: 1, failed: 1 },
  )
  const pace = createPace()
  assert.equal(pace.remainingMs(progressOf(queue), 0), undefined)
  pace.note(0, 0)
  pace.note(2_000, 1_000)
  const half = { sentBytes: 1_000, totalBytes: 3_000 }
  assert.equal(pace.remainingMs(half, 2_000), 4_000)
  assert.equal(pace.remainingMs(half, 30_000), undefined, 'nothing has moved for long')
  pace.note(3_000, 200)
  assert.equal(
    pace.remainingMs({ sentBytes: 200, totalBytes: 3_000 }, 3_000),
    undefined,
    'sent again: a new count',
  )
})

void test('details contain the position that the person chose, and none if the photo itself has it', () => {
  assert.deepEqual(detailsOf(photo('a', { title: ' Dawn ' })), {
    title: 'Dawn',
    caption: '',
    termsVersion: null,
  })
  const hidden = photo('a', { position: { from: 'nobody' }, facts })
  assert.deepEqual([detailsOf(hidden).lat, detailsOf(hidden).lon, placeOf(hidden)], [null, null, undefined])
  const moved = photo('a', { position: { from: 'person', lat: 1, lon: 2 }, facts })
  assert.deepEqual([detailsOf(moved).lat, placeOf(moved)], [1, { lat: 1, lon: 2 }])
  assert.deepEqual(placeOf(photo('a', { facts })), { lat: 46.5, lon: 7.25 })
})

void test('C14, C15: a photo that is too large is offered to be shrunk, or refused if it cannot be', () => {
  const tell = (why: string) => ({ ...problem, code: why })
  const maxBytes = 8_388_608
  const judge = (more: Partial<PhotoFacts>, bytes: number, isDecodable = true) =>
    checkLimits({ facts: { ...facts, ...more }, bytes, maxBytes, isDecodable }, tell)
  assert.deepEqual(judge({}, maxBytes), {})
  assert.deepEqual(judge({}, maxBytes + 1), { question: { kind: 'shrink', why: 'bytes' } })
  assert.deepEqual(judge({ width: 16_385 }, 1), { question: { kind: 'shrink', why: 'pixels' } })
  assert.deepEqual(judge({ kind: 'tiff' }, 1), { question: { kind: 'convert' } })
  assert.equal(judge({ kind: 'tiff' }, 1, false).problem?.code, 'undecodable')
  for (const kind of ['heic', 'avif', 'webp'] as const) assert.deepEqual(judge({ kind }, 1, false), {}, kind)
  assert.equal(judge({ kind: 'heic' }, maxBytes + 1, false).problem?.code, 'too-large')
  assert.equal(judge({}, maxBytes + 1, false).problem?.code, 'too-large')
  const limits = { maxSide: 16_384, maxPixels: 100_000_000 }
  assert.equal(fittingSide({ width: 4_000, height: 3_000 }, limits), 4_000)
  const side = fittingSide({ width: 20_000, height: 10_000 }, limits)
  assert.ok(side <= 16_384 && (side * side) / 2 <= 100_000_000)
})

void test('retry delays grow with the attempts, up to a minute', () => {
  assert.deepEqual([waitMs(1, 0), waitMs(1, 1), waitMs(9, 1)], [1_000, 2_000, 60_000])
})

void test('a typed position is read as people write it, and 0, 0 is not a position', () => {
  assert.deepEqual(readPlace('46,5', '−7.25'), { lat: 46.5, lon: -7.25 })
  for (const [lat, lon] of [
    ['0', '0.0'],
    ['91', '7'],
    ['46.5', '180.1'],
    ['46.5', ''],
    ['46°', '7'],
  ] as const)
    assert.equal(readPlace(lat, lon), undefined, `${lat}, ${lon}`)
})

void test('a row explains the failure in the person’s language: the server’s title is English, its detail is not', () => {
  const refused = {
    code: 'quota-reached',
    title: 'A quota of this account is reached',
    detail: 'Zu viele Fotos.',
  }
  assert.deepEqual(failureOf('refused', refused, 'de'), { title: undefined, detail: refused.detail })
  assert.equal(failureOf('refused', refused, 'en').title, refused.title)
  const ofOurs = { code: 'empty', title: 'Die Datei ist leer', detail: 'Kopiere sie noch einmal.' }
  const { title, detail } = ofOurs
  assert.deepEqual(failureOf('unusable', ofOurs, 'de'), { title, detail })
  assert.deepEqual(
    failureOf('refused', { ...refused, detail: '' }, 'de').title,
    refused.title,
    'better than nothing',
  )
  assert.equal(problemOf(new TypeError('x is undefined')).title, 'Something went wrong')
})
