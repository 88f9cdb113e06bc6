// The shades of an accent colour: whatever the colour, everything on a page stays legible in light and in dark.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pairs, readPalettes } from '../../../scripts/contrast.ts'
import {
  backs,
  inks,
  isColour,
  measureAccent,
  ownAccent,
  shadesOf,
  stylesheetOf,
} from '../../../src/shared/colours/accent.ts'
import { contrast } from '../../../src/shared/colours/contrast.ts'

/** Each channel in steps, and what stands between. */
const levels = ['00', '1d', '40', '65', '80', '9f', 'c0', 'e0', 'ff']
const colours = levels.flatMap((red) =>
  levels.flatMap((green) => levels.map((blue) => `#${red}${green}${blue}`)),
)

void test('every colour has legible shades: 729 colours, light and dark', () => {
  const low = colours.flatMap((hex) => {
    const shades = shadesOf(hex)
    return (['light', 'dark'] as const).flatMap((scheme) =>
      measureAccent(scheme, shades[scheme])
        .filter(({ needed, ratio }) => ratio < needed)
        .map(({ front, back, ratio }) => `${hex} ${scheme}: ${front} on ${back}, ${ratio}`),
    )
  })
  assert.deepEqual(low, [])
})

void test('shades are measured against the colours of the stylesheet, in every pair that it uses', async () => {
  const palettes = await readPalettes()
  for (const scheme of ['light', 'dark'] as const) {
    for (const [name, hex] of Object.entries({
      ...backs[scheme],
      ...inks[scheme],
      accent: ownAccent[scheme],
    }))
      assert.equal(palettes[scheme].get(name), hex, name)
    const measured = new Set(
      measureAccent(scheme, shadesOf('#1d6546')[scheme]).map(({ front, back }) => `${front} ${back}`),
    )
    const ours = new Set<string>(Object.keys(shadesOf('#1d6546').light))
    const needed = pairs.filter(({ front }) => ours.has(front)).map(({ front, back }) => `${front} ${back}`)
    assert.deepEqual(
      needed.filter((pair) => !measured.has(pair)),
      [],
    )
  }
})

void test('a legible colour is kept unchanged, and any other keeps its hue', () => {
  assert.equal(shadesOf('#1D6546').light.accent, '#1d6546')
  assert.equal(shadesOf('#7fcca3').dark.accent, '#7fcca3')
  assert.equal(shadesOf('#8a2be2').light.accent, '#8a2be2')
  assert.equal(shadesOf('#8a2be2').light['on-accent'], '#ffffff')
  assert.equal(shadesOf('#ffd400').dark['on-accent'], '#000000')
  const { light, dark } = shadesOf('#ffd400')
  assert.equal(dark.accent, '#ffd400')
  assert.notEqual(light.accent, '#ffd400')
  assert.ok(contrast(light.accent, '#ffffff') < 4, 'no darker than it has to be')
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) =>
    Number.parseInt(light.accent.slice(at, at + 2), 16),
  )
  assert.ok(red > blue + 60 && green > blue + 60, light.accent)
})

void test('an invalid colour is refused, and the stylesheet contains only colours', () => {
  for (const text of ['', 'red', '#fff', '#12345', '#1234567', '#12345g', '#123456;}', ' #123456'])
    assert.equal(isColour(text), false, text)
  for (const line of stylesheetOf('#b0124c').trim().split('\n'))
    assert.match(
      line,
      /^(@media [\w ]*\(prefers-color-scheme:dark\)(?: and \(scripting:none\))?\{)?html:root(\[[^\]]+\])?\{(--[a-z-]+:#[\da-f]{6};?){7}\}+$/,
    )
})
