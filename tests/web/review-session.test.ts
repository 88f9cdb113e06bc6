// The undo stack of a session: several levels, many photos at once, and unsent actions do not count.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { imageSizes } from '../../src/shared/image-sizes.ts'
import { arrange } from '../../web/pages/review/desk/queue-cursor.ts'
import {
  changeReviewSession,
  sitDown,
  currentReviewSession,
  unsavedTexts,
} from '../../web/pages/review/decisions/review-session-store.ts'
import {
  arrive,
  countDecided,
  decidedPhotos,
  draft,
  lastEntry,
  newReviewSession,
  record,
  selectOnly,
  setOut,
  stampOf,
  statusAfter,
  takeBack,
  toggleSelected,
  withdraw,
  type Action,
  type DeskItem,
  type ReviewSession,
} from '../../web/pages/review/decisions/review-session.ts'

const at = '2026-05-14T09:08:07.000Z'

const photo = (imageID: number): DeskItem => ({
  imageID,
  trailID: 1,
  trailName: 'Heron Lake Loop',
  submitterID: 9,
  displayName: 'Ana',
  title: `Photo ${imageID}`,
  caption: '',
  status: 'pending',
  edited: false,
  lat: null,
  lon: null,
  milesAlong: null,
  mimeType: 'image/jpeg',
  width: 4,
  height: 3,
  bytes: 100,
  sha256: '',
  licence: null,
  termsVersion: null,
  postedAt: at,
  updatedAt: at,
  urls: Object.fromEntries(imageSizes.map((size) => [size, ''])) as DeskItem['urls'],
  takenAtZone: null,
  positionSource: null,
  altitude: null,
  takenOn: null,
  takenAt: null,
  positionAccuracy: null,
  direction: null,
})

const reported = [1, 2, 3, 4].map(photo)
const shownIn = (reviewSession: ReviewSession): number[] =>
  arrange(reported, reviewSession, stampOf).map(({ imageID }) => imageID)

type Does = (reviewSession: ReviewSession) => Action

/** Each photo with the place that it has at this moment. */
const decided =
  (decision: 'approve' | 'reject', ...ids: number[]): Does =>
  (reviewSession) => ({
    kind: 'decided',
    decision,
    reason: undefined,
    note: '',
    photos: ids.map((id) => ({ item: photo(id), index: shownIn(reviewSession).indexOf(id) })),
  })

const skipped =
  (id: number): Does =>
  () => ({ kind: 'skipped', item: photo(id) })

const doAll = (all: readonly Does[], from: ReviewSession = newReviewSession): ReviewSession =>
  all.reduce((reviewSession, does) => record(reviewSession, does(reviewSession), 0).reviewSession, from)

function undoLast(reviewSession: ReviewSession): ReviewSession {
  const entry = lastEntry(reviewSession)
  assert.ok(entry)
  return takeBack(reviewSession, entry)
}

void test('undo goes back one step at a time, and every photo returns to its place', () => {
  const done = doAll([decided('approve', 1), decided('reject', 2), skipped(3)])
  assert.deepEqual(shownIn(done), [4, 3])
  const once = undoLast(done)
  assert.deepEqual(shownIn(once), [3, 4])
  const twice = undoLast(once)
  assert.deepEqual(shownIn(twice), [2, 3, 4])
  const thrice = undoLast(twice)
  assert.deepEqual(shownIn(thrice), [1, 2, 3, 4])
  assert.equal(lastEntry(thrice), undefined)
})

void test('a bulk decision is undone in one step', () => {
  const done = doAll([decided('approve', 2), decided('approve', 4, 1, 3)])
  assert.deepEqual(shownIn(undoLast(done)), [1, 3, 4])
  assert.deepEqual(shownIn(undoLast(undoLast(done))), [1, 2, 3, 4])
  // However they were chosen: the one that stood first goes in first.
  assert.deepEqual(shownIn(undoLast(doAll([decided('approve', 3, 1)]))), [1, 2, 3, 4])
})

void test('a failed decision is withdrawn, and only for the photos that it names', () => {
  const { reviewSession, entry } = record(newReviewSession, decided('approve', 1, 2)(newReviewSession), 0)
  const left = withdraw(reviewSession, entry.id, new Set([2]))
  assert.deepEqual(shownIn(left), [2, 3, 4])
  assert.deepEqual(countDecided(left), { approve: 1 })
  const none = withdraw(left, entry.id, new Set([1]))
  assert.equal(lastEntry(none), undefined)
  assert.deepEqual(shownIn(none), [1, 2, 3, 4])
})

void test('undone decisions are not counted, and the last decision is first in the list of the session', () => {
  const done = doAll([decided('approve', 1), decided('approve', 2), decided('reject', 3)])
  assert.deepEqual(countDecided(done), { approve: 2, reject: 1 })
  assert.deepEqual(
    decidedPhotos(done).map(({ imageID }) => imageID),
    [3, 2, 1],
  )
  assert.deepEqual(countDecided(undoLast(done)), { approve: 2 })
})

void test('a decision deselects its photos and leaves the others selected', () => {
  const selected = toggleSelected(selectOnly(newReviewSession, [1, 2]), 4)
  const after = doAll([decided('approve', 1, 4)], selected)
  assert.deepEqual([...after.selected], [2])
})

void test('a typed note stays until it is cleared', () => {
  const typed = draft(newReviewSession, 1, 'Ask Rob')
  assert.equal(doAll([decided('approve', 2)], typed).drafts.get(1), 'Ask Rob')
  assert.equal(draft(typed, 1, '').drafts.size, 0)
})

void test('a photo with actions in progress shows the resulting status until the last of them is done', () => {
  const there = new Map([[1, statusAfter('approve')]])
  const back = new Map([[1, statusAfter('reopen')]])
  const both = setOut(setOut(newReviewSession, there), back)
  assert.equal(both.heading.get(1)?.status, 'pending')
  assert.equal(arrive(both, there).heading.get(1)?.status, 'pending')
  assert.equal(arrive(both, back).heading.size, 0)
})

void test('a different user who signs in on the same page finds nothing of the previous session, and no number is reused', () => {
  sitDown(5)
  changeReviewSession((before) => doAll([decided('approve', 1)], draft(before, 1, 'Ask Rob')))
  unsavedTexts.set(1, { title: 'Dawn', caption: '' })
  sitDown(5)
  assert.equal(currentReviewSession().entries.length, 1)
  sitDown(6)
  assert.deepEqual(
    [currentReviewSession().entries.length, currentReviewSession().drafts.size, unsavedTexts.size],
    [0, 0, 0],
  )
  assert.equal(currentReviewSession().nextId, 2)
})
