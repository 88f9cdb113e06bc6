// waymark pull with conflicts: local changes are kept, what cannot be imported is reported, and a dry run stores nothing.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import {
  mostAsked,
  standInKey,
  standInToken,
  startStandIn,
  type StandInTrail,
} from '../helpers/classic-stand-in.ts'
import { newFolder } from '../helpers/folders.ts'
import { webpPicture } from '../helpers/pictures.ts'
import {
  codesOf,
  get,
  lists,
  serving,
  standInImage,
  standInRoute,
  standInTrail,
  tokenFor,
  type PullDocument,
} from './pull-helpers.ts'
import { createKiller } from './pull-kills.ts'
import { assertOneSentence, done, run, runJson, startChild, type RunOptions } from './run-waymark.ts'

const settings = { RATE_LIMIT_FACTOR: '1000' }
const quickly = ['--api-key', standInKey, '--rate', '1000']
const asOf = (base: string, ...more: string[]) => ['pull', base, ...quickly, ...more]

async function pulled(args: readonly string[], options: RunOptions) {
  const { exitCode, document, stderr } = await runJson(args, options)
  assert.equal(stderr, '')
  return { exitCode, ...(document as PullDocument) }
}

void test('what cannot be kept is reported with its reason, and everything else is kept', async (t) => {
  const options = { dataDir: await newFolder(t), settings }
  const own = await newFolder(t)
  const large = 2n ** 53n
  const images = [
    await standInImage(1, { mimeType: 'image/png' }), // it is a JPEG
    await standInImage(large),
    await standInImage(2, { submitterAcctID: large + 1n }),
    await standInImage(3, { bytes: Buffer.from('no image at all') }),
    await standInImage(4, { bytes: await webpPicture({ width: 20, height: 20 }) }),
    await standInImage(5, { lat: '95.5', lon: '10' }),
    await standInImage(6, { title: 'x'.repeat(257) }),
    await standInImage(7, { postDate: '2019-02-30T00:00:00' }),
    await standInImage(8, { displayName: '   ', submitterAcctID: 77, email: 'zoe@trails.example' }),
    await standInImage(10, { submitterAcctID: 78, displayName: 'Xi' }),
    await standInImage(11, { submitterAcctID: 79, displayName: 'Yan', email: 'ZOE@trails.example' }),
    await standInImage(12, { mimeType: '' }), // of no type, so it has none to lose
  ]
  const trails: StandInTrail[] = [
    { id: 7, name: 'Rim', slug: 'rim', images },
    { id: 8, name: 'Empty', slug: '', images: [] },
    { id: 9, name: 'Named', slug: '', images: [] },
    { id: 10, name: 'Other Rim', slug: 'rim', images: [await standInImage(20)] },
    { id: 12, name: 'Path', slug: '/trails/path', images: [await standInImage(21)] },
  ]
  const routes = new Map([
    [51, []],
    [
      52,
      [
        standInRoute(2),
        { ...standInRoute(3), gpx: '<gpx>' },
        { ...standInRoute(4), dateCreated: 'yesterday' },
        { ...standInRoute(1), dateCreated: '01/02/23' },
      ],
    ],
  ])
  const gone = (address: string) => address.includes('id=10&')
  const standIn = await startStandIn(t, {
    trails,
    routes,
    faultOf: (address) => (gone(address) ? { status: 500 } : undefined),
  })
  const names = path.join(own, 'names.csv')
  await writeFile(names, 'trailID,name,slug\n9,Named Here,named-here\n')
  const tokens = [51, 52].flatMap((id) => ['--token', `${id}=${standInToken(id)}`])
  const others = ['--token', `53=wrong`, '--token', `54=${standInToken(54)}`]
  const args = asOf(standIn.base, '--trails', '7,8,10,11,12', '--trails-file', names, '--xml')
  const result = await pulled([...args, '--routes-url', standIn.routesBase, ...tokens, ...others], options)
  assert.equal(result.exitCode, 2)
  assert.deepEqual(codesOf(result).toSorted(), [
    'account 52 name-unknown',
    'account 77 name-unusable',
    'account 79 address-taken',
    'image 1 other-type',
    'image 10 unanswered',
    'image 2 submitter-id-too-large',
    'image 3 image-refused',
    'image 4 image-refused',
    'image 5 position-dropped',
    'image 6 not-readable',
    'image 7 not-readable',
    `image ${large} id-too-large`,
    'route 3 gpx-refused',
    'route 4 not-readable',
    'routes 52 order-differs',
    'routes 52 time-of-day-unknown',
    'routes 53 token-refused',
    'routes 54 unknown-account',
    'trail 10 slug-changed',
    'trail 11 not-found',
    'trail 12 slug-changed',
    'trail 8 trail-unnamed',
  ])
  assert.ok(
    result.notKept.every(({ why }) => /^[A-Z].*\.$/.test(why)),
    'each is a sentence',
  )

  const server = await serving(t, options, 79)
  const rows = JSON.parse((await lists(server, 7)).json) as Record<string, unknown>[]
  assert.deepEqual(
    rows.map(({ imageID, lat, mimeType, displayName }) => [imageID, lat, mimeType, displayName]),
    [
      [1, '45.100100', 'image/jpeg', 'Walker 51'],
      [5, '0', 'image/jpeg', 'Walker 55'],
      [8, '45.100800', 'image/jpeg', 'Account 77'],
      [11, '45.101100', 'image/jpeg', 'Yan'],
      [12, '0', 'image/png', 'Walker 55'],
    ],
  )
  assert.match((await lists(server, 10)).json, /"detailUrl":"other-rim"/)
  assert.equal((await lists(server, 9)).json, '[]')
})

