// Real files, edited and saved through v2: everything that was not changed is preserved.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { rewritingGpx } from '../../src/shared/gpx/rewrite/gpx-rewrite.ts'
import { readGpxText } from '../../src/shared/gpx/gpx.ts'
import { atOnce } from '../../src/shared/yielding.ts'
import { chunked, lineOfChunk } from '../../web/route-editor/columns.ts'
import { createEditor, type Editor } from '../../web/route-editor/editor.ts'
import { readGpxFile } from '../../web/route-editor/read-file.ts'
import { gpxOf } from '../../web/route-editor/route-file.ts'
import { editedPointCount, pointAt } from '../../web/route-editor/route-state.ts'
import { corpusAbsent, corpusFile, expectedOf } from '../helpers/corpus.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { addRoute, changeRoute, jsonOf } from '../account-routes/v2-helpers.ts'

const waymark = await startWaymark()
after(() => waymark.close())
const ana = await waymark.addPerson()

/** Undefined for a file that is refused. */
async function opened(text: string): Promise<Editor | undefined> {
  const outcome = await readGpxFile(new Blob([text]), { maxBytes: 1e8, maxCachedBytes: 1e8 }, () => undefined)
  if (!outcome.ok) return undefined
  const { lines, waypoints: points, text: kept = '', groups, hasPointData, name } = outcome.file
  const segments = lines.map(({ kind, group, name: lineName, inSource, columns }) => ({
    kind,
    group,
    name: lineName,
    inSource,
    chunks: chunked(columns),
  }))
  const { columns, names } = points
  const waypoints =
    columns.columns.count === 0 ? undefined : { line: lineOfChunk(columns.columns), names: new Map(names) }
  const editor = createEditor()
  const source = { text: kept, groups, hasPointData, segments, waypoints }
  editor.importRoute({ name, segments, waypoints, source })
  return editor
}

/** Everything that a document says, in one form, a line for each point. */
const said = (text: string): string[] =>
  atOnce(rewritingGpx(text, { name: 'n', description: '', creator: 'Waymark' }))
    .chunks.join('')
    .replace(/<bounds [^>]*>/, '')
    .replaceAll(/\s*\n\s*/g, '')
    .replaceAll(/<(?:wpt|rtept|trkpt|rte|trk|trkseg)[ >]|<\/(?:rte|trk|trkseg|gpx)>/g, '\n$&')
    .replaceAll(/<\/(?:wpt|rtept|trkpt)>|(?<=\n<(?:wpt|rtept|trkpt) [^>]*\/>)/g, '$&\n')
    .split('\n')
    .filter((line) => line !== '')

const longest = ({ view }: Editor): { segment: number; count: number } => {
  const counts = view().state.segments.map(({ chunks }) => chunks.reduce((sum, { count }) => sum + count, 0))
  const segment = counts.indexOf(Math.max(...counts))
  return { segment, count: counts[segment] ?? 0 }
}

