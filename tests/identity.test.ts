// The look as numbers: contrast of the palette in light and dark, the size of the stylesheet, and one logo everywhere.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { contrast, decorative, measuredPairs, maxNeeded, pairs, readPalettes } from '../scripts/contrast.ts'
import { readAssets } from '../src/site/assets.ts'
import { logo } from '../src/site/logo.ts'

const root = path.resolve(import.meta.dirname, '..')

void test('the contrast formula is that of WCAG: its published examples', () => {
  assert.equal(contrast('#000000', '#ffffff'), 21)
  assert.equal(contrast('#777777', '#ffffff').toFixed(2), '4.48')
  assert.equal(contrast('#767676', '#ffffff').toFixed(2), '4.54')
  assert.equal(contrast('#ff0000', '#ffffff').toFixed(2), '4.00')
})

void test('every pair of colours has the contrast it needs, in light and dark', async () => {
  const low = (await measuredPairs()).filter(
    ({ kind, light, dark }) => Math.min(light, dark) < maxNeeded[kind],
  )
  assert.deepEqual(low, [])
})

void test('every colour is checked or known to be decorative, and the dark palette redefines each', async () => {
  const { light, dark } = await readPalettes()
  const known = new Set([...decorative, ...pairs.flatMap(({ front, back }) => [front, back])])
  assert.deepEqual([...known].toSorted(), [...light.keys()].toSorted())
  const same = [...light].filter(([name, hex]) => dark.get(name) === hex)
  assert.deepEqual(same, [])
})

void test('the stylesheet is small, uses only colours of its palette, and loads from no other server', async () => {
  const css = readAssets().find(({ name }) => name === 'waymark.css')?.text ?? ''
  assert.ok(Buffer.byteLength(css) < 12_000, `${Buffer.byteLength(css)} bytes`)
  const rules = css.slice(css.indexOf('*,\n::before'))
  assert.ok(rules.length < css.length && rules.length > 1_000)
  assert.doesNotMatch(rules, /#[\da-f]{3,8}\b|rgb\(/i)
  assert.doesNotMatch(css, /@import|@font-face|\/\//)
  const names = new Set(readAssets().map(({ name }) => name))
  for (const [, file = ''] of css.matchAll(/url\('([^']+)'\)/g)) assert.ok(names.has(file), file)
  const used = [...rules.matchAll(/var\(--([\w-]+)\)/g)].map(([, name = '']) => name)
  const stated = [...css.matchAll(/^\s+--([\w-]+):/gm)].map(([, name = '']) => name)
  assert.deepEqual([...new Set(used)].toSorted(), [...new Set(stated)].toSorted())
})

void test('the logo is the same drawing in the page, the icon and the docs', async () => {
  const pathsOf = (markup: string) =>
    [...markup.matchAll(/\b(?:d|cx|cy|r|rx|stroke-width)="([^"]+)"/g)].map(([, d]) => d)
  const icon = readAssets().find(({ name }) => name === 'favicon.svg')?.text ?? ''
  const inDocs = await readFile(path.join(root, 'docs/identity/logo.svg'), 'utf8')
  assert.ok(pathsOf(logo.markup).length > 5)
  assert.deepEqual(pathsOf(icon), pathsOf(logo.markup))
  assert.deepEqual(pathsOf(inDocs), pathsOf(logo.markup))
})
