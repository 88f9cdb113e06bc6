// Climb and descent (decision 0133): exact without noise, near the truth under the noise of barometers and receivers, none on
// level ground; and on real files what another program, gpxpy, makes of them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linesOf } from '../../../src/shared/gpx/gpx-document.ts'
import { readGpxText } from '../../../src/shared/gpx/gpx.ts'
import { measureAtOnce } from '../../../src/shared/geo/measures.ts'
import { createPoints, type Line } from '../../../src/shared/geo/points.ts'
import { corpusAbsent, corpusFile, expectedOf } from '../../helpers/corpus.ts'
import {
  flat,
  hills,
  lowRises,
  made,
  mountain,
  noises,
  rolling,
  truthOf,
  type Recording,
} from './climb-recordings.ts'

/** A point every 100 m, each with this elevation. */
const profile = (eles: readonly (number | undefined)[], metres = 100): Line => {
  const points = createPoints()
  for (const [index, ele] of eles.entries()) {
    points.add(47, 8 + (index * metres) / 75_800)
    if (ele !== undefined) points.setEle(ele)
  }
  return { points, first: 0, end: points.count }
}
const climbOf = (...lines: Line[]): (number | undefined)[] => {
  const { climbMetres, descentMetres } = measureAtOnce(lines)
  return [climbMetres, descentMetres]
}

void test('noise-free profiles are exact', () => {
  assert.deepEqual(climbOf(profile([100, 150, 120, 300, 50])), [230, 280])
  assert.deepEqual(climbOf(profile([100, 50, 200])), [150, 50])
  assert.deepEqual(climbOf(profile([0, 4, 8, 12, 16, 20])), [20, 0], 'small steps add up')
  assert.deepEqual(climbOf(profile([7, 7])), [0, 0])
  assert.deepEqual(climbOf(profile([3, 5, 7, 9, 9, 9, 9, 7, 5, 3, 3])), [6, 6], 'a rise of 6 m')
})

void test('a climb of more than 10 m counts, however rough the rest is', () => {
  const rough = Array.from({ length: 400 }, (_, index) => (index % 2) * 9)
  assert.deepEqual(climbOf(profile(rough)), [0, 0])
  assert.deepEqual(climbOf(profile([...rough, 20, ...rough])), [20, 20])
})

void test('missing elevations are skipped, gaps add no climb, and a single elevation gives none', () => {
  assert.deepEqual(climbOf(profile([0, undefined, 50, undefined])), [50, 0])
  assert.deepEqual(climbOf(profile([0, 50]), profile([1000, 1020])), [70, 0])
  assert.deepEqual(climbOf(profile([0, 50]), profile([]), profile([]), profile([1000, 1020])), [70, 0])
  assert.deepEqual(climbOf(profile([0]), profile([1000])), [undefined, undefined])
  assert.deepEqual(climbOf(profile([undefined, undefined])), [undefined, undefined])
})

void test('points at one place count as one elevation, their mean', () => {
  assert.deepEqual(climbOf(profile([5, 105, 5, 105, 5, 105], 0.1)), [0, 0])
  const [up = NaN] = climbOf(profile([...Array.from({ length: 60 }, (_, at) => 100 + (at % 3)), 200], 0.05))
  assert.equal(up, 0, 'all of them within 8 m')
})

const perKilometre = (recording: Recording): number =>
  (climbOf(recording.line)[0] ?? NaN) / recording.kilometres
const walk = { metresPerSecond: 1.3, seconds: 7_200 }
const ride = { metresPerSecond: 6, seconds: 7_200 }

void test('a barometer on level ground gives no climb, every second or every 30, with and without stops', () => {
  for (const speed of [walk, ride])
    for (const everySeconds of [1, 5, 30])
      for (const hasStops of [true, false]) {
        const recording = made({ ...speed, everySeconds, hasStops, ground: flat, noise: noises.barometer })
        assert.ok(
          perKilometre(recording) < 1,
          `${JSON.stringify(speed)} ${everySeconds} ${perKilometre(recording)}`,
        )
      }
})

void test('independent noise of 2 m, or of up to 5 m either way, gives no climb on level ground', () => {
  for (const noise of [noises.independent, noises.uniform])
    for (const everySeconds of [1, 30])
      for (const hasStops of [true, false]) {
        const recording = made({ ...ride, everySeconds, hasStops, ground: flat, noise })
        assert.ok(perKilometre(recording) < 1, `${everySeconds} ${perKilometre(recording)}`)
      }
})

