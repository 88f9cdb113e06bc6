// GET /v2/routes: access, fields, filters and orders, paging to the end, and refusals.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { assertProblem } from '../../helpers/problems.ts'
import { startWaymark } from '../../helpers/waymark.ts'
import { addRoute, gpxOf, json, jsonOf, northward, type Point } from '../v2-helpers.ts'
import { addListed, eastward, namesOf, ourPage, pageOf, soon, type PublicPage } from './list-helpers.ts'

const waymark = await startWaymark()
after(() => waymark.close())

const ann = await waymark.addPerson({ name: 'Ann' })
const bob = await waymark.addPerson({ name: 'Bob' })
const steps = (count: number, metres: number): Point[] =>
  northward(46, 7, count).map(([lat, lon], index) => [lat, lon, index * metres])

const made = [
  [ann, { name: 'Österleden', description: 'along the ﬁeld 100%', gpx: gpxOf([steps(20, 20)]) }],
  [bob, { name: 'Long way', description: 'A_B', gpx: gpxOf([eastward(50, 8, 200)]), length: 40 }],
  [ann, { name: 'Climb', description: '', gpx: gpxOf([steps(60, 50)]) }],
  [bob, { name: 'Nothing drawn', description: 'yet' }],
  [
    bob,
    {
      name: 'Fiji',
      description: '',
      gpx: gpxOf([
        [
          [-17, 179.5],
          [-16, -179.5],
        ],
      ]),
    },
  ],
] as const
for (const [person, body] of made) {
  waymark.system.advance(1_000)
  await addListed(waymark, person, body)
}
const newest = made.map(([, { name }]) => name).toReversed()
for (const visibility of ['private', 'link'] as const)
  await addRoute(waymark, ann, { name: `Hidden ${visibility}`, gpx: gpxOf([steps(20, 20)]), visibility })

void describe('access', () => {
  void it('requires an API key, a token of any scope, or a browser session of our pages', async () => {
    const key = await waymark.addKey(ann.accountId)
    const expected = await pageOf(waymark)
    const { token } = await waymark.addPerson({ scope: 'images:write' })
    for (const init of [{ headers: { 'x-api-key': key } }, { token }, { token: ann.token }])
      assert.deepEqual(await jsonOf<PublicPage>(await waymark.fetch('/v2/routes', init)), expected)
    await assertProblem(await waymark.fetch('/v2/routes'), 'credential-required')
    await assertProblem(await waymark.fetch('/v2/routes', { token: 'wrong' }), 'invalid-token')
  })
})

void describe('contents', () => {
  void it("are what others see of each route, the same as the route's own page", async () => {
    const { items, next } = await pageOf(waymark)
    assert.equal(next, null)
    assert.deepEqual(
      items.map(({ name }) => name),
      newest,
    )
    for (const { routeID, lengthMiles, ascent, line, ...item } of items) {
      const shown = await jsonOf<Record<string, unknown>>(await waymark.fetch(`/v2/routes/${routeID}`))
      assert.deepEqual([lengthMiles, ascent], [shown['length'], shown['climb']])
      for (const [name, value] of Object.entries(item)) assert.deepEqual(value, shown[name], name)
      const points = line.flat()
      assert.ok(points.length <= 64)
      assert.equal(points.length > 1, shown['pointCount'] !== 0)
    }
    assert.equal(items.find(({ name }) => name === 'Long way')?.lengthMiles, 40, 'as stated')
  })

  void it('has 300 characters of a long description, and searches all of it', async () => {
    const { routeID } = await addListed(waymark, ann, {
      name: 'Book',
      description: `${'🥾'.repeat(400)} end`,
    })
    const { items } = await pageOf(waymark, { q: 'end' })
    assert.deepEqual(
      items.map(({ description }) => description),
      [`${'🥾'.repeat(299)}…`],
    )
    await waymark.fetch(`/v2/routes/${routeID}`, { method: 'DELETE', token: ann.token })
  })

  void it('draws a route of many points with 64 of them, including its ends', async () => {
    const wave = Array.from({ length: 9_000 }, (_, index): Point => [
      Number((10 + Math.sin(index / 400) / 10).toFixed(5)),
      Number((10 + index / 10_000).toFixed(5)),
    ])
    const { routeID } = await addListed(waymark, ann, { name: 'Wave', gpx: gpxOf([wave]) })
    const { items } = await pageOf(waymark, { q: 'wave' })
    const [line = []] = items[0]?.line ?? []
    assert.equal(line.length, 64)
    const there = new Set(wave.map(([lat, lon]) => `${lon} ${lat}`))
    assert.ok(line.every(([lon, lat]) => there.has(`${lon} ${lat}`)))
    assert.deepEqual(
      [line[0], line.at(-1)],
      [wave[0], wave.at(-1)].map((point) => point && [point[1], point[0]]),
    )
    const gone = await waymark.fetch(`/v2/routes/${routeID}`, { method: 'DELETE', token: ann.token })
    assert.equal(gone.status, 204)
    assert.deepEqual(await namesOf(waymark), newest)
  })
})

