// The rendition cache stays within its budget, and so do the buffers of slow readers of size lg (contract A5, trust 58).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRenditionCache, type CachedRendition } from '../../../src/images/view/rendition-cache.ts'

const MiB = 1024 ** 2

function rendition(name: string, length: number): CachedRendition {
  const bytes = new Uint8Array(length)
  return { rendition: { name, bytes: length, digest: '0'.repeat(64) }, bytes, body: bytes }
}

const names = ['640.jpeg', '640.png']
const otherNames = ['640.webp']

void test('small sizes are cached by content and view, and the least recently used are evicted', () => {
  const cache = createRenditionCache(3) // two thirds for the small sizes
  const [a, b, c] = ['a', 'b', 'c'].map((sha256) => ({ sha256, kept: rendition('640.jpeg', 0.9 * MiB) }))
  assert.ok(a && b && c)
  cache.keepSmall(a.sha256, names, a.kept)
  cache.keepSmall(b.sha256, names, b.kept)
  assert.equal(cache.findSmall(a.sha256, names), a.kept)
  assert.equal(cache.findSmall(a.sha256, otherNames), undefined)
  cache.keepSmall(c.sha256, names, c.kept)
  assert.equal(cache.findSmall(b.sha256, names), undefined)
  assert.deepEqual([cache.findSmall(a.sha256, names), cache.findSmall(c.sha256, names)], [a.kept, c.kept])
})

void test('the views of one content are cached side by side, and their sizes are counted together', () => {
  const cache = createRenditionCache(3)
  const [jpeg, webp] = [rendition('640.jpeg', MiB), rendition('640.webp', 0.5 * MiB)]
  cache.keepSmall('a', names, jpeg)
  cache.keepSmall('a', otherNames, webp)
  assert.deepEqual([cache.findSmall('a', names), cache.findSmall('a', otherNames)], [jpeg, webp])
  cache.keepSmall('b', names, rendition('640.jpeg', MiB))
  assert.equal(cache.findSmall('a', names), undefined)
})

void test('size lg borrows at most its third of the memory, however many readers there are', () => {
  const cache = createRenditionCache(3)
  const [one, other] = [rendition('lg', 0.6 * MiB), rendition('lg', 0.6 * MiB)]
  const ends = [cache.lend(one), cache.lend(one), cache.lend(one)]
  assert.ok(
    ends.every((end) => end !== undefined),
    'one in memory serves all its readers',
  )
  assert.equal(cache.lend(other), undefined)
  assert.equal(cache.reserve(0.6 * MiB), undefined)
  for (const end of ends.slice(1)) end?.()
  assert.equal(cache.lend(other), undefined, 'one reader still holds the first')
  ends[0]?.()
  const release = cache.reserve(0.6 * MiB)
  assert.ok(release)
  assert.equal(cache.lend(other), undefined)
  release()
  assert.ok(cache.lend(other))
})

void test('without memory for images nothing is cached or borrowed', () => {
  const cache = createRenditionCache(0)
  cache.keepSmall('a', names, rendition('640.jpeg', 10))
  cache.keepLarge('a', rendition('lg', 10))
  assert.deepEqual([cache.findSmall('a', names), cache.findLarge('a')], [undefined, undefined])
  assert.equal(cache.reserve(10), undefined)
})
