// Long texts in chunks: small ones are joined, and the event loop is yielded in between.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inChunks, withTurns } from '../../../src/shared/text/text-chunks.ts'

void test('short texts are combined, none is split, and an empty one flushes what is there', () => {
  const long = 'x'.repeat(40_000)
  assert.deepEqual([...inChunks(['a', long, 'b', 'c', '', '', 'd'])], [`a${long}`, 'bc', '', 'd'])
  assert.deepEqual([...inChunks([])], [])
})

function* slow(): Generator<string, void> {
  for (let index = 0; index < 30; index += 1) {
    const start = performance.now()
    while (performance.now() - start < 2);
    yield index % 3 === 0 ? '' : 'x'
  }
}

void test('timers run while chunks are made, none of which is empty', async () => {
  let turns = 0
  const timer = setInterval(() => {
    turns += 1
  }, 1)
  const chunks: string[] = []
  for await (const chunk of withTurns(slow())) chunks.push(chunk)
  clearInterval(timer)
  assert.equal(chunks.join(), Array.from({ length: 20 }, () => 'x').join())
  assert.ok(turns >= 4, `${turns} turns in 60 ms`)
})