void test('what was edited, hidden or claimed here stays unchanged, and each conflict is reported', async (t) => {
  const options = { dataDir: await newFolder(t), settings }
  const trail = await standInTrail(7, [31, 12, 40, 5, 6])
  const routes = new Map([[51, [1, 2, 3].map(standInRoute)]])
  const standIn = await startStandIn(t, { trails: [trail], routes, formats: 'json' })
  const token = ['--token', `51=${standInToken(51)}`, '--routes-url', standIn.routesBase]
  const args = [...asOf(standIn.base, '--trails', '7'), ...token]
  assert.equal((await pulled(args, options)).exitCode, 0)

  const server = await serving(t, options, 51)
  await done(
    ['accounts', 'create', '--id', '9', '--name', 'Staff', '--email', 's@trails.example', '--role', 'admin'],
    options,
  )
  const staff = await tokenFor(server, options, 9, 'images:read images:write images:review')
  const owner = await tokenFor(server, options, 51, 'routes:read routes:write')
  const call = async (bearer: string, method: string, address: string, body?: unknown): Promise<void> => {
    const response = await fetch(server.url + address, {
      method,
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    assert.ok(response.ok, `${method} ${address}: ${response.status} ${await response.text()}`)
  }
  await call(staff, 'PATCH', '/v2/images/31', { title: 'Edited here' })
  await call(staff, 'POST', '/v2/images/12/review', { decision: 'remove', reason: 'spam' })
  await call(staff, 'DELETE', '/v2/images/40')
  await call(staff, 'PATCH', '/v2/images/5', { caption: 'The same on both sides' })
  await call(owner, 'PATCH', '/v2/routes/1', { name: 'Mine' })
  await call(owner, 'DELETE', '/v2/routes/2')
  const before = await lists(server, 7)

  // All of them change on the other server, and another site's photo has an ID that is in use here.
  for (const image of trail.images) image.title = 'Edited there'
  const five = trail.images.find(({ imageID }) => imageID === 5)
  assert.ok(five)
  five.title = 'Photo 5 <& "view">'
  five.caption = 'The same on both sides'
  for (const route of routes.get(51) ?? []) route.name = 'Theirs'
  const dry = await pulled([...args, '--dry-run'], options)
  assert.deepEqual([dry.exitCode, dry.dryRun, dry.images.changed, dry.routes.changed], [2, true, 3, 1])
  assert.deepEqual(await lists(server, 7), before, 'a dry run stores nothing')

  const result = await pulled(args, options)
  assert.equal(result.exitCode, 2)
  assert.deepEqual(codesOf(result).toSorted(), codesOf(dry).toSorted(), 'a dry run tells the same')
  assert.deepEqual(
    codesOf(result)
      .filter((code) => !code.startsWith('routes'))
      .toSorted(),
    [
      'image 12 hidden-here',
      'image 31 edited-here',
      'image 40 deleted-here',
      'route 1 edited-here',
      'route 2 deleted-here',
    ],
  )
  const after = JSON.parse((await lists(server, 7)).json) as Record<string, unknown>[]
  assert.deepEqual(
    after.map(({ imageID, title }) => [imageID, title]),
    [
      [31, 'Edited here'],
      [5, 'Photo 5 <& "view">'],
      [6, 'Edited there'],
    ],
  )
  const own = await get(`${server.url}/Accounts/51/Routes`, { token: owner })
  assert.deepEqual(
    (JSON.parse(own.body) as Record<string, unknown>[]).map(({ routeID, name }) => [routeID, name]),
    [
      [1, 'Mine'],
      [3, 'Theirs'],
    ],
  )
  const give = (id: number) =>
    runJson(['accounts', 'change', '--account', String(id), '--email', 'walker@trails.example'], options)
  assert.deepEqual((await give(9)).exitCode, 2, 'that account is somebody’s')
  const given = (await give(51)).document as Record<string, unknown>
  const again = ['accounts', 'change', '--account', '51', '--email', 'hiker@trails.example']
  assert.match((await run(again, options)).stdout, /^Its email address is hiker@trails\.example\.$/m)
  assert.deepEqual([given['email'], given['unclaimed']], ['walker@trails.example', true])

  // On another server, the same IDs are other objects.
  const other = await startStandIn(t, { trails: [trail], routes, formats: 'json' })
  const foreign = await pulled(asOf(other.base, '--trails', '7'), options)
  assert.deepEqual([foreign.exitCode, foreign.images.new, foreign.images.changed], [2, 0, 0])
  const elsewhere = codesOf(foreign).filter((code) => code.endsWith('pulled-elsewhere'))
  assert.equal(elsewhere.length, trail.images.length, 'also one that was deleted here')
  assert.ok(foreign.notKept.some(({ why }) => why.endsWith(`That URL is ${standIn.base}.`)))

  const third = await pulled(args, options)
  assert.deepEqual([third.images.new, third.images.changed, third.routes.changed], [0, 0, 0])
})

void test('a dry run on an empty installation counts what would be new, and stores nothing', async (t) => {
  const options = { dataDir: await newFolder(t), settings }
  await done(['trails', 'add', '--id', '8', '--name', 'Here'], options)
  const trails = [await standInTrail(7, [1, 2, 3]), await standInTrail(8, [4])]
  const standIn = await startStandIn(t, { trails })
  const dry = await pulled(asOf(standIn.base, '--trails', '7,8', '--dry-run'), options)
  assert.deepEqual(
    [dry.exitCode, dry.trails.new, dry.images.new, dry.accounts.new, dry.requests],
    [2, 1, 4, 4, 2],
  )
  assert.deepEqual(codesOf(dry), ['trail 8 trail-differs-here'])
  const whole = await pulled(asOf(standIn.base, '--trails', '7,8'), options)
  assert.deepEqual([whole.exitCode, whole.trails.new, whole.images.new, whole.accounts.new], [2, 1, 4, 4])
})

void test('an image during whose request the pull was killed twice is left to the next pull, which brings it', async (t) => {
  const options = { dataDir: await newFolder(t), settings }
  const trail = await standInTrail(7, [1, 2])
  const killer = createKiller()
  const standIn = await startStandIn(t, { trails: [trail], onStep: killer.onStep })
  const args = asOf(standIn.base, '--trails', '7')
  // The list and the first image; then the first image again.
  for (const requests of [2, 1]) {
    const child = startChild(args, options)
    child.stdin.end()
    killer.arm('came', requests, () => child.kill('SIGKILL'))
    await once(child, 'close')
  }
  const resumed = await pulled(args, options)
  assert.deepEqual(codesOf(resumed), ['image 1 asked-twice'])
  assert.deepEqual([resumed.exitCode, resumed.resumed, resumed.images.new], [2, true, 1])
  assert.equal(mostAsked(standIn.asked).times, 2)
  const next = await pulled(args, options)
  assert.deepEqual([next.exitCode, next.resumed, next.images.new, next.images.unchanged], [0, false, 1, 1])
  const server = await serving(t, options, 51)
  const ids = [...(await lists(server, 7)).json.matchAll(/"imageID":(\d+)/g)].map(([, id]) => Number(id))
  assert.deepEqual(ids, [1, 2], 'in the order of the list, although the second came first')
})

void test('a wrong key ends the pull with exit code 3; a too long pause, and a redirect, with one sentence', async (t) => {
  const options = { dataDir: await newFolder(t), settings }
  const trail = await standInTrail(7, [1])
  const standIn = await startStandIn(t, {
    trails: [trail],
    faultOf: () => ({ status: 503, retryAfter: '3600' }),
  })
  const wrong = await startStandIn(t, { trails: [trail] })
  const key = await run(['pull', wrong.base, '--api-key', 'no-such-key', '--trails', '7'], options)
  assert.equal(key.exitCode, 3)
  assertOneSentence(key.stderr)
  assert.doesNotMatch(key.stderr, /no-such-key/)
  const busy = await run(asOf(standIn.base, '--trails', '7'), options)
  assert.equal(busy.exitCode, 2)
  assert.match(busy.stderr, /asks to wait 60 minutes/)
  assertOneSentence(busy.stderr)
  for (const [args, sentence] of [
    [['pull', wrong.base, '--api-key', 'x'], /Nothing to pull/],
    [['pull', 'old.example', '--api-key', 'x', '--trails', '7'], /URL must be a server URL/],
    [['pull', wrong.base, '--api-key', 'x', '--trails', '7,a'], /--trails must be/],
    [['pull', wrong.base, '--api-key', 'x', '--trails', '7', '--token', '7='], /--token must be one line/],
    [['pull', wrong.base, '--api-key', '@/no/such/file', '--trails', '7'], /\/no\/such\/file/],
    [['pull', wrong.base, '--api-key', 'x', '--trails', '7', '--rate', '0'], /--rate must be/],
  ] as const) {
    const refused = await run(args, options)
    assert.ok([1, 2].includes(refused.exitCode))
    assert.match(refused.stderr, sentence)
    assertOneSentence(refused.stderr)
  }
})
