// Positions and orientations of the real photos in ../shared/corpus, compared with its expected.json.

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { orientationFrom, positionFrom } from '../../../src/shared/formats/gps.ts'
import { walk } from '../../helpers/imaging.ts'
import { corpusUrl } from '../../helpers/corpus.ts'

interface ExpectedPhoto {
  readonly orientation?: number
  readonly lat?: string
  readonly lon?: string
}

const corpus = corpusUrl()
const folders = ['gps', 'orientation'] as const

for (const folder of folders) {
  const expectedFile = new URL(`${folder}/expected.json`, corpus)
  if (!existsSync(expectedFile)) {
    void test(`corpus ${folder}`, { skip: `no corpus at ${expectedFile.pathname}` })
    continue
  }
  const photos = JSON.parse(readFileSync(expectedFile, 'utf8')) as Record<string, ExpectedPhoto>
  for (const [name, expected] of Object.entries(photos)) {
    void test(`corpus ${folder}/${name}`, () => {
      const { metadata: blocks } = walk(readFileSync(new URL(`${folder}/${name}`, corpus)), 'jpeg')
      assert.equal(orientationFrom(blocks), expected.orientation ?? 1)
      if (expected.lat === undefined || expected.lon === undefined) return
      const { lat, lon } = positionFrom(blocks) ?? { lat: '0', lon: '0' }
      assertNear(lat, expected.lat)
      assertNear(lon, expected.lon)
    })
  }
}

/** One unit in the last place is tolerated, since the expectation was computed in exiftool's floating point. */
function assertNear(actual: string, expected: string): void {
  assert.match(actual, /^-?\d+(?:\.\d{0,6}[1-9])?$/)
  const units = (text: string): number => Math.round(Number(text) * 1e7)
  assert.ok(Math.abs(units(actual) - units(expected)) <= 1, `${actual} is not ${expected}`)
}
