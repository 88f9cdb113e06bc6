// Guides and reference on a phone, light and dark.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDocs } from './docs-scene.ts'
import { axeFindings, sidewaysScroll } from './harness.ts'

void test('axe finds nothing in guides and reference, light and dark, and nothing is wider than a phone', async (t) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const scene = await openDocs(t, { widthPx: 390, colorScheme })
    if (!scene) return
    const { page, open, troubles } = scene
    for (const at of [
      '',
      '?q=photo',
      '/upload',
      '/interface',
      '/settings',
      '/api#postV2Trails',
      '/nothing',
    ]) {
      await open(at)
      assert.deepEqual(await axeFindings(page), [], at)
      assert.deepEqual(await sidewaysScroll(page), [], at)
    }
    assert.deepEqual(troubles, [])
  }
})
