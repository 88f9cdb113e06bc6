// Logic of the admin pages: the audit as CSV, lines of trails from files, what needs attention.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditCsv, csvCell } from '../../web/pages/admin/audit-csv.ts'
import { beginOf, endOf } from '../../web/pages/admin/calendar-day.ts'
import { linesOfGeoJson, readLineFile } from '../../web/pages/admin/line-file.ts'
import { adminAccounts, adminTrails } from '../../web/strings/admin-things.ts'

void test('a cell that a spreadsheet would execute becomes text, and cells with separators are quoted', () => {
  const cells: readonly (readonly [string, string])[] = [
    ['plain', 'plain'],
    ['=1+1', "'=1+1"],
    ['＝1', "'＝1"],
    ['@x', "'@x"],
    ['-1', "'-1"],
    ['\tx', "'\tx"],
    ['a,b', '"a,b"'],
    ['say "no"', '"say ""no"""'],
    ['=a,b', '"\'=a,b"'],
    ['two\nlines', '"two\nlines"'],
  ]
  for (const [value, written] of cells) assert.equal(csvCell(value), written)
})

void test('the audit log as CSV has one line per entry, with empty cells for what is not named', () => {
  const at = '2026-05-14T09:08:07.000Z'
  const text = auditCsv([
    { position: 2, at, actor: 42, via: 'session', action: 'account.suspended', acctID: 7, detail: {} },
    {
      position: 1,
      at,
      actor: null,
      via: 'server',
      action: 'setting.changed',
      acctID: null,
      detail: { changed: ['PORT'] },
    },
  ])
  assert.deepEqual(text.split('\r\n'), [
    'position,at,actor,via,action,acctID,detail',
    `2,${at},42,session,account.suspended,7,`,
    `1,${at},,server,setting.changed,,"{""changed"":[""PORT""]}"`,
    '',
  ])
})

const line = { type: 'LineString', coordinates: [[7, 46, 900], [7.1, 46.1]] } // prettier-ignore
const places = [[7, 46, 900], [7.1, 46.1]] // prettier-ignore

void test('the lines of GeoJSON are found in geometries, features and collections, with their elevations', () => {
  const feature = { type: 'Feature', properties: {}, geometry: line }
  assert.deepEqual(linesOfGeoJson(line), [places])
  assert.deepEqual(linesOfGeoJson(feature), [places])
  assert.deepEqual(linesOfGeoJson({ type: 'FeatureCollection', features: [feature, feature] }), [
    places,
    places,
  ])
  assert.deepEqual(linesOfGeoJson({ type: 'MultiLineString', coordinates: [line.coordinates] }), [places])
  assert.deepEqual(linesOfGeoJson({ type: 'GeometryCollection', geometries: [line] }), [places])
  assert.deepEqual(linesOfGeoJson({ type: 'Point', coordinates: [7, 46] }), [])
  assert.deepEqual(linesOfGeoJson(null), [])
})

void test('a GeoJSON or GPX file is read as a line and measured; any other file is refused in one sentence', async () => {
  const fromJson = await readLineFile('line.geojson', JSON.stringify(line))
  assert.deepEqual(fromJson.geometry.coordinates, [places])
  assert.ok(Math.abs(fromJson.miles - 8.41) < 0.05, String(fromJson.miles))
  const point = (lat: number, lon: number, inner = '') => `<trkpt lat="${lat}" lon="${lon}">${inner}</trkpt>`
  const gpx = `<gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>${point(46, 7, '<ele>900</ele>')}${point(46.1, 7.1)}</trkseg></trk></gpx>`
  const fromGpx = await readLineFile('walk.gpx', gpx)
  assert.deepEqual(fromGpx, fromJson)
  await assert.rejects(readLineFile('line.geojson', '{"type":'), /not valid GeoJSON/)
  await assert.rejects(readLineFile('notes.txt', 'a walk'), /GPX/)
  await assert.rejects(readLineFile('point.geojson', '{"type":"Point","coordinates":[7,46]}'), /no line/)
  await assert.rejects(readLineFile('walk.gpx', '<gpx><trk>'), /\S/)
})

void test('a day has its right hours in local time, also when the clocks change', (t) => {
  const { TZ } = process.env
  process.env.TZ = 'Europe/Berlin'
  t.after(() => {
    if (TZ === undefined) delete process.env.TZ
    else process.env.TZ = TZ
  })
  assert.deepEqual(
    [beginOf('2026-10-25'), endOf('2026-10-25')],
    ['2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
  )
  assert.equal(endOf('2026-12-31'), '2026-12-31T23:00:00.000Z')
  assert.deepEqual([beginOf(''), endOf('soon')], [undefined, undefined])
})

void test('a count of one uses the singular', () => {
  assert.equal(adminAccounts.deleting.done('Ann', 1, 0), 'Ann deleted, with 1 photo and 0 routes')
  assert.equal(adminTrails.import.done(1, 2), '1 trail added, 2 changed')
  assert.equal(adminTrails.import.apply(1), 'Import 1 change')
})
