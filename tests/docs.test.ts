// The generated parts of the docs are up to date; `npm run docs` updates them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fillBlocks } from '../scripts/docs-blocks.ts'
import { staleDocs } from '../scripts/generate-docs.ts'

void test('every generated block is up to date, and docs/openapi.json is what is served', async () => {
  const stale = await staleDocs()
  assert.deepEqual([...stale.keys()], [], 'run npm run docs, and look at the difference')
})

void test('a stale block is detected, and an unknown one is an error', () => {
  const text = 'a\n<!-- generated: sizes -->\nold\n<!-- end -->\nb'
  assert.equal(fillBlocks(text, { sizes: 'new' }), 'a\n<!-- generated: sizes -->\nnew\n<!-- end -->\nb')
  assert.throws(() => fillBlocks(text, {}), /no block called sizes/)
})
