// Bodies of POST and PUT, in JSON and XML: what they may contain, and what is ignored (contract C6, C8, C12, C13, C32).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertProblem } from '../helpers/problems.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { createRouteClient, forms, gpxOf, jsonForm, xmlForm } from './route-client.ts'

const waymark = await startWaymark()
after(() => waymark.close())
const ana = await waymark.addPerson()
const client = createRouteClient(waymark, ana)
const { set, item, write, read, make, change, ids } = client

const refused = async (
  answer: Promise<Response>,
  code: 'malformed-body' | 'invalid-field',
  detail: RegExp,
  message: string,
): Promise<void> =>
  assert.match((await assertProblem(await answer, code, message)).detail ?? '', detail, message)

void test('C32: an array of one and a bare object are one route each, in both formats', async () => {
  for (const { name, type, one, many } of forms) {
    for (const body of [many({ name, length: 2 }), one({ name, length: 2 })]) {
      const id = await make(body, { name, type, one, many })
      const { route } = await read(id)
      assert.deepEqual(
        { ...route, dateCreated: '' },
        { description: ' ', gpx: '', length: 2, name, routeID: id, dateCreated: '' },
      )
    }
  }
})

void test('C32: no route, several routes, and anything else are refused; nothing is stored or changed', async () => {
  const id = await make({ name: 'as it was' })
  const before = await ids()
  for (const { name, type, many } of forms) {
    const several = [
      many(),
      many({ name: 'a' }, { name: 'b' }),
      many({}, {}),
      many(...Array.from({ length: 500 }, () => ({}))),
    ]
    for (const body of several) {
      const holds = /^The body has to hold exactly one route; it holds (none|2|500) \(line 1, column \d+\)\.$/
      await refused(write('POST', set, body, { type }), 'malformed-body', holds, `POST ${name}`)
      await refused(write('PUT', item(id), body, { type }), 'malformed-body', holds, `PUT ${name}`)
      await refused(write('PUT', set, body, { type }), 'malformed-body', holds, `PUT on the set ${name}`)
    }
  }
  const none = [
    'null',
    'true',
    '5',
    '"x"',
    '[null]',
    '[5]',
    '[[{}]]',
    '[[]]',
    '',
    ' ',
    '{',
    '[{}',
    '[{}]x',
    '[{},]',
  ]
  const noneInXml = [
    '',
    '<x/>',
    '<route/>',
    '<ArrayOfRoutes/>',
    '<Routes><Route/></Routes>',
    'x',
    '<Route>',
    '<Route/><Route/>',
    '<TrailImageDetails/>',
  ]
  for (const [type, bodies] of [
    [jsonForm.type, none],
    [xmlForm.type, noneInXml],
  ] as const) {
    for (const body of bodies) {
      const place = /\(line 1, column \d+\)\.$/
      await refused(write('POST', set, body, { type }), 'malformed-body', place, `POST ${body}`)
    }
  }
  assert.deepEqual(await ids(), before)
  assert.equal((await read(id)).route.name, 'as it was')
})

void test('C32: POST ignores routeID and dateCreated, whatever their values', async () => {
  const taken = await make({ name: 'first' })
  for (const form of forms) {
    for (const routeID of [taken, 0, 77, 'x', null, 2 ** 60, {}]) {
      const id = await make({ name: 'second', routeID, dateCreated: routeID }, form)
      assert.notEqual(id, taken)
      assert.notEqual(id, routeID)
      assert.equal((await read(id)).route.dateCreated, '05/14/26')
    }
  }
  assert.equal((await read(taken)).route.name, 'first')
})

void test('C32: on PUT, a routeID other than 0, blank or null must match the path', async () => {
  const id = await make({ name: 'one' })
  const another = await make({ name: 'another' })
  for (const form of forms) {
    for (const routeID of [0, '', ' ', null, '0', id, String(id), ` ${id} `]) {
      await change(id, { routeID, name: `named ${form.name}` }, form)
    }
    for (const routeID of [another, 77, -id, 'x', 1.5, 2 ** 60, [id], { id }, true, `${id}x`]) {
      const body = form.one({ routeID, name: 'wrong' })
      const answer = write('PUT', item(id), body, { type: form.type })
      await refused(answer, 'invalid-field', /^routeID /, `${form.name} ${JSON.stringify(routeID)}`)
    }
    assert.equal((await read(id)).route.name, `named ${form.name}`)
  }
  assert.equal((await read(another)).route.name, 'another')
})

