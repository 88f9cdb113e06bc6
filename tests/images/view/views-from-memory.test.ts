// Cached views equal Fastify's responses (C24–C27, C38, trust 17).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createLogWatch } from '../../helpers/log-watch.ts'
import { parseScrape } from '../../helpers/metrics.ts'
import { gifPicture, jpegPicture, transparentPng } from '../../helpers/pictures.ts'
import { startWaymark, type Waymark } from '../../helpers/waymark.ts'
import { send } from '../../helpers/wire.ts'

const watch = createLogWatch()

async function start(environment: Record<string, string> = {}) {
  const waymark = await startWaymark({ logger: watch.logger, environment })
  after(() => waymark.close())
  await waymark.addTrail(4711, 'Rim Trail')
  return { waymark, ana: await waymark.addPerson(), rob: await waymark.addPerson({ role: 'reviewer' }) }
}

type Place = Awaited<ReturnType<typeof start>>

const place = await start()
const { waymark, ana, rob } = place

async function addListed({ waymark: to, ana: submitter, rob: reviewer }: Place, bytes: Uint8Array) {
  const imageId = await to.upload(submitter, 4711, bytes)
  assert.equal((await to.review(reviewer, imageId, 'approve')).status, 200)
  return imageId
}

const listed = await addListed(place, await jpegPicture({ width: 900, height: 700 }))

/** @returns the response with its bytes, and whether it came from the cache. */
async function view(to: Waymark, query: string, headers: Record<string, string> = {}, method = 'GET') {
  const before = to.app.answersFromMemory()
  const answer = await send(to.url, { method, path: `/ImageHandler${query}`, headers })
  const bytes = Buffer.from(await answer.arrayBuffer())
  return { answer, bytes, isKept: to.app.answersFromMemory() > before }
}

/** A header without effect, which prevents a cached response. */
const ordinarily = { 'if-unmodified-since': 'Thu, 14 May 2026 09:08:07 GMT' }

/** Everything that is the same in each response. */
function lasting({ headers, status }: Response) {
  const { date: _, ...rest } = Object.fromEntries(headers)
  return { status, headers: rest }
}

/** The remaining limit of views, from a response that is not public; it costs 1 itself. */
async function left(to: Waymark): Promise<number> {
  const { answer } = await view(to, '?id=1')
  assert.equal(answer.status, 404)
  return Number(/^"views";r=(\d+);/.exec(answer.headers.get('ratelimit') ?? '')?.[1])
}

const settings: Readonly<Record<string, Record<string, string>>> = {
  'as they are': {},
  'with origins listed': { CORS_ORIGINS: 'https://a.example,https://b.example' },
  'below a path, kept shorter, pending closed': {
    PUBLIC_URL: 'http://trails.example/photos',
    IMAGE_MAX_AGE: '60',
    PENDING_VIEW: 'owner',
  },
}

for (const [name, environment] of Object.entries(settings)) {
  void test(`C24 C27 C38: settings ${name}: both paths give the same view, each counted once`, async () => {
    const other = await start(environment)
    const mount = new URL(environment['PUBLIC_URL'] ?? 'https://a').pathname.replace(/\/$/, '')
    const jpeg = await jpegPicture()
    const pictures = name === 'as they are' ? [jpeg, await transparentPng(), await gifPicture()] : [jpeg]
    for (const bytes of pictures) {
      const imageId = await addListed(other, bytes)
      for (const query of [
        '&t=sm',
        '&t=150',
        '&t=md',
        '&t=640',
        '&t=lg',
        '',
        '&t=640&f=webp',
        '&t=lg&f=webp',
      ]) {
        const asked = `?id=${imageId}${query}`
        const first = await view(other.waymark, asked)
        const lefts = [await left(other.waymark)]
        const hot = await view(other.waymark, asked)
        lefts.push(await left(other.waymark))
        const ordinary = await view(other.waymark, asked, ordinarily)
        lefts.push(await left(other.waymark))
        assert.deepEqual([hot.isKept, ordinary.isKept], [true, false], asked)
        assert.deepEqual(lasting(hot.answer), lasting(ordinary.answer))
        assert.deepEqual(lasting(first.answer), lasting(ordinary.answer))
        assert.deepEqual(
          lefts.map((count) => count - (lefts[0] ?? 0)),
          [0, -2, -4],
        )
        // A shared cache would show everyone the first client's limit.
        for (const name of ['ratelimit', 'ratelimit-policy']) assert.equal(hot.answer.headers.get(name), null)
        assert.deepEqual(hot.bytes, ordinary.bytes)
        assert.equal(hot.answer.headers.get('content-length'), String(hot.bytes.length))
        const tag = { 'if-none-match': hot.answer.headers.get('etag') ?? '' }
        await view(other.waymark, asked, tag)
        const [again, ordinaryAgain] = [
          await view(other.waymark, asked, tag),
          await view(other.waymark, asked, { ...tag, ...ordinarily }),
        ]
        assert.deepEqual([again.isKept, ordinaryAgain.isKept, again.answer.status], [true, false, 304])
        assert.deepEqual(lasting(again.answer), lasting(ordinaryAgain.answer))
      }
      for (const prefix of ['/V1', '/v1.6', mount]) {
        const answer = await send(other.waymark.url, { path: `${prefix}/ImageHandler?id=${imageId}&t=sm` })
        assert.equal(answer.status, 200)
      }
    }
  })
}

