// The length of a route: stored as sent, or computed if missing (contract C11, C34).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertProblem } from '../helpers/problems.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { createRouteClient, forms, gpxOf, jsonForm, xmlForm, type BodyForm } from './route-client.ts'

const waymark = await startWaymark()
after(() => waymark.close())
const ana = await waymark.addPerson()
const { set, item, write, make, change, lengthOf, ids, xmlOf } = createRouteClient(waymark, ana)

const metresOfMile = 1_609.344
/** A degree of the equator: π/180 of the semi-major axis of WGS 84. */
const equatorMiles = (6_378_137 * Math.PI) / 180 / metresOfMile
const equator = gpxOf('0,10', '0,11')
const twoDegrees = gpxOf('0,10', '0,11', '0,12')

/** A body with the digits of the length unchanged. */
const bodyWith = ({ name }: BodyForm, digits: string, gpx = equator): string =>
  name === 'json'
    ? `[{"gpx":${JSON.stringify(gpx)},"length":${digits}}]`
    : xmlForm.many({ gpx, length: digits })

const changeWith = ({ name }: BodyForm, digits: string): string =>
  name === 'json' ? `{"length":${digits}}` : `<Route><length>${digits}</length></Route>`

const isNear = (digits: string, miles: number, message?: string): void =>
  assert.ok(Math.abs(Number(digits) - miles) < 5e-7, `${digits} is not near ${miles} ${message}`)

/** As sent, and as returned in both formats. */
const kept: readonly (readonly [sent: string, shown: string])[] = [
  ['12.50', '12.50'],
  ['12', '12'],
  ['0.10', '0.10'],
  ['3.000', '3.000'],
  ['0.000001', '0.000001'],
  ['123456.789012345', '123456.789012345'],
  ['0.123456789012345', '0.123456789012345'],
  ['0.00123456789012345', '0.00123456789012345'],
  ['1000000', '1000000'],
  ['1000000.00', '1000000.00'],
  // Sixteen digits and more, up to the precision of a number.
  ['1.234567890123456', '1.23456789012346'],
  ['0.1000000000000000055511151231257827', '0.1'],
  ['2.0000000000000000000', '2'],
  ['999999.99999999999', '1000000'],
  ['1000000.0000000000000000000000', '1000000'],
  // Exponents are written out.
  ['1e3', '1000'],
  ['1E+3', '1000'],
  ['1.5e-3', '0.0015'],
  ['125e-1', '12.5'],
  ['1.23456789012345e-7', '0.000000123456789012345'],
]

void test('C11: digits come back as they were sent, up to 15 of them, in both formats', async () => {
  for (const form of forms) {
    for (const [sent, shown] of kept) {
      const id = await make(bodyWith(form, sent), form)
      assert.equal(await lengthOf(id), shown, `${form.name} ${sent}`)
      if (form.name === 'json') assert.ok((await xmlOf(id)).includes(`<length>${shown}</length>`), sent)
    }
    const id = await make({ gpx: equator }, form)
    for (const [sent, shown] of kept.slice(-8)) {
      await change(id, changeWith(form, sent), form)
      assert.equal(await lengthOf(id), shown, `${form.name} ${sent} by PUT`)
    }
  }
})

