// The memory limit of cached pages counts their real size.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createChanges } from '../../src/commits.ts'
import { createPageStore } from '../../src/web-app/page-store.ts'

void test('a page is counted by the bytes of its characters, up to two each', async () => {
  const store = createPageStore({ changes: createChanges({ look: () => undefined }), maxBytes: 50_000 })
  let made = 0
  const ask = (name: string) =>
    store.find({ name, since: 0, acceptEncoding: undefined }, async () => {
      made += 1
      return { status: 200, headers: {}, text: '–'.repeat(15_000), dependsOn: [], isStill: () => true }
    })
  await ask('one')
  await ask('one')
  assert.equal(made, 1)
  await ask('other')
  await ask('one')
  assert.equal(made, 3, 'two of 30,000 bytes and what their codings take do not fit')
  await ask('x'.repeat(3_000))
  await ask('x'.repeat(3_000))
  assert.equal(made, 5, 'a name as long as nobody has one is not kept')
})