void test('trust 40: views from memory and ordinary views log the same line and count the same', async () => {
  const countOf = async (): Promise<number> => {
    const { samples } = parseScrape(await (await waymark.fetch('/metrics')).text())
    return (
      samples.get('http_request_duration_seconds_count{method="GET",route="/ImageHandler",status="200"}') ?? 0
    )
  }
  await view(waymark, `?id=${listed}&t=sm`)
  const lines = []
  for (const headers of [{}, ordinarily]) {
    const before = await countOf()
    const [line] = await watch.logged(1, () => view(waymark, `?id=${listed}&t=sm`, headers))
    assert.equal((await countOf()) - before, 1)
    const { reqId, time, milliseconds, ...rest } = { time: 0, milliseconds: -1, ...line }
    assert.match(reqId ?? '', /^[0-9a-f-]{36}$/)
    assert.ok(time > 0 && milliseconds >= 0)
    lines.push(rest)
  }
  assert.deepEqual(lines[0], lines[1])
})

void test('C24: any request for a listed image with usual browser headers is served from memory', async () => {
  const asked = `?id=${listed}&t=640`
  const first = await view(waymark, asked)
  const browser = {
    'user-agent': 'Mozilla/5.0',
    accept: 'image/avif,image/webp,*/*;q=0.8',
    'accept-encoding': 'gzip, deflate, br, zstd',
    'accept-language': 'de,en;q=0.7',
    referer: 'https://trails.example/gallery',
    'sec-fetch-dest': 'image',
    'sec-fetch-mode': 'no-cors',
    'sec-fetch-site': 'same-origin',
    priority: 'u=5, i',
  }
  for (const more of [
    {},
    { cookie: 'session=aaaa' },
    { authorization: `Bearer ${ana.token}` },
    { authorization: 'Bearer none' },
    { origin: 'https://a.example' },
  ]) {
    const seen = await view(waymark, asked, { ...browser, ...more })
    assert.deepEqual([seen.isKept, seen.answer.status], [true, 200])
    assert.deepEqual(seen.bytes, first.bytes)
    const ordinary = await view(waymark, asked, { ...browser, ...more, ...ordinarily })
    assert.deepEqual(lasting(seen.answer), lasting(ordinary.answer))
  }
})

/** Queries with their own cache entry, and their responses. */
const kept: readonly (readonly [query: string, headers: Record<string, string>, status: number])[] = [
  ['&t=sm', { 'if-none-match': '*' }, 304],
  ['&t=sm', { 'x-api-key': 'wm_none' }, 200],
  ['&t=sm', { dnt: '1', 'x-forwarded-port': '443', 'cf-ray': '1', via: '1.1 a' }, 200],
  ['&t=sm', { 'x-sendfile-type': 'X-Accel-Redirect' }, 200],
  ['&t=sm&other=1', {}, 200],
  ['&f=webp&t=sm', {}, 200],
]

