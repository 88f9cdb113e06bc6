// The engine of the route editor: undo and redo, edits, measures, simplifying, reading and writing. No browser.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { linesOf } from '../../src/shared/gpx/gpx-document.ts'
import { readGpxText } from '../../src/shared/gpx/gpx.ts'
import { measureAtOnce } from '../../src/shared/geo/measures.ts'
import { lineOf, type Position } from '../../src/shared/geo/points.ts'
import { chunked, countOf, flattened, lineOfChunk } from '../../web/route-editor/columns.ts'
import { createEditor, type Editor } from '../../web/route-editor/editor.ts'
import { readGpxFile } from '../../web/route-editor/read-file.ts'
import { geoJsonOf, gpxOf } from '../../web/route-editor/route-file.ts'
import {
  emptyRoute,
  ordinalOf,
  pointAt,
  pointCount,
  refAt,
  type RouteState,
} from '../../web/route-editor/route-state.ts'
import { routeOf, walk } from '../helpers/editor-routes.ts'

const degrees = (max: number) => fc.double({ min: -max, max: max, noNaN: true, noDefaultInfinity: true })
const position = fc.record(
  { lat: degrees(89), lon: degrees(180), ele: degrees(4_000) },
  { noNullPrototype: true },
)

const positionsOf = (state: RouteState): (Position | undefined)[][] =>
  state.segments.map(({ chunks }, segment) =>
    Array.from({ length: countOf(chunks) }, (_, index) => pointAt(state, { segment, index })),
  )

const action = fc.oneof(
  fc.record({ do: fc.constant('add' as const), at: position }),
  fc.record({ do: fc.constant('select' as const), ordinal: fc.nat(40) }),
  fc.record({ do: fc.constant('move' as const), at: position }),
  fc.record({ do: fc.constant('name' as const), text: fc.string() }),
  fc.constantFrom(
    ...(
      [
        'insertAfterSelected',
        'deleteSelected',
        'reverse',
        'trimBefore',
        'trimAfter',
        'split',
        'outAndBack',
        'closeLoop',
        'clear',
      ] as const
    ).map((name) => ({ do: name })),
  ),
  fc.record({ do: fc.constant('join' as const), at: fc.nat(3) }),
)

function act(editor: Editor, step: typeof action extends fc.Arbitrary<infer Step> ? Step : never): void {
  if (step.do === 'add') return editor.addPoint(step.at)
  if (step.do === 'select') return editor.select(refAt(editor.view().state, step.ordinal))
  if (step.do === 'name') return editor.setTexts({ name: step.text }, 'Name')
  if (step.do === 'join') return editor.join(step.at)
  if (step.do !== 'move') return editor[step.do]()
  const { selected } = editor.view()
  return selected && editor.changePoint(selected, step.at)
}

test('undoing any sequence of actions gives exactly the start; redoing it, exactly the end', () => {
  fc.assert(
    fc.property(fc.array(position, { maxLength: 20 }), fc.array(action, { maxLength: 40 }), (line, steps) => {
      let at = 0
      const initial = line.length === 0 ? emptyRoute : routeOf(line)
      const editor = createEditor({ initial, now: () => (at += 10_000) })
      for (const step of steps) act(editor, step)
      const end = editor.view().state
      const written = positionsOf(end)
      while (editor.view().undoLabel !== undefined) editor.undo()
      assert.equal(editor.view().state, initial)
      assert.deepEqual(positionsOf(initial).flat(), line)
      while (editor.view().redoLabel !== undefined) editor.redo()
      assert.equal(editor.view().state, end)
      assert.deepEqual(positionsOf(end), written)
    }),
  )
})

