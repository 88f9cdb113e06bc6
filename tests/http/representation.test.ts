// The representation for If-Match is generated only with that header, and once per state (contract C39).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { etagOf, ifMatchPrecondition, requireMatch } from '../../src/http/representation.ts'

const requestWith = (ifMatch: string | undefined) =>
  ({ headers: ifMatch === undefined ? {} : { 'if-match': ifMatch } }) as FastifyRequest

void test('C39: without If-Match, and with If-Match: *, no representation is built', () => {
  const make = (): never => assert.fail('made')
  requireMatch(undefined, make)
  requireMatch(' * ', make)
  assert.equal(ifMatchPrecondition(requestWith(undefined), make), undefined)
  ifMatchPrecondition(requestWith('*'), make)?.({ title: 'x' })
})

void test('C39: a condition is checked again only if the resource has changed in between', () => {
  const made: string[] = []
  const precondition = ifMatchPrecondition(requestWith(etagOf('one')), ({ title }: { title: string }) => {
    made.push(title)
    return ['other', title]
  })
  assert.ok(precondition)
  precondition({ title: 'one' })
  precondition({ title: 'one' })
  assert.deepEqual(made, ['one'])
  assert.throws(() => precondition({ title: 'two' }), { code: 'precondition-failed' })
  assert.throws(() => precondition({ title: 'two' }), { code: 'precondition-failed' })
  precondition({ title: 'one' })
  assert.deepEqual(made, ['one', 'two', 'two'])
})
