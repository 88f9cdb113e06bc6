// Cached trail lists over long random walks, with both settings of XML_EMAIL (contract C19, C39, C40).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { walk } from './list-walk.ts'

for (const [seed, xmlEmail] of [
  [1, 'permitted'],
  [2, 'permitted'],
  [3, 'always'],
] as const)
  void test(`C19 C40: 200 random changes, seed ${seed}, email ${xmlEmail}`, async () => {
    assert.ok((await walk({ seed, steps: 200, xmlEmail })) > 100)
  })