test('C34: the live length equals that of the server, also after edits', () => {
  fc.assert(
    fc.property(
      fc.array(position, { minLength: 2, maxLength: 30 }),
      fc.array(action, { maxLength: 15 }),
      (line, steps) => {
        const editor = createEditor({ initial: routeOf(line, walk(3)) })
        for (const step of steps) act(editor, step)
        const { state } = editor.view()
        const { lengthMiles, climbMetres, pointCount: count } = editor.measures()
        const server = measureAtOnce(state.segments.map(({ chunks }) => lineOfChunk(flattened(chunks))))
        assert.ok(Math.abs(lengthMiles - server.lengthMiles) <= server.lengthMiles * 1e-12)
        assert.equal(climbMetres, server.climbMetres)
        assert.equal(count, server.pointCount)
      },
    ),
    { numRuns: 60 },
  )
  const long = walk(3_000)
  const editor = createEditor({ initial: routeOf(long) })
  const there = measureAtOnce([lineOf(long)]).lengthMiles
  assert.ok(Math.abs(editor.measures().lengthMiles - there) < there * 1e-12)
  // The first point of a chunk: what lies between it and the chunk before changes with it.
  editor.changePoint({ segment: 0, index: 512 }, { lat: 47 })
  const moved = [...long]
  moved[512] = { ...long[512], lat: 47, lon: long[512]?.lon ?? NaN }
  const longer = measureAtOnce([lineOf(moved)]).lengthMiles
  assert.ok(Math.abs(editor.measures().lengthMiles - longer) < longer * 1e-12)
  editor.undo()
  editor.outAndBack()
  assert.ok(Math.abs(editor.measures().lengthMiles - 2 * there) < there * 1e-12)
})

const sample = `<?xml version="1.0"?>
<gpx version="1.1" creator="Somebody" xmlns="http://www.topografix.com/GPX/1/1">
  <metadata><name>Rim &amp; loop</name></metadata>
  <wpt lat="46.1" lon="7.1"><ele>1200</ele><name>Hut</name></wpt>
  <rte><name>Plan</name><rtept lat="46" lon="7"/><rtept lat="46.01" lon="7.01"/></rte>
  <trk><name>Day</name>
    <trkseg><trkpt lat="46.001" lon="7.002"><ele>1000.5</ele><time>2026-05-14T09:08:07Z</time></trkpt><trkpt lat="46.002" lon="7.003"/></trkseg>
    <trkseg><trkpt lat="46.003" lon="7.004"/></trkseg>
  </trk>
</gpx>`

async function imported(text: string): Promise<Editor> {
  const outcome = await readGpxFile(new Blob([text]), { maxBytes: 1e7, maxCachedBytes: 1e6 }, () => undefined)
  assert.ok(outcome.ok)
  const { file } = outcome
  const editor = createEditor()
  const segments = file.lines.map(({ kind, group, name, inSource, columns }) => ({
    kind,
    group,
    name,
    inSource,
    chunks: chunked(columns),
  }))
  const { columns, names } = file.waypoints
  const waypoints = { line: lineOfChunk(columns.columns), names: new Map(names) }
  const { text: kept, groups, hasPointData } = file
  const source = kept === undefined ? undefined : { text: kept, groups, hasPointData, segments, waypoints }
  editor.importRoute({ name: file.name, segments, waypoints, source })
  return editor
}

test('C33: an import that is not edited is written byte for byte, also after its edits are undone', async () => {
  const editor = await imported(sample)
  assert.equal(editor.view().state.name, 'Rim & loop')
  assert.equal(await gpxOf(editor.view().state), sample)
  editor.setTexts({ name: 'Another name' }, 'Name')
  assert.equal(await gpxOf(editor.view().state), sample)
  editor.select({ segment: 1, index: 0 })
  editor.deleteSelected()
  assert.notEqual(await gpxOf(editor.view().state), sample)
  editor.undo()
  assert.equal(await gpxOf(editor.view().state), sample)
})

test('an edited import keeps its lines, times, elevations and waypoints in place', async () => {
  const editor = await imported(sample)
  editor.changePoint({ segment: 0, index: 0 }, { lat: 45.5 })
  const reading = readGpxText(await gpxOf(editor.view().state))
  assert.ok(reading.ok)
  const { value } = reading
  assert.deepEqual(value.counts, {
    waypoints: 1,
    routes: 1,
    routePoints: 2,
    tracks: 1,
    segments: 2,
    trackPoints: 3,
  })
  assert.equal(value.waypoints.names.get(0), 'Hut')
  assert.equal(value.tracks[0]?.name, 'Day')
  const [route, track] = linesOf(value)
  assert.equal(route?.points.lat(route.first), 45.5)
  assert.equal(track?.points.ele(track.first), 1000.5)
  assert.equal(track?.points.timeMs(track.first), Date.UTC(2026, 4, 14, 9, 8, 7))
})

