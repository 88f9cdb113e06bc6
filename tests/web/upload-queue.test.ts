// The upload queue: allowed transitions, and that photos never leave it automatically (contract C18).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { isEditable, isWorthRetrying, type QueuedPhoto } from '../../web/upload/photo.ts'
import { reduceQueue, type Queue, type QueueAction } from '../../web/upload/queue.ts'
import { detailsOf } from '../../web/upload/queue-view.ts'
import { facts, photo, problem } from './queued-photos.ts'

const run = (actions: readonly QueueAction[], queue: Queue = []): Queue => actions.reduce(reduceQueue, queue)

const toSending: readonly QueueAction[] = [
  { type: 'added', photos: [photo('a')] },
  { type: 'checked', id: 'a', facts },
  { type: 'start', ids: ['a'], termsVersion: 'v1' },
  { type: 'began', id: 'a', sent: { title: '', caption: '', termsVersion: 'v1' }, at: 5 },
]

function only(queue: Queue): QueuedPhoto {
  const [first] = queue
  assert.ok(first && queue.length === 1)
  return first
}

void test('a photo goes from added to sent', () => {
  const queue = run([
    ...toSending,
    { type: 'progressed', id: 'a', sentBytes: 400, isWhole: false },
    { type: 'progressed', id: 'a', sentBytes: 1_000, isWhole: true },
  ])
  assert.equal(only(queue).state, 'processing')
  const done = only(run([{ type: 'succeeded', id: 'a', imageId: 7, status: 'pending' }], queue))
  assert.deepEqual([done.state, done.imageId, done.status], ['done', 7, 'pending'])
})

void test('C18: the key and the details stay the same in every attempt whose outcome is unknown', () => {
  const lost = run([
    ...toSending,
    { type: 'postponed', id: 'a', until: 9, mayBeDone: true, waitsFor: 'connection' },
  ])
  const before = only(lost)
  assert.equal(isEditable(before), false)
  const edited = only(run([{ type: 'edited', ids: ['a'], texts: { title: 'Other' } }], lost))
  assert.deepEqual([edited.title, edited.key, edited.sent], ['', 'key-a', before.sent])
  // A busy server in a later attempt does not tell what became of the first.
  const busy = run(
    [
      { type: 'began', id: 'a', sent: detailsOf(before), at: 20 },
      { type: 'postponed', id: 'a', until: 30, mayBeDone: false, waitsFor: 'server' },
    ],
    lost,
  )
  assert.equal(isEditable(only(busy)), false)
  assert.equal(only(busy).unknownSince, 5, 'remembered from the first attempt on')
})

void test('a photo that the server has certainly not accepted can be changed and sent again', () => {
  const busy = run([
    ...toSending,
    { type: 'postponed', id: 'a', until: 9, mayBeDone: false, waitsFor: 'server' },
  ])
  assert.ok(isEditable(only(busy)))
  const refused = only(run([...toSending, { type: 'refused', id: 'a', problem }]))
  assert.equal(refused.state, 'refused')
  assert.ok(isEditable(refused))
  const again = only(run([{ type: 'retried', ids: ['a'] }], [refused]))
  assert.deepEqual([again.state, again.problem, again.key], ['queued', undefined, 'key-a'])
})

void test('a file that replaces a refused one keeps its texts and has its own key', () => {
  const queue = run([
    ...toSending,
    { type: 'refused', id: 'a', problem },
    { type: 'edited', ids: ['a'], texts: { title: 'At the bridge' } },
    { type: 'replaced', id: 'a', name: 'b.jpg', bytes: 2, key: 'fresh' },
  ])
  const { state, title, key, name, problem: left } = only(queue)
  assert.deepEqual(
    [state, title, key, name, left],
    ['checking', 'At the bridge', 'fresh', 'b.jpg', undefined],
  )
})

void test('a photo paused while it is sent, for which a response still comes, is done and not sent again', () => {
  const paused = run([...toSending, { type: 'paused', ids: ['a'] }])
  assert.equal(only(paused).state, 'paused')
  assert.equal(isEditable(only(paused)), false, 'it may have arrived')
  // Asked about with the very words it was sent with, not taken back by new terms.
  assert.equal(only(run([{ type: 'returned', ids: ['a'] }], paused)).state, 'paused')
  const done = run([{ type: 'succeeded', id: 'a', imageId: 7, status: 'pending' }], paused)
  assert.equal(only(done).state, 'done')
})

void test('after a reload everything in progress is queued again', () => {
  const queue = run([...toSending, { type: 'progressed', id: 'a', sentBytes: 900, isWhole: false }])
  const { state, sentBytes, key, isUnknown } = only(run([{ type: 'interrupted' }], queue))
  assert.deepEqual([state, sentBytes, key, isUnknown], ['queued', 0, 'key-a', true])
})

