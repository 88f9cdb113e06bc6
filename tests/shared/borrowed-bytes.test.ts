// Bytes held by slow readers: a value counts once, until its last reader has finished.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBorrowedBytes } from '../../src/shared/borrowed-bytes.ts'

const create = () => createBorrowedBytes<{ readonly size: number }>({ max: 10, sizeOf: ({ size }) => size })

void test('bytes borrowed several times count once, until the last borrower releases them', () => {
  const borrowed = create()
  const [six, five] = [{ size: 6 }, { size: 5 }]
  const first = borrowed.borrow(six)
  const second = borrowed.borrow(six)
  assert.ok(first && second)
  assert.equal(borrowed.borrow(five), undefined)
  first()
  assert.equal(borrowed.borrow(five), undefined, 'one still reads')
  second()
  const third = borrowed.borrow(five)
  assert.ok(third)
  assert.equal(borrowed.borrow(six), undefined)
})

void test('reserved bytes count in addition to borrowed ones', () => {
  const borrowed = create()
  const release = borrowed.reserve(6)
  assert.ok(release)
  assert.equal(borrowed.reserve(5), undefined)
  assert.equal(borrowed.borrow({ size: 5 }), undefined)
  assert.ok(borrowed.borrow({ size: 4 }))
  release()
  assert.ok(borrowed.reserve(6))
})

void test('the limit is inclusive', () => {
  assert.ok(create().reserve(10))
  assert.equal(create().reserve(11), undefined)
})
