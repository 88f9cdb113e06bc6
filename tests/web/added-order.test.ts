// The order of my photos: in the order of adding, at their places among the others.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { orderedAs } from '../../web/data/added-order.ts'

const images = [5, 4, 3, 2, 1].map((imageID) => ({ imageID }))
const idsOf = (some: readonly { readonly imageID: number }[]): readonly number[] =>
  some.map(({ imageID }) => imageID)

void test('photos sent from this browser are ordered by when they were added, newest first; the others keep their places', () => {
  assert.deepEqual(idsOf(orderedAs(images, [])), [5, 4, 3, 2, 1])
  const added = [
    [5, 10],
    [3, 30],
    [2, 20],
  ] as const
  assert.deepEqual(idsOf(orderedAs(images, added)), [3, 4, 2, 5, 1])
  assert.deepEqual(idsOf(orderedAs(images, [[99, 1]])), [5, 4, 3, 2, 1], 'one that is gone')
})