void describe('filters', () => {
  const cases: readonly (readonly [Record<string, string | number>, readonly string[]])[] = [
    [{ q: 'ÖSTERLEDEN' }, ['Österleden']],
    [{ q: 'field 100%' }, ['Österleden']],
    [{ q: '%' }, ['Österleden']],
    [{ q: '_' }, ['Long way']],
    [{ q: 'hidden' }, []],
    [{ q: ' ' }, newest],
    [{ bbox: '6,45,9,47' }, ['Climb', 'Österleden']],
    [{ bbox: '178,-20,-178,20' }, ['Fiji']],
    [{ bbox: '-180,-90,180,90' }, ['Fiji', 'Climb', 'Long way', 'Österleden']],
    [{ minMiles: 30 }, ['Fiji', 'Long way']],
    [{ minMiles: 30, maxMiles: 40 }, ['Long way']],
    [{ maxMiles: 2 }, ['Nothing drawn', 'Österleden']],
    [{ minAscent: 0 }, ['Climb', 'Österleden']],
    [{ minAscent: 381 }, ['Climb']],
    [{ maxAscent: 381 }, ['Österleden']],
    [{ maxAscent: 0 }, []],
    [{ q: 'l', bbox: '6,45,9,47', minMiles: 1, minAscent: 1 }, ['Climb', 'Österleden']],
    [{ nearTrail: 4711 }, []],
  ]
  for (const [query, expected] of cases)
    void it(JSON.stringify(query), async () => assert.deepEqual(await namesOf(waymark, query), expected))
})

void describe('orders', () => {
  const cases = [
    ['newest', newest],
    ['length', ['Fiji', 'Long way', 'Climb', 'Österleden', 'Nothing drawn']],
    ['ascent', ['Climb', 'Österleden']],
  ] as const
  for (const [order, expected] of cases) {
    void it(`${order}, page by page`, async () => {
      const names: string[] = []
      let cursor: string | null = null
      do {
        const page: PublicPage = await pageOf(waymark, {
          order,
          limit: 2,
          ...(cursor === null ? {} : { cursor }),
        })
        assert.ok(page.items.length <= 2)
        names.push(...page.items.map(({ name }) => name))
        cursor = page.next
      } while (cursor !== null)
      assert.equal(new Set(names).size, 5)
      assert.deepEqual(names.slice(0, expected.length), expected)
    })
  }

  void it('a cursor belongs to its order, and the Link header keeps the filters', async () => {
    const answer = await waymark.fetch('/v2/routes?limit=1&q=l&order=length', { headers: ourPage })
    const { next } = await jsonOf<PublicPage>(answer)
    const link = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1] ?? ''
    assert.deepEqual(
      [...new URL(link).searchParams],
      [
        ['limit', '1'],
        ['q', 'l'],
        ['order', 'length'],
        ['cursor', next],
      ],
    )
    const other = await waymark.fetch(`/v2/routes?cursor=${next}`, { headers: ourPage })
    await assertProblem(other, 'invalid-query')
  })
})

void describe('what is refused, in one sentence', () => {
  const cases = [
    ['colour=red', 'The parameter colour is unknown.'],
    ['minmiles=1', 'The parameter minmiles is unknown.'],
    ['minMiles=-1', 'The parameter minMiles must be a number such as 12.5.'],
    ['maxAscent=high', 'The parameter maxAscent must be a number such as 12.5.'],
    ['nearTrail=x', 'The parameter nearTrail must be an id.'],
    ['order=oldest', 'The parameter order must be newest, length or ascent.'],
    ['bbox=1,2,3', 'The parameter bbox must be four degrees: west,south,east,north.'],
    ['limit=0', 'The parameter limit must be a whole number from 1 to 500.'],
    ['q=a&q=b', 'The parameter q must be given once.'],
    [`q=${'a'.repeat(201)}`, 'The parameter q must be at most 200 characters.'],
    ...['1.5', '1e+308', '-0', 'NaN'].map(
      (moment) =>
        [
          `cursor=${Buffer.from(`1\nn${Buffer.from(moment).toString('base64url')}`).toString('base64url')}`,
          'The parameter cursor must be the "next" of a previous response in the same order.',
        ] as const,
    ),
    ['cursor=x', 'The parameter cursor must be the "next" of a previous response.'],
    [
      `cursor=${Buffer.from('1\nnx').toString('base64url')}`,
      'The parameter cursor must be the "next" of a previous response in the same order.',
    ],
  ] as const
  for (const [query, detail] of cases) {
    void it(query.slice(0, 40), async () => {
      const answer = await waymark.fetch(`/v2/routes?${query}`, { headers: ourPage })
      assert.equal((await assertProblem(answer, 'invalid-query')).detail, detail)
    })
  }
})

void it('a route is found by its new name at once', async () => {
  const { routeID } = await addListed(waymark, ann, { name: 'Before' })
  await waymark.fetch(`/v2/routes/${routeID}`, {
    method: 'PATCH',
    token: ann.token,
    headers: json,
    body: JSON.stringify({ name: 'Afterwards' }),
  })
  assert.deepEqual(await namesOf(waymark, { q: 'before' }), [])
  assert.deepEqual(await namesOf(waymark, { q: 'afterw' }), ['Afterwards'])
  await soon(async () => (await namesOf(waymark)).length === newest.length + 1, 'it stays listed')
})
