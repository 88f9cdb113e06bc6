// "1 of 72" at the desk: of the whole list, by the counts that its tabs show.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listTotal } from '../../web/pages/review/desk/list-total.ts'
import type { DeskView } from '../../web/pages/review/desk/desk-view.ts'
import type { DeskItem } from '../../web/pages/review/decisions/review-session.ts'

const view = (more: Partial<DeskView> = {}): DeskView => ({
  show: 'all',
  trailId: undefined,
  submitterId: undefined,
  at: undefined,
  ...more,
})

type Why = NonNullable<DeskItem['queue']>['why']

const photos = (count: number, why: Why = ['pending']): readonly DeskItem[] =>
  Array.from({ length: count }, (_, index) => ({ imageID: index, queue: { why } }) as unknown as DeskItem)

const counts = { pending: 72, edited: 3, reported: 2 }

void test('the list is as long as its tab says, even if only its first page is loaded', () => {
  const loaded = photos(50)
  const half = { shown: loaded, loaded, hasMore: true }
  assert.equal(listTotal(view({ show: 'pending' }), half, counts), 72)
  assert.equal(listTotal(view(), half, counts), 77)
  // Ten were decided here, and are counted no more once the tab has heard of it.
  assert.equal(listTotal(view({ show: 'pending' }), { ...half, shown: loaded.slice(10) }, counts), 62)
  assert.equal(listTotal(view(), { shown: loaded, loaded, hasMore: false }, counts), 50)
})

void test('a photo in two tabs is counted once in the list of all; a list that no tab counts has no known total', () => {
  const loaded = photos(50, ['edited', 'reported'])
  const half = { shown: loaded, loaded, hasMore: true }
  assert.equal(listTotal(view(), half, { pending: 60, edited: 50, reported: 50 }), 110)
  assert.equal(listTotal(view({ trailId: 1 }), half, counts), undefined)
  assert.equal(listTotal(view({ show: 'approved' }), half, counts), undefined)
  assert.equal(listTotal(view(), half, undefined), undefined)
})
