// What is stored of shared data: a waypoint on each line, and as older versions wrote it, all in one line.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { packBytes } from '../../../src/account-routes/gpx/packed.ts'
import { packShared, unpackShared } from '../../../src/account-routes/public-view/shared-blob.ts'
import { readingDetails } from '../../../src/shared/gpx/gpx-details.ts'
import { linesOf } from '../../../src/shared/gpx/gpx-document.ts'
import { readGpxText } from '../../../src/shared/gpx/gpx.ts'
import { atOnce } from '../../../src/shared/yielding.ts'

const shares = ['waypoints', 'sensors'] as const

async function stored(text: string, hidden?: { readonly lat: number; readonly lon: number }) {
  const reading = readGpxText(text)
  assert.ok(reading.ok)
  const gpx = reading.value
  const circles = hidden === undefined ? [] : [{ ...hidden, radiusMetres: 100 }]
  const packed = await packShared({
    gpx,
    details: atOnce(readingDetails(text)),
    shares,
    circles,
    lines: linesOf(gpx),
    origins: (index) => index,
  })
  return unpackShared(packed)
}

const namesOf = ({ waypoints }: Awaited<ReturnType<typeof stored>>): (string | undefined)[] =>
  Array.from({ length: waypoints?.line.end ?? NaN }, (_, index) => waypoints?.names.get(index))

void test('waypoints are read as they were written, however many there are', async () => {
  const many = Array.from({ length: 2_500 }, (_, index) => `w${index}`)
  const odd = ['a\nb', '],', '"quoted"', 'Grüße 山', 'a\u2028b']
  for (const names of [[], ['one'], odd, many]) {
    const waypoints = names.map((name) => `<wpt lat="1" lon="2"><name>${name}</name></wpt>`)
    const point = '<trkpt lat="1" lon="2"><extensions><hr>90</hr></extensions></trkpt>'
    const shared = await stored(`<gpx>${waypoints.join('')}<trk><trkseg>${point}</trkseg></trk></gpx>`)
    assert.deepEqual(namesOf(shared), names)
    assert.equal(shared.sensors.get('heart')?.(0), 90)
  }
})

void test('where a zone hides them all, there are none', async () => {
  const shared = await stored(`<gpx>${'<wpt lat="1" lon="2"/>'.repeat(3)}</gpx>`, { lat: 1, lon: 2 })
  assert.deepEqual(namesOf(shared), [])
})

void test('a row of an older version is read', async () => {
  const waypoints = [
    { lat: 1, lon: 2, name: 'one' },
    { lat: 3, lon: 4, ele: 5, details: { sym: 'Flag' } },
  ]
  const header = Buffer.from(JSON.stringify({ pointCount: 1, columns: ['heart'], waypoints }))
  const length = Buffer.alloc(8)
  length.writeDoubleLE(header.length)
  const values = Buffer.from(Float64Array.of(90).buffer)
  const shared = await unpackShared(await packBytes(Buffer.concat([length, header, values])))
  assert.deepEqual(namesOf(shared), ['one', undefined])
  assert.deepEqual(shared.waypoints?.details?.get(1), { sym: 'Flag' })
  assert.equal(shared.waypoints.line.points.ele(1), 5)
  assert.equal(shared.sensors.get('heart')?.(0), 90)
})