void test('C2 C32: PUT on the set takes the route from routeID', async () => {
  const id = await make({ name: 'one' })
  const bea = await waymark.addPerson()
  const foreign = await createRouteClient(waymark, bea).make({ name: 'of Bea' })
  for (const { name, type, one, many } of forms) {
    for (const body of [one({ routeID: id, name }), many({ name, routeID: String(id) })]) {
      const answer = await write('PUT', set, body, { type })
      assert.equal(`${answer.status} ${await answer.text()}`, '200 true')
      assert.equal((await read(id)).route.name, name)
    }
    for (const routeID of [undefined, null, 0, '', ' ']) {
      const body = one(routeID === undefined ? { name: 'x' } : { routeID, name: 'x' })
      await refused(
        write('PUT', set, body, { type }),
        'invalid-field',
        /^routeID /,
        `${name} ${JSON.stringify(routeID)}`,
      )
    }
    const answers = new Set<string>()
    for (const routeID of [foreign, 77, -1, 'x', 1.5, 2 ** 60, [id], { id }, true]) {
      const answer = await write('PUT', set, many({ routeID, name: 'x' }), { type })
      const { instance: _, ...problem } = await assertProblem(
        answer,
        'invalid-route-id',
        `${name} ${JSON.stringify(routeID)}`,
      )
      answers.add(JSON.stringify(problem))
    }
    assert.equal(answers.size, 1, 'a route of another account is as none')
  }
  assert.equal((await createRouteClient(waymark, bea).read(foreign)).route.name, 'of Bea')
})

void test('C32: on PUT, null and absent leave a field unchanged, and unknown fields are ignored', async () => {
  const whole = { name: 'N', description: 'D', length: 3.25, gpx: gpxOf('1,2') }
  const others = {
    dateCreated: 'never',
    visibility: 'public',
    acctID: 5,
    constructor: 'x',
    __proto__x: null,
    owner: { a: [1, { b: null }] },
    list: ['x'],
    flag: true,
  }
  for (const form of forms) {
    const id = await make(whole, form)
    const { text, etag } = await read(id)
    await change(id, {}, form)
    await change(
      id,
      { name: null, description: null, length: null, gpx: null, routeID: null, dateCreated: null },
      form,
    )
    assert.equal((await read(id)).etag, etag, 'nothing said, nothing changed')
    await change(id, { ...others, length: 3.25 }, form)
    assert.equal((await read(id)).text, text)
    for (const [name, value] of [
      ['name', 'M'],
      ['description', 'E'],
      ['gpx', gpxOf('3,4')],
      ['length', 7],
    ] as const) {
      const before = await read(id)
      await change(id, { [name]: value }, form)
      const after_ = await read(id)
      assert.deepEqual(after_.route, { ...before.route, [name]: value })
      assert.notEqual(after_.etag, before.etag)
    }
    const made = await read(await make({ ...others, name: 'X' }, form))
    assert.deepEqual(Object.keys(made.route), [
      'description',
      'gpx',
      'length',
      'name',
      'routeID',
      'dateCreated',
    ])
  }
})

void test('C32: a field of the wrong type gets one sentence, for every field', async () => {
  const before = await ids()
  for (const form of forms) {
    for (const field of ['name', 'description', 'gpx', 'length']) {
      for (const value of [['x'], { x: 1 }, ...(form.name === 'json' ? [true, false, [], {}] : [])]) {
        const answer = write('POST', set, form.many({ [field]: value }), { type: form.type })
        await refused(
          answer,
          'invalid-field',
          new RegExp(`^${field} `),
          `${form.name} ${field} ${JSON.stringify(value)}`,
        )
      }
    }
    for (const field of ['name', 'description', 'gpx']) {
      if (form.name === 'xml') continue
      await refused(
        write('POST', set, form.one({ [field]: 5 })),
        'invalid-field',
        new RegExp(`^${field} `),
        field,
      )
    }
  }
  assert.deepEqual(await ids(), before)
})
