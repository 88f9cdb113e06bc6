// GET /v2/accounts/{acctID}/routes: filters, invalid parameters, and paging to the end without gaps or duplicates.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { startWaymark } from '../helpers/waymark.ts'
import { addRoute, gpxOf, jsonOf, setOf, type Point, type Problem, type RouteDocument } from './v2-helpers.ts'

const waymark = await startWaymark()
after(() => waymark.close())

interface Page {
  readonly items: readonly RouteDocument[]
  readonly next: string | null
}

const dan = await waymark.addPerson()
const stranger = await waymark.addPerson()

async function namesOf(query: Record<string, string>, token = dan.token): Promise<string[]> {
  const answer = await waymark.fetch(`${setOf(dan)}?${new URLSearchParams(query).toString()}`, { token })
  assert.equal(answer.status, 200, await answer.clone().text())
  const { items } = await jsonOf<Page>(answer)
  return items.map(({ name }) => name).toSorted()
}

/** Every request is sent twice: by the owner, and by another account, for which all is public. */
async function assertNames(query: Record<string, string>, expected: readonly string[]): Promise<void> {
  const wanted = expected.toSorted()
  assert.deepEqual(await namesOf(query), wanted, JSON.stringify(query))
  assert.deepEqual(await namesOf(query, stranger.token), wanted, `others, ${JSON.stringify(query)}`)
}

const visibility = 'public'
const words = [
  { name: 'Österleden 100%', description: 'along the ﬁeld' },
  { name: 'österleden 100 percent', description: 'A_B' },
  { name: 'AxB', description: 'back\\slash' },
  { name: "O'Hara; drop", description: 'STRASSE' },
]
for (const body of words) await addRoute(waymark, dan, { ...body, visibility })

const boxes: readonly (readonly [name: string, points: readonly Point[]])[] = [
  [
    'alps',
    [
      [46, 7],
      [47, 8],
    ],
  ],
  [
    'fiji',
    [
      [-17, 179.5],
      [-16, -179.5],
    ],
  ],
  [
    'east of the line',
    [
      [10, -179.9],
      [11, -179],
    ],
  ],
  [
    'west of the line',
    [
      [10, 179],
      [11, 179.9],
    ],
  ],
  [
    'north pole',
    [
      [89, 0],
      [90, 0],
    ],
  ],
]
for (const [name, points] of boxes) await addRoute(waymark, dan, { name, gpx: gpxOf([points]), visibility })
const everywhere = boxes.map(([name]) => name)

void describe('q', () => {
  const cases: readonly (readonly [q: string, found: readonly string[]])[] = [
    ['ÖSTERLEDEN', ['Österleden 100%', 'österleden 100 percent']],
    ['o\u0308sterleden', ['Österleden 100%', 'österleden 100 percent']],
    ['100%', ['Österleden 100%']],
    ['%', ['Österleden 100%']],
    ['_', ['österleden 100 percent']],
    ['a_b', ['österleden 100 percent']],
    ['\\', ['AxB']],
    ['k\\s', ['AxB']],
    ["o'hara; DROP", ["O'Hara; drop"]],
    ['field', ['Österleden 100%']],
    ['100% along', []],
    ['  alps ', ['alps']],
    ['no such thing', []],
    ['strasse', ["O'Hara; drop"]],
  ]
  for (const [q, found] of cases)
    void it(`${JSON.stringify(q)} finds ${found.length}`, () => assertNames({ q }, found))
  void it('blank matches everything', () =>
    assertNames({ q: ' ' }, [...words.map(({ name }) => name), ...everywhere]))
})

void describe('bbox', () => {
  const cases: readonly (readonly [bbox: string, found: readonly string[]])[] = [
    ['-180,-90,180,90', everywhere],
    ['7,46,8,47', ['alps']],
    ['8,47,9,48', ['alps']],
    ['6,45,7,46', ['alps']],
    ['8.0001,46,9,47', []],
    ['7,47.0001,8,48', []],
    ['7.4,46.4,7.5,46.5', ['alps']],
    ['179.6,-17,179.7,-16', ['fiji']],
    ['-179.7,-17,-179.6,-16', ['fiji']],
    ['-180,-17,-179.6,-16', ['fiji']],
    ['179.6,-17,180,-16', ['fiji']],
    ['-179.4,-20,179.4,0', []],
    ['178,-20,-178,20', ['fiji', 'east of the line', 'west of the line']],
    ['179.95,0,-179.95,20', []],
    ['179.95,0,-179.9,20', ['east of the line']],
    ['179.9,0,-179.95,20', ['west of the line']],
    ['10,-90,5,90', ['fiji', 'east of the line', 'west of the line', 'north pole']],
    ['10,-90,7,46', ['fiji', 'east of the line', 'west of the line', 'alps']],
    ['0,89.5,0,89.5', ['north pole']],
    [' 6.5, +46 ,7,46.', ['alps']],
  ]
  for (const [bbox, found] of cases)
    void it(`${bbox} finds ${found.length}`, () => assertNames({ bbox }, found))
})

void describe('minMiles and maxMiles', () => {
  void it('apply to the displayed length, including both ends', async () => {
    for (const length of [1000, 1000.5, 1001])
      await addRoute(waymark, dan, { name: `${length}`, length, visibility })
    await assertNames({ minMiles: '1000', maxMiles: '1000.5' }, ['1000', '1000.5'])
    await assertNames({ minMiles: '1000.5', maxMiles: '1001', q: '1001' }, ['1001'])
    await assertNames({ minMiles: '1001', maxMiles: '1000' }, [])
    await assertNames({ maxMiles: '0', q: 'ö' }, ['Österleden 100%', 'österleden 100 percent'])
  })
})

