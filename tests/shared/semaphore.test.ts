// A semaphore never grants more places than it has, in request order, and loses none.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSemaphore, createSemaphores, type Claim, type Semaphore } from '../../src/shared/semaphore.ts'

/** Claims that tell when they get their place. */
function recorder(semaphore: Semaphore) {
  const granted: string[] = []
  const claim = async (name: string, options?: Claim): Promise<() => void> => {
    const release = await semaphore.acquire(options)
    granted.push(name)
    return release
  }
  return { granted, claim }
}

void test('waiting claims get a place in order, and a place can be released only once', async () => {
  const semaphore = createSemaphore(2)
  const { granted, claim } = recorder(semaphore)
  const [a, b] = await Promise.all([claim('a'), claim('b')])
  const [c, d] = [claim('c'), claim('d')]
  assert.deepEqual(semaphore.load(), { running: 2, waiting: 2 })
  assert.equal(semaphore.tryAcquire(), undefined)
  a()
  a()
  const endC = await c
  assert.deepEqual(granted, ['a', 'b', 'c'])
  endC()
  b()
  const endD = await d
  assert.deepEqual(semaphore.load(), { running: 1, waiting: 0 })
  endD()
  assert.deepEqual(semaphore.load(), { running: 0, waiting: 0 })
})

void test('an abort signal ends the wait with its reason, and later claims move up', async () => {
  const semaphore = createSemaphore(1)
  const { claim } = recorder(semaphore)
  const release = await claim('first')
  const gone = new AbortController()
  const refused = assert.rejects(claim('gone', { signal: gone.signal }), /left/)
  const last = claim('last')
  gone.abort(new Error('left'))
  await refused
  release()
  const endLast = await last
  endLast()
  await assert.rejects(claim('late', { signal: gone.signal }), /left/)
  assert.deepEqual(semaphore.load(), { running: 0, waiting: 0 })
})

void test('a signal after the place was granted does not revoke it', async () => {
  const semaphore = createSemaphore(1)
  const { claim } = recorder(semaphore)
  const release = await claim('first')
  const gone = new AbortController()
  const second = claim('second', { signal: gone.signal })
  release()
  gone.abort(new Error('left'))
  const endSecond = await second
  assert.equal(semaphore.load().running, 1)
  endSecond()
  assert.equal(semaphore.load().running, 0)
})

void test('the number of waiting claims is limited', async () => {
  const semaphore = createSemaphore(1, { maxWaiting: 1, whenFull: () => new Error('full') })
  const { claim } = recorder(semaphore)
  const release = await claim('first')
  const second = claim('second')
  await assert.rejects(claim('third'), /full/)
  release()
  const endSecond = await second
  endSecond()
})

void test('a place is released when the work ends, even if it fails', async () => {
  const semaphore = createSemaphore(1)
  assert.equal(await semaphore.run(async () => semaphore.load().running), 1)
  await assert.rejects(
    semaphore.run(() => Promise.reject(new Error('broken'))),
    /broken/,
  )
  assert.equal(semaphore.load().running, 0)
})

void test('one group’s claims do not all go before another’s', async () => {
  const semaphore = createSemaphore(1)
  const { granted, claim } = recorder(semaphore)
  const names = ['a1', 'a2', 'a3', 'b1', 'b2']
  const claims = names.map((name) => claim(name, { group: name.slice(0, 1) }))
  for (const name of ['a1', 'b1', 'a2', 'b2', 'a3']) {
    const release = await claims[names.indexOf(name)]
    release?.()
  }
  assert.deepEqual(granted, ['a1', 'b1', 'a2', 'b2', 'a3'])
})

void test('each key has its own places while any of them is held', () => {
  const placesOf = createSemaphores(1)
  const places = placesOf('a')
  const release = places.tryAcquire()
  assert.ok(release)
  assert.equal(placesOf('a'), places)
  assert.equal(placesOf('a').tryAcquire(), undefined)
  assert.ok(placesOf('b').tryAcquire())
  release()
  assert.notEqual(placesOf('a'), places)
})
