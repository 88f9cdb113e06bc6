// The order of the queue for a reviewer: decided photos leave, and undone ones return to their place.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  afterLeaving,
  arrange,
  stepFrom,
  upcoming,
  type Overlay,
} from '../../web/pages/review/desk/queue-cursor.ts'

interface Item {
  readonly imageID: number
  readonly stamp: string
}

const items = (...ids: number[]): Item[] => ids.map((imageID) => ({ imageID, stamp: 'first' }))
const nothing: Overlay<Item> = { settled: new Map(), returned: [], skipped: [] }
const shownOf = (reported: readonly Item[], overlay: Partial<Overlay<Item>>): number[] =>
  arrange(reported, { ...nothing, ...overlay }, ({ stamp }) => stamp).map(({ imageID }) => imageID)

void test('a decided photo leaves the list, even if the server still returns it', () => {
  assert.deepEqual(shownOf(items(1, 2, 3), { settled: new Map([[2, 'first']]) }), [1, 3])
})

void test('a photo that comes back for another reason after a decision is shown', () => {
  const reported = [...items(1), { imageID: 2, stamp: 'edited later' }]
  assert.deepEqual(shownOf(reported, { settled: new Map([[2, 'first']]) }), [1, 2])
})

void test('an undone photo returns to its place, whether the server lists it at the end or not at all', () => {
  const returned = [{ item: { imageID: 2, stamp: 'first' }, index: 1 }]
  assert.deepEqual(shownOf([...items(1, 3), { imageID: 2, stamp: 'again' }], { returned }), [1, 2, 3])
  assert.deepEqual(shownOf(items(1, 3), { returned }), [1, 2, 3])
})

void test('several undone photos return to the places that they left, the last to leave first', () => {
  const back = (imageID: number, index: number) => ({ item: { imageID, stamp: 'first' }, index })
  // 1 was decided on first, at place 0; then 2, which was the first by then.
  assert.deepEqual(shownOf(items(3, 4), { returned: [back(2, 0), back(1, 0)] }), [1, 2, 3, 4])
})

void test('skipped photos come last, the first skipped first', () => {
  assert.deepEqual(shownOf(items(1, 2, 3, 4), { skipped: [3, 1] }), [2, 4, 3, 1])
})

void test('after a decision the next unclaimed photo comes, then those before, then a claimed one', () => {
  const shown = items(1, 2, 3, 4)
  const after = (at: number, leaving: number[], taken: number[] = []): number | undefined =>
    afterLeaving(shown, new Set(leaving), { at, isFree: ({ imageID }) => !taken.includes(imageID) })
  assert.equal(after(2, [2]), 3)
  assert.equal(after(2, [2], [3]), 4)
  assert.equal(after(4, [4]), 1)
  assert.equal(after(1, [1], [2, 3, 4]), 2)
  assert.equal(after(1, [1, 2, 3, 4]), undefined)
})

void test('a step continues from the place of a photo that someone else removed', () => {
  const shown = items(1, 2, 4)
  assert.equal(stepFrom(shown, { at: 2, lastIndex: 1 }, 1), 4)
  assert.equal(stepFrom(shown, { at: 2, lastIndex: 1 }, -1), 1)
  assert.equal(stepFrom(shown, { at: 3, lastIndex: 2 }, 1), 4)
  assert.equal(stepFrom(shown, { at: 3, lastIndex: 2 }, -1), 2)
  assert.equal(stepFrom(shown, { at: 9, lastIndex: 3 }, 1), 4)
  assert.equal(stepFrom(shown, { at: 4, lastIndex: 2 }, 1), undefined)
  assert.equal(stepFrom([], { at: 3, lastIndex: 2 }, 1), undefined)
})

void test('the next three photos are the ones to preload', () => {
  assert.deepEqual(
    upcoming(items(1, 2, 3, 4, 5, 6), 2, 3).map(({ imageID }) => imageID),
    [3, 4, 5],
  )
})