void test('a receiver that drifts by 3 m gives little climb on a level cycle path with stops', () => {
  for (const everySeconds of [1, 30])
    for (const seed of [1, 2, 3]) {
      const recording = made({
        ...ride,
        everySeconds,
        hasStops: true,
        ground: flat,
        noise: noises.receiver,
        seed,
      })
      assert.ok(perKilometre(recording) < 5, `${everySeconds} ${perKilometre(recording)}`)
    }
})

void test('small rises of a ride count, where a threshold of 10 m would find none', () => {
  for (const noise of [noises.none, noises.barometer]) {
    const recording = made({ ...ride, everySeconds: 1, hasStops: true, ground: lowRises, noise })
    const truth = truthOf(recording, lowRises)
    const [up = NaN] = climbOf(recording.line)
    assert.ok(truth > 97 && Math.abs(up - truth) / truth < 0.2, `${up} of ${truth}`)
  }
})

void test('the climb is within 10 % of the truth: with a barometer on any ground, with a receiver on hills', () => {
  const cases = [
    [rolling, walk, noises.barometer],
    [rolling, ride, noises.barometer],
    [hills, walk, noises.barometer],
    [hills, ride, noises.barometer],
    [mountain, walk, noises.barometer],
    [mountain, ride, noises.barometer],
    [hills, ride, noises.receiver],
    [mountain, walk, noises.receiver],
    [mountain, ride, noises.receiver],
    [hills, walk, noises.independent],
    [mountain, ride, noises.independent],
  ] as const
  for (const [number, [ground, speed, noise]] of cases.entries()) {
    const recording = made({ ...speed, everySeconds: 1, hasStops: true, ground, noise })
    const truth = truthOf(recording, ground)
    const [up = NaN] = climbOf(recording.line)
    assert.ok(Math.abs(up - truth) / truth < 0.1, `case ${number}: ${up} of ${truth}`)
  }
})

/** As gpxpy 1.5 has it (`calculate_uphill_downhill`): a moving mean of three, then every rise. Written from its rule. */
function gpxpyUphill(eles: readonly number[]): number {
  const smooth = eles.map((ele, index) => {
    const [before, after] = [eles[index - 1], eles[index + 1]]
    return before === undefined || after === undefined ? ele : 0.3 * before + 0.4 * ele + 0.3 * after
  })
  return smooth.slice(1).reduce((sum, ele, index) => sum + Math.max(0, ele - (smooth[index] ?? 0)), 0)
}

/** What gpxpy 1.5.0 itself printed for some of the files. */
const printed = {
  'gpxpy/Mojstrovka.gpx': 446.5,
  'gpxpy/korita-zbevnica.gpx': 703.8,
  'togeojson/blue_hills.gpx': 974.5,
}

void test(
  'on real files with a climb the median difference from gpxpy is below 10 %',
  { skip: corpusAbsent },
  async () => {
    const different = new Map<string, number>()
    for (const [name] of await expectedOf('gpx')) {
      const reading = readGpxText((await corpusFile('gpx', name)).toString('utf8'))
      if (!reading.ok) continue
      const lines = linesOf(reading.value)
      const eles = lines.map(({ points, first, end }) =>
        Array.from({ length: end - first }, (_, at) => points.ele(first + at)).filter(
          (ele) => !Number.isNaN(ele),
        ),
      )
      const theirs = eles.reduce((sum, all) => sum + gpxpyUphill(all), 0)
      const known = Object.entries(printed).find(([file]) => file === name)?.[1]
      if (known !== undefined) assert.equal(theirs.toFixed(1), known.toFixed(1), name)
      if (eles.flat().length < 20 || theirs < 20) continue
      // The same ride is there in many files.
      different.set(JSON.stringify(eles), Math.abs((climbOf(...lines)[0] ?? NaN) - theirs) / theirs)
    }
    const sorted = [...different.values()].toSorted((one, other) => one - other)
    assert.ok(sorted.length >= 10, `${sorted.length} files`)
    const median = sorted[Math.floor(sorted.length / 2)] ?? NaN
    assert.ok(median < 0.1, `median ${median}, all ${sorted.map((one) => one.toFixed(3)).join(' ')}`)
  },
)