/** Never answered from the cache. */
const declined: typeof kept = [
  ['&t=lg', { range: 'bytes=0-1' }, 206],
  ['&t=lg', { 'x-sendfile-type': 'X-Accel-Redirect' }, 200],
  ['&t=sm', { 'if-none-match': 'W/"0123"' }, 200],
  ['&t=sm', { expect: '100-continue' }, 200],
  ['&t=sm', { 'content-length': '0' }, 200],
  ['&t=SM', {}, 400],
  ['&t=sm&f=avif', {}, 400],
  ['&t=sm&t=md', {}, 400],
  ['x', {}, 400],
]

void test('trust 17: requests that cannot be served from memory take the ordinary path and get the same response', async () => {
  for (const size of ['sm', 'lg']) await view(waymark, `?id=${listed}&t=${size}`)
  for (const [asked, isKept] of [
    [kept, true],
    [declined, false],
  ] as const)
    for (const [query, headers, status] of asked) {
      await view(waymark, `?id=${listed}${query}`, headers)
      const second = await view(waymark, `?id=${listed}${query}`, headers)
      assert.deepEqual(
        [second.isKept, second.answer.status],
        [isKept, status],
        `${query} ${JSON.stringify(headers)}`,
      )
    }
  for (const id of ['0', '1', '9999999999999999', '-1', `%3${String(listed)}`, '']) {
    const { isKept, answer } = await view(waymark, `?id=${id}&t=sm`)
    assert.equal(isKept, false, id)
    assert.ok([200, 400, 404].includes(answer.status), id)
  }
  const heads = [
    await view(waymark, `?id=${listed}&t=sm`, {}, 'HEAD'),
    await view(waymark, `?id=${listed}&t=sm`, {}, 'HEAD'),
  ]
  const whole = await view(waymark, `?id=${listed}&t=sm`)
  for (const { answer, bytes } of heads) {
    assert.deepEqual([answer.status, bytes.length], [200, 0])
    assert.deepEqual(lasting(answer), lasting(whole.answer))
  }
  assert.equal(heads[1]?.isKept, true)
})

void test('C24 C27: an image is served from memory from its approval to its removal, and never otherwise', async () => {
  const imageId = await waymark.upload(ana, 4711, await jpegPicture({ seed: 5 }))
  const asked = `?id=${imageId}&t=sm`
  const ask = async () => {
    await view(waymark, asked)
    const { isKept, answer } = await view(waymark, asked)
    return [isKept, answer.status, answer.headers.get('cache-control')]
  }
  const hidden = [false, 200, 'private, no-store']
  const shown = [true, 200, 'public, max-age=3600']
  const gone = [false, 404, null]
  assert.deepEqual([await ask(), await ask()], [hidden, hidden])
  for (const [decision, seen] of [
    ['approve', shown],
    ['remove', gone],
    ['restore', shown],
  ] as const) {
    assert.equal((await waymark.review(rob, imageId, decision)).status, 200)
    const [isKept, status, caching] = await ask()
    assert.deepEqual([isKept, status, seen === gone ? null : caching], seen, decision)
  }
  // Like another program, whose change only shows in the database.
  const { db } = waymark.installation.database
  await db.updateTable('image').set({ state: 'removed' }).where('id', '=', imageId).execute()
  assert.equal((await ask())[1], 404)
})

void test('C38: the rate limit of an address counts views from memory and ordinary views together', async () => {
  const few = await start({ RATE_LIMIT_FACTOR: '1', RATE_VIEWS: '5' })
  const imageId = await addListed(few, await jpegPicture({ seed: 6 }))
  const seen = []
  for (const headers of [{}, {}, ordinarily, {}, {}, {}, ordinarily]) {
    const { answer, isKept } = await view(few.waymark, `?id=${imageId}&t=sm`, headers)
    const standing = answer.headers.get('ratelimit')?.replace(/;t=\d+$/, '')
    seen.push([answer.status, isKept, standing])
  }
  assert.deepEqual(seen, [
    [200, false, undefined],
    [200, true, undefined],
    [200, false, undefined],
    [200, true, undefined],
    [200, true, undefined],
    [429, false, '"views";r=0'],
    [429, false, '"views";r=0'],
  ])
})
