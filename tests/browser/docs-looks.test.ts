// Guides and reference on a phone, light and dark.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDocs } from './docs-scene.ts'
import { findingsInBothColours, sidewaysScroll } from './harness.ts'

void test('axe finds nothing in guides and reference, light and dark, and nothing is wider than a phone', async (t) => {
  const scene = await openDocs(t, { widthPx: 390 })
  if (!scene) return
  const { page, open, pageErrors } = scene
  const guides = ['/upload', '/interface', '/settings', '/moving-in']
  for (const at of ['', '?q=photo', ...guides, '/api#postV2Trails', '/nothing']) {
    await open(at)
    assert.deepEqual(await findingsInBothColours(page, at || 'guides'), [])
    assert.deepEqual(await sidewaysScroll(page), [], at)
  }
  assert.deepEqual(pageErrors, [])
})