test(
  'every file of the corpus: moving or deleting a point does not change the others',
  { skip: corpusAbsent },
  async () => {
    let edited = 0
    for (const [name] of await expectedOf('gpx')) {
      const text = new TextDecoder().decode(await corpusFile('gpx', name))
      const editor = await opened(text)
      if (editor === undefined || editor.view().state.segments.length === 0) continue
      const { segment, count } = longest(editor)
      const before = said(text)
      // Lines without points stand behind the others.
      const isOrdered = !/<trk>.*\n<\/trk>|<trkseg>\n<\/trkseg>|<rte>.*\n<\/rte>/.test(before.join('\n'))
      const compare = (lines: string[]): string[] =>
        isOrdered ? lines : lines.filter((line) => !/^<\/?trkseg>$/.test(line)).toSorted()

      const ref = { segment, index: Math.floor(count / 2) }
      const at = pointAt(editor.view().state, ref)
      assert.ok(at)
      editor.changePoint(ref, { lat: at.lat / 2 + 1.25 })
      assert.equal(editedPointCount(editor.view().state), 1, name)
      const moved = said(await gpxOf(editor.view().state))
      const [was, is] = [compare(before), compare(moved)]
      const [gone, come] = [
        was.filter((line) => !is.includes(line)),
        is.filter((line) => !was.includes(line)),
      ]
      assert.equal(is.length, was.length, name)
      assert.equal(come.length, 1, `${name}: ${come.join('\n')}`)
      assert.match(
        come[0] ?? '',
        /^<(trkpt|rtept) lat="[^"]*" lon="[^"]*"(\/>|>(<ele>[^<]*<\/ele>)?(<time>[^<]*<\/time>)?<\/\1>)$/,
      )
      assert.ok(gone.length <= 1, name)
      if (isOrdered && gone.length === 1)
        assert.equal(is.indexOf(come[0] ?? ''), was.indexOf(gone[0] ?? ''), name)

      editor.undo()
      editor.changePoint(ref, { ele: 12.5 })
      assert.equal(editedPointCount(editor.view().state), 0, `${name}: it was not moved`)
      const raised = compare(said(await gpxOf(editor.view().state))).filter((line) => !was.includes(line))
      const [higher = ''] = raised
      assert.ok(raised.length <= 1 && (raised.length === 0 || higher.includes('<ele>12.5</ele>')), name)

      editor.undo()
      if (count < 3) continue
      editor.deletePoint(ref)
      const shorter = compare(said(await gpxOf(editor.view().state)))
      assert.equal(shorter.length, was.length - 1, name)
      assert.deepEqual(
        shorter.filter((line) => !was.includes(line)),
        [],
        name,
      )
      edited += 1
    }
    assert.ok(edited > 35, `${edited} files`)
  },
)

const rich = `<?xml version="1.0"?>
<gpx version="1.1" creator="Edge" xmlns="http://www.topografix.com/GPX/1/1" xmlns:tp="http://www.garmin.com/xmlschemas/TrackPointExtension/v1">
<metadata><name>Own</name><author><name>Ana</name></author><bounds minlat="1" minlon="1" maxlat="2" maxlon="2"/></metadata>
<wpt lat="46" lon="7"><name>Hut</name><cmt>c</cmt><desc>d</desc><link href="https://hut.example/"/><sym>Flag</sym></wpt>
<rte><name>Plan</name><rtept lat="46" lon="7"><name>Start</name></rtept><rtept lat="46.5" lon="7"/></rte>
<trk><name>Day</name><cmt>windy</cmt><type>walk</type><extensions><a xmlns="urn:a">1</a></extensions>
<trkseg><trkpt lat="46.10" lon="7"><ele>100.10</ele><time>2026-05-01T10:00:00+02:00</time><hdop>2</hdop><extensions><tp:TrackPointExtension><tp:hr>101</tp:hr></tp:TrackPointExtension></extensions></trkpt><trkpt lat="46.2" lon="7"><ele>110</ele><time>2026-05-01T08:01:00Z</time><extensions><tp:TrackPointExtension><tp:hr>102</tp:hr></tp:TrackPointExtension></extensions></trkpt><trkpt lat="46.3" lon="7"><time>2026-05-01T08:02:00Z</time><sym>Dot</sym></trkpt><extensions><b xmlns="urn:b">2</b></extensions></trkseg>
</trk>
<trk><name>Empty</name></trk>
</gpx>`