void test('C11: a number in a string is accepted, and is written as a JSON number', async () => {
  for (const [sent, shown] of [
    ...kept.slice(0, 4),
    [' 12.50 ', '12.50'],
    ['+5.5', '5.5'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['007.20', '7.20'],
  ] as const) {
    const id = await make(bodyWith(jsonForm, JSON.stringify(sent)))
    assert.equal(await lengthOf(id), shown, sent)
  }
  for (const [sent, shown] of [
    ['+5.5', '5.5'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['007.20', '7.20'],
    ['\n 1.50\t', '1.50'],
  ] as const) {
    assert.equal(await lengthOf(await make(bodyWith(xmlForm, sent), xmlForm)), shown, sent)
  }
})

const nothing = ['0', '-0', '0.0', '0.000', '-0.0', '0e5', '0E0']

void test('C34: absent, null, blank and zero are computed from the GPX', async () => {
  for (const form of forms) {
    for (const sent of [
      ...nothing,
      ...(form.name === 'json' ? ['null', '""', '" "', '"0"', '"0.00"'] : ['', ' ', '\n']),
    ]) {
      isNear(await lengthOf(await make(bodyWith(form, sent), form)), equatorMiles, `${form.name} ${sent}`)
    }
    for (const fields of [{}, { length: null }]) {
      isNear(await lengthOf(await make({ gpx: equator, ...fields }, form)), equatorMiles, form.name)
    }
  }
})

void test('C34: without points it is 0', async () => {
  const none = ['', '<gpx/>', '<gpx><trk/></gpx>', '<gpx><trk><trkseg/></trk><rte/></gpx>']
  for (const gpx of none) {
    for (const fields of [{}, { length: 0 }, { length: '' }]) {
      const id = await make({ gpx, ...fields })
      assert.equal(await lengthOf(id), '0', gpx)
    }
    assert.equal(await lengthOf(await make(bodyWith(jsonForm, '4.40', gpx))), '4.40')
  }
  // A waypoint is not part of the line, and a line with one point has no length.
  for (const gpx of ['<gpx><wpt lat="1" lon="1"/><wpt lat="2" lon="2"/></gpx>', gpxOf('1,1')]) {
    assert.equal(await lengthOf(await make({ gpx })), '0', gpx)
  }
})

void test('C34: a computed length follows the GPX; a given one stays until another is given', async () => {
  for (const form of forms) {
    const computed = await make({ gpx: equator }, form)
    await change(computed, { gpx: twoDegrees }, form)
    isNear(await lengthOf(computed), 2 * equatorMiles)
    for (const fields of [
      { length: 0, gpx: equator },
      { length: ' ', gpx: equator },
      { length: null, gpx: equator },
    ]) {
      await change(computed, { gpx: twoDegrees }, form)
      await change(computed, fields, form)
      isNear(await lengthOf(computed), equatorMiles)
    }
    await change(computed, { gpx: '' }, form)
    assert.equal(await lengthOf(computed), '0')
    await change(computed, { gpx: equator, name: 'again' }, form)
    isNear(await lengthOf(computed), equatorMiles)

    await change(computed, changeWith(form, '4.40'), form)
    for (const fields of [
      { gpx: twoDegrees },
      { gpx: '' },
      { name: 'x' },
      { length: 0 },
      { length: '' },
      { length: 0, gpx: equator },
    ]) {
      await change(computed, fields, form)
      assert.equal(await lengthOf(computed), '4.40', JSON.stringify(fields))
    }
    await change(computed, changeWith(form, '4.41'), form)
    assert.equal(await lengthOf(computed), '4.41')
  }
})

void test('C34 C12: sending back what GET returned keeps the displayed length as given, and changes nothing else', async () => {
  const id = await make({ gpx: equator })
  const digits = await lengthOf(id)
  await change(id, await xmlOf(id), xmlForm)
  assert.equal(await lengthOf(id), digits)
})

void test('C34: negative values, non-numbers, and more than 1,000,000 are refused; nothing is stored', async () => {
  const id = await make(bodyWith(jsonForm, '5.50'))
  const before = await ids()
  const wrong = ['-1', '-0.001', '-1e-9', '1000000.1', '1000001', '1e7', '1e400', '-1e400']
  const notNumbers = [
    'NaN',
    'Infinity',
    '-Infinity',
    '1,5',
    '0x10',
    '1_000',
    'five',
    '5 mi',
    '1 2',
    '--1',
    '1e',
    '1.2.3',
    '٣',
  ]
  const cases = [
    ...wrong.map((sent) => [jsonForm, sent] as const),
    ...[...wrong.slice(0, 2), ...notNumbers].map((sent) => [jsonForm, JSON.stringify(sent)] as const),
    ...['true', 'false', '[1]', '[]', '{}', '{"x":1}'].map((sent) => [jsonForm, sent] as const),
    ...[...wrong, ...notNumbers, '<x>1</x>', 'true'].map((sent) => [xmlForm, sent] as const),
  ]
  for (const [form, sent] of cases) {
    const body = form === xmlForm ? changeWith(form, sent) : bodyWith(form, sent)
    const changed =
      form === xmlForm || /^[-"]/.test(sent)
        ? write('PUT', item(id), changeWith(form, sent), { type: form.type })
        : undefined
    const answer = (await changed) ?? (await write('POST', set, body, { type: form.type }))
    const { detail } = await assertProblem(answer, 'invalid-field', `${form.name} ${sent}`)
    assert.match(detail ?? '', /^length must be a number of miles from 0 to 1000000\.$/)
  }
  const bare = await write('POST', set, '[{"length":NaN}]')
  await assertProblem(bare, 'malformed-body', 'NaN is no JSON')
  assert.equal(await lengthOf(id), '5.50')
  assert.deepEqual(await ids(), before)
})

void test('C34: the computed length is the WGS84 geodesic over each rte and trkseg, without gaps, compared with published figures', async () => {
  const track = (...segments: string[][]) =>
    `<gpx><trk>${segments.map((points) => `<trkseg>${points.map((point) => `<trkpt lat="${point.split(',')[0]}" lon="${point.split(',')[1]}"/>`).join('')}</trkseg>`).join('')}</trk></gpx>`
  const figures: readonly (readonly [what: string, gpx: string, metres: number])[] = [
    ['a degree of the equator', equator, 111_319.490_793_273_6],
    // The quarter meridian of WGS 84.
    ['the equator to the pole', gpxOf('0,0', '90,0'), 10_001_965.729_312_7],
    ['pole to pole', gpxOf('-90,0', '90,77'), 2 * 10_001_965.729_312_7],
    // From GeodSolve's manual page and GeographicLib's documentation.
    ['JFK to Heathrow', gpxOf('40.6,-73.8', '51.6,-0.5'), 5_551_759.400_319],
    ['Wellington to Salamanca', gpxOf('-41.32,174.81', '40.96,-5.50'), 19_959_679.267_354],
    ['over the antimeridian', gpxOf('0,179.5', '0,-179.5'), 111_319.490_793_273_6],
    ['there and back', gpxOf('0,10', '0,11', '0,10'), 2 * 111_319.490_793_273_6],
    ['two segments, a gap between them', track(['0,0', '0,1'], ['0,50', '0,51']), 2 * 111_319.490_793_273_6],
    ['segments of one point', track(['0,0'], ['0,1'], ['0,2', '0,3']), 111_319.490_793_273_6],
    [
      'a route and a track',
      `<gpx><wpt lat="80" lon="80"/><rte><rtept lat="0" lon="0"/><rtept lat="0" lon="1"/></rte><trk><trkseg><trkpt lat="0" lon="5"/><trkpt lat="0" lon="6"/></trkseg></trk></gpx>`,
      2 * 111_319.490_793_273_6,
    ],
  ]
  for (const [what, gpx, metres] of figures) {
    isNear(await lengthOf(await make({ gpx })), metres / metresOfMile, what)
  }
})