test('joining an `rte` and a `trkseg` gives one line, in either order', async () => {
  const source = `<gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/1/1">
    <rte><rtept lat="1" lon="1"><name>One</name></rtept></rte>
    <trk><trkseg><trkpt lat="2" lon="2"><name>Two</name></trkpt></trkseg></trk></gpx>`
  for (const isReversed of [false, true]) {
    const editor = await imported(source)
    if (isReversed) editor.reverse()
    editor.join(0)
    const written = await gpxOf(editor.view().state)
    const reading = readGpxText(written)
    assert.ok(reading.ok, written)
    assert.deepEqual(
      linesOf(reading.value).map(({ first, end }) => end - first),
      [2],
    )
    assert.deepEqual(
      [...written.matchAll(/ lat="(\d)" lon="\d"><name>(\w+)</g)].map(([, lat, name]) => `${lat} ${name}`),
      isReversed ? ['2 Two', '1 One'] : ['1 One', '2 Two'],
    )
  }
})

test('what is written is read back as exactly the same points', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(position, { minLength: 1, maxLength: 20 }), async (line) => {
      const reading = readGpxText(await gpxOf({ ...routeOf(line), name: 'x' }))
      assert.ok(reading.ok)
      const [read] = linesOf(reading.value)
      assert.ok(read)
      const lats = Array.from({ length: line.length }, (_, index) => read.points.lat(read.first + index))
      // To 20 decimals: see gpx-writer.ts.
      for (const [index, lat] of lats.entries()) assert.ok(Math.abs(lat - (line[index]?.lat ?? NaN)) < 1e-15)
    }),
    { numRuns: 40 },
  )
  const { features } = JSON.parse(await geoJsonOf(routeOf(walk(3)))) as {
    features: { geometry: { type: string } }[]
  }
  assert.equal(features[0]?.geometry.type, 'LineString')
})

test('a file too long to cache is read without its text; an invalid one is refused with a reason', async () => {
  const limits = { maxBytes: 1e7, maxCachedBytes: 100 }
  const outcome = await readGpxFile(new Blob([sample]), limits, () => undefined)
  assert.ok(outcome.ok && outcome.file.text === undefined && outcome.file.lines.length === 3)
  const refusals = await Promise.all(
    ['', '<html/>', '<gpx><wpt/></gpx>'].map((text) =>
      readGpxFile(new Blob([text]), limits, () => undefined),
    ),
  )
  assert.ok(refusals.every(({ ok }) => !ok))
  const bytes = new Uint8Array([
    ...Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><gpx><metadata><name>H'),
    0xfc,
    ...Buffer.from('tte</name></metadata></gpx>'),
  ])
  const latin = await readGpxFile(new Blob([bytes]), limits, () => undefined)
  assert.equal(latin.ok && latin.file.name, 'Hütte')
})

test('typing is one undo step until a pause, and dragging is one step', () => {
  let at = 0
  const editor = createEditor({ initial: routeOf(walk(4)), now: () => at })
  for (const name of ['R', 'Ri', 'Rim']) {
    at += 200
    editor.setTexts({ name }, 'Name')
  }
  at += 5_000
  editor.setTexts({ name: 'Rim loop' }, 'Name')
  editor.undo()
  assert.equal(editor.view().state.name, 'Rim')
  editor.undo()
  assert.equal(editor.view().state.name, '')
  editor.select({ segment: 0, index: 1 })
  for (let step = 0; step < 5; step += 1) editor.nudge(1e-5, 0)
  editor.undo()
  assert.equal(pointAt(editor.view().state, { segment: 0, index: 1 })?.lat, walk(4)[1]?.lat)
})

test('point by point: adding at either end, selecting across all lines', () => {
  const editor = createEditor()
  editor.addPoint({ lat: 1, lon: 1 })
  editor.addPoint({ lat: 2, lon: 190 })
  editor.select({ segment: 0, index: 0 })
  editor.addPoint({ lat: 0, lon: 0 })
  assert.deepEqual(positionsOf(editor.view().state), [
    [
      { lat: 0, lon: 0 },
      { lat: 1, lon: 1 },
      { lat: 2, lon: -170 },
    ],
  ])
  editor.beginLine({ lat: 5, lon: 5 })
  const { state, selected } = editor.view()
  assert.equal(selected && ordinalOf(state, selected), 3)
  editor.selectNext(-1)
  assert.deepEqual(editor.view().selected, { segment: 0, index: 2 })
  editor.join(0)
  assert.equal(editor.view().state.segments.length, 1)
  assert.equal(pointCount(editor.view().state), 4)
  assert.equal(refAt(editor.view().state, 4), undefined)
})
