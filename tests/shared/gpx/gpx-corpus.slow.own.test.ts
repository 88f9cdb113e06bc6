// Every GPX file of ../shared/corpus: accepted or refused, counts as libxml2 has them, lengths as GeographicLib has them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linesOf } from '../../../src/shared/gpx/gpx-document.ts'
import { readGpx, readGpxText } from '../../../src/shared/gpx/gpx.ts'
import { measureAtOnce } from '../../../src/shared/geo/measures.ts'
import { corpusAbsent, corpusFile, expectedOf } from '../../helpers/corpus.ts'

interface ExpectedGpx {
  readonly result: 'accept' | 'refuse' | 'either'
  readonly version: string | null
  readonly wpt: number
  readonly rte: number
  readonly rtept: number
  readonly trk: number
  readonly trkseg: number
  readonly trkpt: number
  readonly miles?: number
}

test('C33, C34: the GPX files of the corpus', { skip: corpusAbsent }, async (t) => {
  const files = (await expectedOf('gpx')) as unknown as [string, ExpectedGpx][]
  assert.ok(files.length > 0, 'expected.json of the corpus names no file')
  for (const [name, expected] of files) {
    await t.test(name, async () => {
      const text = (await corpusFile('gpx', name)).toString('utf8')
      const reading = readGpxText(text)
      if (expected.result !== 'either') assert.equal(reading.ok, expected.result === 'accept')
      if (!reading.ok) {
        assert.match(reading.fault.detail, /\(gpx line \d+, element \S+\)\.$/)
        return
      }
      const { counts, version } = reading.value
      assert.deepEqual(
        { version: version ?? null, ...counts },
        {
          version: expected.version,
          waypoints: expected.wpt,
          routes: expected.rte,
          routePoints: expected.rtept,
          tracks: expected.trk,
          segments: expected.trkseg,
          trackPoints: expected.trkpt,
        },
      )
      const { lengthMiles, pointCount } = measureAtOnce(linesOf(reading.value))
      assert.equal(pointCount, counts.routePoints + counts.trackPoints)
      // expected.json holds 12 significant digits.
      const miles = expected.miles ?? lengthMiles
      assert.ok(Math.abs(lengthMiles - miles) <= Math.max(miles * 1e-9, 1e-9), `${lengthMiles}, not ${miles}`)

      const inChunks = await readGpx(text.match(/[^]{1,1000}/g) ?? [])
      assert.deepEqual(inChunks.ok && inChunks.value.counts, counts)
      assert.deepEqual(inChunks.ok && inChunks.value.warnings, reading.value.warnings)
    })
  }
})