void test('new terms return queued photos, but not those that may have arrived', () => {
  const waiting = photo('b', { state: 'queued' })
  const open = photo('c', { state: 'queued', isUnknown: true })
  const [sending] = run(toSending)
  assert.ok(sending)
  const queue = run([{ type: 'returned', ids: ['a', 'b', 'c'] }], [sending, waiting, open])
  assert.deepEqual(
    queue.map(({ state }) => state),
    ['ready', 'ready', 'queued'],
  )
})

void test('a question is answered by converting, and a duplicate by sending it anyway', () => {
  const asking = (question: NonNullable<QueuedPhoto['question']>) =>
    photo('a', { state: 'asking', facts: { ...facts, kind: 'webp' }, question })
  const converting = only(run([{ type: 'answered', ids: ['a'] }], [asking({ kind: 'convert' })]))
  assert.deepEqual([converting.state, converting.original], ['converting', { bytes: 1_000, kind: 'webp' }])
  const converted = only(run([{ type: 'converted', id: 'a', bytes: 500 }], [converting]))
  assert.deepEqual([converted.state, converted.bytes, converted.original?.kind], ['checking', 500, 'webp'])
  const double = asking({ kind: 'duplicate', of: 'queue', name: 'b.jpg' })
  const wanted = only(run([{ type: 'answered', ids: ['a'] }], [double]))
  assert.deepEqual([wanted.state, wanted.isWanted], ['ready', true])
})

void test('a photo without a trail is not started', () => {
  const queue = run(
    [{ type: 'start', ids: ['a'], termsVersion: null }],
    [photo('a', { state: 'ready', trail: undefined })],
  )
  assert.equal(only(queue).state, 'ready')
})

const ids = ['a', 'b', 'c'] as const
const id = fc.constantFrom(...ids)
const some = fc.subarray([...ids], { minLength: 1 })
const anyAction: fc.Arbitrary<QueueAction> = fc.oneof(
  fc.record({ type: fc.constant('checked' as const), id, facts: fc.constant(facts) }),
  fc.record({ type: fc.constant('unusable' as const), id, problem: fc.constant(problem) }),
  fc.record({ type: fc.constant('refused' as const), id, problem: fc.constant(problem) }),
  fc.record({ type: fc.constantFrom('paused', 'resumed', 'retried', 'answered', 'returned'), ids: some }),
  fc.record({ type: fc.constant('start' as const), ids: some, termsVersion: fc.constant(null) }),
  fc.record({
    type: fc.constant('began' as const),
    id,
    sent: fc.constant({ title: '', caption: '', termsVersion: null }),
    at: fc.nat(),
  }),
  fc.record({
    type: fc.constant('progressed' as const),
    id,
    sentBytes: fc.nat(1_000),
    isWhole: fc.boolean(),
  }),
  fc.record({
    type: fc.constant('succeeded' as const),
    id,
    imageId: fc.nat(),
    status: fc.constant('pending'),
  }),
  fc.record({
    type: fc.constant('postponed' as const),
    id,
    until: fc.nat(),
    mayBeDone: fc.boolean(),
    waitsFor: fc.constantFrom('connection', 'server'),
  }),
  fc.constant<QueueAction>({ type: 'interrupted' }),
  fc.constant<QueueAction>({ type: 'reconnected' }),
)

void test('no photo disappears, and none that is done is sent again, whatever happens in whatever order', () => {
  fc.assert(
    fc.property(fc.array(anyAction, { maxLength: 60 }), (actions) => {
      let queue: Queue = ids.map((one) => photo(one))
      for (const action of actions) {
        const before = queue
        queue = reduceQueue(queue, action)
        assert.deepEqual(
          queue.map((one) => one.id),
          [...ids],
        )
        for (const [index, one] of queue.entries()) {
          if (before[index]?.state === 'done') assert.equal(one, before[index])
          // The body that may have arrived is the one that is sent again under the same key.
          if (before[index]?.isUnknown === true && one.isUnknown === true)
            assert.deepEqual(one.sent, before[index].sent)
        }
      }
    }),
  )
})

void test('a photo that is added back returns to its place', () => {
  const photos = ['a', 'b', 'c'].map((id, index) => photo(id, { addedAt: index }))
  const [, second] = photos
  assert.ok(second)
  const without = run([
    { type: 'added', photos },
    { type: 'removed', ids: ['b'] },
  ])
  const back = run([{ type: 'added', photos: [second] }], without)
  assert.deepEqual(
    back.map(({ id }) => id),
    ['a', 'b', 'c'],
  )
})

void test('a photo that would be refused again, byte for byte, is not offered for a retry', () => {
  const refusedFor = (code: string) => photo('a', { state: 'refused', problem: { ...problem, code } })
  assert.equal(isWorthRetrying(refusedFor('broken-image')), false)
  assert.equal(isWorthRetrying(refusedFor('image-too-large')), false)
  assert.equal(isWorthRetrying(refusedFor('quota-reached')), true)
  const unusable = (code: string) => photo('a', { state: 'unusable', problem: { ...problem, code } })
  assert.equal(isWorthRetrying(unusable('no-photo')), false)
  assert.equal(isWorthRetrying(unusable('unreadable')), true)
})