void describe('invalid parameters are refused by name, for every caller', () => {
  const wrong: readonly (readonly [query: string, named: RegExp])[] = [
    ['limit=0', /limit/],
    ['limit=501', /limit/],
    ['limit=1.5', /limit/],
    ['limit=', /limit/],
    ['limit=1&limit=2', /limit/],
    ['cursor=', /cursor/],
    ['cursor=%25', /cursor/],
    [`cursor=${Buffer.from('1').toString('base64url')}`, /cursor/],
    [`cursor=${Buffer.from('1\n2\n3').toString('base64url')}`, /cursor/],
    [`cursor=${Buffer.from('1\nx').toString('base64url')}`, /cursor/],
    [`cursor=${Buffer.from('1\n1e999').toString('base64url')}`, /cursor/],
    [`cursor=${'A'.repeat(5000)}`, /cursor/],
    ['bbox=', /bbox/],
    ['bbox=1,2,3', /bbox/],
    ['bbox=1,2,3,4,5', /bbox/],
    ['bbox=0,10,1,9', /bbox/],
    ['bbox=0,0,181,1', /bbox/],
    ['bbox=0,-91,1,1', /bbox/],
    ['bbox=NaN,0,1,1', /bbox/],
    ['bbox=0,0,1,Infinity', /bbox/],
    ['bbox=0,0,1,0x1', /bbox/],
    ['minMiles=-1', /minMiles/],
    ['minMiles=x', /minMiles/],
    ['maxMiles=', /maxMiles/],
    ['maxMiles=NaN', /maxMiles/],
    ['maxMiles=1&maxMiles=1', /maxMiles/],
    [`q=${'x'.repeat(201)}`, /\bq\b/],
    ['q=a&q=b', /\bq\b/],
    ['q=%00', /\bq\b/],
    ['bbox=0,0,1,1%00', /bbox/],
  ]
  for (const [query, named] of wrong) {
    void it(query.slice(0, 40), async () => {
      for (const { token } of [dan, stranger]) {
        const answer = await waymark.fetch(`${setOf(dan)}?${query}`, { token })
        assert.equal(answer.status, 400)
        assert.match((await jsonOf<Problem>(answer)).detail ?? '', named)
      }
    })
  }
  void it('an account that does not exist is 404, and no credential is 401', async () => {
    assert.equal((await waymark.fetch('/v2/accounts/1/routes', { token: dan.token })).status, 404)
    assert.equal((await waymark.fetch(setOf(dan))).status, 401)
    const narrow = await waymark.tokenFor(dan.accountId, 'routes:write images:read')
    assert.equal((await waymark.fetch(setOf(dan), { token: narrow })).status, 403)
  })
})

void describe('pages', () => {
  async function walk(first: string, token: string): Promise<number[][]> {
    const pages: number[][] = []
    let path: string | undefined = first
    while (path !== undefined && pages.length < 30) {
      const answer: Response = await waymark.fetch(path, { token })
      assert.equal(answer.status, 200, await answer.clone().text())
      const { items, next }: Page = await jsonOf(answer)
      pages.push(items.map(({ routeID }) => routeID))
      const link: string | null = answer.headers.get('link')
      const target: string | undefined = /^<https:\/\/trails\.example(\/[^>]+)>; rel="next"$/.exec(
        link ?? '',
      )?.[1]
      assert.equal(link === null, next === null)
      if (target !== undefined) {
        assert.equal(new URLSearchParams(target.split('?')[1]).get('cursor'), next)
      }
      path = target
    }
    return pages
  }

  void it('lead to the end, newest first, without gaps or duplicates, also among equal times', async () => {
    const eve = await waymark.addPerson()
    const made: number[] = []
    for (let index = 0; index < 23; index += 1) {
      if (index % 5 === 0) waymark.system.advance(1)
      const isMine = index % 4 === 1
      const { routeID } = await addRoute(waymark, eve, {
        name: index % 2 === 0 ? 'even % &' : 'odd',
        visibility: isMine ? 'private' : 'public',
      })
      made.push(routeID)
    }
    const whole = await walk(`${setOf(eve)}?limit=500`, eve.token)
    assert.equal(whole.length, 1)
    assert.deepEqual(new Set(whole.flat()), new Set(made))
    assert.equal(whole.flat().length, made.length)
    for (const limit of [1, 7, 22, 23]) {
      const pages = await walk(`${setOf(eve)}?limit=${limit}`, eve.token)
      assert.equal(pages.length, Math.ceil(23 / limit), `limit ${limit}`)
      assert.deepEqual(pages.flat(), whole.flat())
    }
    const even = await walk(`${setOf(eve)}?q=N%20%25%20%26&limit=5`, eve.token)
    assert.deepEqual(
      even.flat(),
      whole.flat().filter((id) => made.indexOf(id) % 2 === 0),
    )
    const others = await walk(`${setOf(eve)}?limit=5`, stranger.token)
    assert.deepEqual(
      others.flat(),
      whole.flat().filter((id) => made.indexOf(id) % 4 !== 1),
    )
  })

  void it('C39: have different ETags for others and for the owner', async () => {
    const get = (token: string, etag?: string) =>
      waymark.fetch(setOf(dan), { token, headers: etag === undefined ? {} : { 'if-none-match': etag } })
    const mine = (await get(dan.token)).headers.get('etag') ?? ''
    const theirs = (await get(stranger.token)).headers.get('etag') ?? ''
    assert.notEqual(mine, theirs)
    assert.equal((await get(stranger.token, theirs)).status, 304)
    assert.equal((await get(stranger.token, mine)).status, 200)
    assert.match((await get(stranger.token)).headers.get('cache-control') ?? '', /^private, no-store$/)
  })
})