test('each edit keeps what the file says about the points that stay', async () => {
  const editor = await opened(rich)
  assert.ok(editor)
  const now = async (): Promise<string> => {
    const text = await gpxOf(editor.view().state)
    assert.ok(readGpxText(text).ok)
    return text
  }
  const first =
    '<trkpt lat="46.10" lon="7"><ele>100.10</ele><time>2026-05-01T10:00:00+02:00</time><hdop>2</hdop><extensions><tp:TrackPointExtension><tp:hr>101</tp:hr></tp:TrackPointExtension></extensions></trkpt>'
  editor.insertAfter({ segment: 1, index: 0 })
  const inserted = await now()
  for (const part of [
    first,
    '<sym>Dot</sym>',
    '<tp:hr>102<',
    '<cmt>windy</cmt>',
    'urn:a',
    'urn:b',
    '<name>Start</name>',
    '<sym>Flag</sym>',
    '<link href="https://hut.example/">',
    '<author>',
    '<name>Own</name>',
    '<trk><name>Empty</name>',
    'creator="Edge"',
  ])
    assert.ok(inserted.includes(part), part)
  assert.ok(!inserted.includes('<bounds'), 'of what the line was')
  assert.match(inserted, /<trkpt lat="46.15" lon="7"><ele>105.05<\/ele><\/trkpt>/)

  editor.undo()
  editor.reverse()
  const reversed = await now()
  assert.match(reversed, /<trkpt lat="46.3" lon="7"><sym>Dot<\/sym><\/trkpt>[^]*<hdop>2<\/hdop>/)
  assert.doesNotMatch(reversed, /<trkpt[^\n]*<time>/)
  editor.undo()

  editor.select({ segment: 1, index: 0 })
  editor.split()
  const halves = await now()
  assert.equal(halves.match(/<trk><name>Day/g)?.length, 1)
  assert.equal(halves.match(/<trkseg>/g)?.length, 2)
  assert.equal(halves.match(/urn:b/g)?.length, 1)
  editor.join(1)
  assert.equal((await now()).match(/<trkseg>/g)?.length, 1)
  editor.undo()
  editor.undo()

  editor.outAndBack()
  assert.equal((await now()).match(/<tp:hr>/g)?.length, 2, 'the way back is new')
  editor.undo()

  // A line that is new has nothing of one that was there.
  editor.select({ segment: 1, index: 0 })
  for (let point = 0; point < 3; point += 1) editor.deletePoint({ segment: 1, index: 0 })
  editor.beginLine({ lat: 1, lon: 2 })
  const other = await now()
  assert.doesNotMatch(other, /windy|urn:a|urn:b/)
  assert.match(other, /<trk>\n<trkseg>\n<trkpt lat="1" lon="2"\/>/)
  editor.clear()
  assert.equal(await now().catch(() => ''), '')
  editor.addPoint({ lat: 3, lon: 4 })
  assert.doesNotMatch(await now(), /Hut|Empty|Edge|Plan/)
})

test('C33: after saving through v2, what may be shared is still there; changing texts keeps every byte', async () => {
  const { routeID: id } = await addRoute(waymark, ana, {
    gpx: rich,
    visibility: 'public',
    shares: ['sensors', 'waypoints'],
  })
  const own = async (end = ''): Promise<string> => {
    const answer = await waymark.fetch(`/v2/routes/${id}${end}`, { token: ana.token })
    return end === '' ? (await jsonOf<{ gpx: string }>(answer)).gpx : answer.text()
  }
  await changeRoute(waymark, ana, { id, name: 'Another', description: 'Words' })
  assert.equal(await own(), rich)
  assert.equal(await own('/original.gpx'), rich)
  const editor = await opened(await own())
  assert.ok(editor)
  editor.changePoint({ segment: 1, index: 1 }, { lat: 46.25 })
  const gpx = await gpxOf(editor.view().state)
  await changeRoute(waymark, ana, { id, gpx })
  assert.equal(await own('/original.gpx'), gpx)
  const exported = await own('.gpx')
  assert.match(exported, /<tp:hr>101</)
  assert.doesNotMatch(exported, /<tp:hr>102</)
  assert.match(exported, /<hdop>2<\/hdop>/)
  const others = await (await waymark.fetch(`/v2/routes/${id}.gpx`)).text()
  assert.match(others, /<gpxtpx:hr>101</)
  assert.match(others, /<sym>Flag<\/sym>/)
})
