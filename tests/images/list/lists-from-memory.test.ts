// Cached lists equal Fastify's responses (A4, C28, C38–C40, trust 17).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createLogWatch } from '../../helpers/log-watch.ts'
import { jpegPicture } from '../../helpers/pictures.ts'
import { startWaymark } from '../../helpers/waymark.ts'
import { send } from '../../helpers/wire.ts'

const watch = createLogWatch()

async function start(environment: Record<string, string> = {}) {
  const waymark = await startWaymark({ logger: watch.logger, environment })
  after(() => waymark.close())
  await waymark.addTrail(4711, 'Rim Trail')
  const ana = await waymark.addPerson({ name: 'Ána/Ü' })
  const rob = await waymark.addPerson({ role: 'reviewer' })
  const key = await waymark.addKey(ana.accountId)
  for (const seed of [1, 2, 3, 4, 5]) {
    const picture = await jpegPicture({ width: 40, height: 30, seed })
    const imageId = await waymark.upload(ana, 4711, picture)
    assert.equal((await waymark.review(rob, imageId, 'approve')).status, 200)
  }
  return { waymark, ana, rob, key }
}

type Place = Awaited<ReturnType<typeof start>>

const place = await start()
const path = '/Trails/4711/Images'

interface Asked {
  readonly query?: string
  readonly headers?: Record<string, string>
  readonly method?: string
}

/** @returns the response with its bytes, and whether it came from the cache. */
async function read({ waymark }: Place, { query = '', headers = {}, method = 'GET' }: Asked) {
  const before = waymark.app.answersFromMemory()
  const answer = await send(waymark.url, { method, path: `${path}${query}`, headers })
  const bytes = Buffer.from(await answer.arrayBuffer())
  return { answer, bytes, isKept: waymark.app.answersFromMemory() > before }
}

/** Repeats the request until the wanted encoding has been generated in the background. */
async function warm(at: Place, asked: Asked, coding: string | null): Promise<void> {
  const until = performance.now() + 10_000
  for (;;) {
    const { answer } = await read(at, asked)
    if (answer.headers.get('content-encoding') === coding) return
    assert.ok(performance.now() < until, `no answer in ${coding} came`)
  }
}

/** A header without effect, which prevents a cached response. */
const ordinarily = { 'if-unmodified-since': 'Thu, 14 May 2026 09:08:07 GMT' }

/** Everything that is the same in each response. */
function lasting({ headers, status }: Response) {
  const { date: _, ratelimit: rate = '', ...rest } = Object.fromEntries(headers)
  return { status, headers: rest, policy: rate.split(';')[0] }
}

const leftIn = ({ headers }: Response): number => Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])

const settings: Readonly<Record<string, Record<string, string>>> = {
  'as they are': {},
  'with origins listed, addresses for all': { CORS_ORIGINS: 'https://a.example', XML_EMAIL: 'always' },
}

for (const [name, environment] of Object.entries(settings)) {
  void test(`C39 C40: settings ${name}: both paths give the same list, each counted once`, async () => {
    const at = Object.keys(environment).length === 0 ? place : await start(environment)
    const readers: readonly Asked[] = [
      { query: `?api_key=${at.key}` },
      { headers: { 'x-api-key': at.key } },
      { headers: { authorization: `Bearer ${at.rob.token}` } },
    ]
    for (const reader of readers) {
      for (const accept of ['*/*', 'application/json', 'application/xml']) {
        for (const coding of [null, 'gzip', 'br', 'zstd']) {
          const headers = { ...reader.headers, accept, 'accept-encoding': coding ?? 'identity' }
          const asked = { ...reader, headers }
          const hasEmails =
            accept.endsWith('xml') &&
            (reader.headers?.['authorization'] !== undefined || name !== 'as they are')
          await warm(at, asked, hasEmails ? null : coding)
          const hot = await read(at, asked)
          const ordinary = await read(at, { ...asked, headers: { ...headers, ...ordinarily } })
          const what = JSON.stringify(asked)
          assert.deepEqual([hot.isKept, ordinary.isKept, hot.answer.status], [true, false, 200], what)
          assert.deepEqual(lasting(hot.answer), lasting(ordinary.answer), what)
          assert.equal(leftIn(ordinary.answer), leftIn(hot.answer) - 1)
          assert.deepEqual(hot.bytes, ordinary.bytes)
          assert.equal(hot.answer.headers.get('content-length'), String(hot.bytes.length))
          const tagged = { ...headers, 'if-none-match': hot.answer.headers.get('etag') ?? '' }
          await read(at, { ...asked, headers: tagged })
          const again = await read(at, { ...asked, headers: tagged })
          const ordinaryAgain = await read(at, { ...asked, headers: { ...tagged, ...ordinarily } })
          assert.deepEqual(
            [again.isKept, ordinaryAgain.isKept, again.answer.status],
            [true, false, 304],
            what,
          )
          assert.deepEqual(lasting(again.answer), lasting(ordinaryAgain.answer))
        }
      }
    }
  })
}

void test('trust 40: both paths write the same log line, without the key', async () => {
  await read(place, { query: `?api_key=${place.key}` })
  const lines = []
  for (const headers of [{}, ordinarily]) {
    const [line] = await watch.logged(1, () => read(place, { query: `?api_key=${place.key}`, headers }))
    const {
      reqId: _,
      time: _time,
      milliseconds: _milliseconds,
      ...rest
    } = { time: 0, milliseconds: 0, ...line }
    assert.equal(rest.path, path)
    lines.push(rest)
  }
  assert.deepEqual(lines[0], lines[1])
})

void test('trust 17: every spelling is cached, except refused ones and ones that differ each time', async () => {
  const query = `?api_key=${place.key}`
  const json = { accept: 'application/json' }
  const asks: readonly (readonly [Asked, status: number, isKept: boolean])[] = [
    [{}, 401, true],
    [{ query: '?api_key=wm_aaaaaaaaaaaaaaaaaaaaaaaa' }, 401, true],
    [{ query: '?api_key=' }, 401, true],
    [{ query: `${query}&since=1` }, 200, true],
    [{ query: `${query}${query.replace('?', '&')}` }, 200, true],
    [{ query, headers: { accept: 'text/xml' } }, 200, true],
    [{ query, headers: { accept: 'image/png' } }, 406, false],
    [{ query, headers: { cookie: 'a=b' } }, 200, true],
    [{ query, headers: { range: 'bytes=0-1' } }, 200, false],
    [{ query, headers: { 'if-none-match': '*' } }, 304, true],
    [{ query, headers: { 'if-none-match': '"other"' } }, 200, false],
    [{ query, headers: { 'if-match': '"other"' } }, 200, false],
    [{ query, headers: { 'accept-encoding': 'identity;q=0' } }, 406, false],
    [{ query, headers: { ...json, origin: 'https://pages.example' } }, 200, true],
    [{ query, method: 'HEAD' }, 200, true],
  ]
  for (const [asked, status, isKept] of asks) {
    for (let time = 0; time < 3; time += 1) await read(place, asked) // a better encoding may be in progress at first
    const fromMemory = await read(place, asked)
    const ordinary = await read(place, { ...asked, headers: { ...asked.headers, ...ordinarily } })
    assert.deepEqual([fromMemory.answer.status, fromMemory.isKept], [status, isKept], JSON.stringify(asked))
    assert.deepEqual(lasting(fromMemory.answer), lasting(ordinary.answer), JSON.stringify(asked))
    if (isKept && status < 400) assert.deepEqual(fromMemory.bytes, ordinary.bytes)
  }
})

void test('C28: a revoked key stops working at once, whoever revokes it', async () => {
  const { waymark, ana } = place
  const key = await waymark.addKey(ana.accountId)
  const asked = { query: `?api_key=${key}` }
  for (let time = 0; time < 3; time += 1) await read(place, asked)
  assert.equal((await read(place, asked)).isKept, true)
  const { db } = waymark.installation.database
  await db.updateTable('api_key').set({ revoked_at: 1 }).where('prefix', '=', key.slice(0, 11)).execute()
  const { isKept, answer } = await read(place, asked)
  assert.deepEqual([isKept, answer.status], [false, 401])
})

void test('C19: the next list after a decision shows it, on both paths', async () => {
  const { waymark, ana, rob, key } = place
  const query = `?api_key=${key}`
  const count = async () => {
    const { bytes, isKept } = await read(place, { query, headers: { accept: 'application/json' } })
    return [isKept, (JSON.parse(bytes.toString()) as unknown[]).length]
  }
  await count()
  assert.deepEqual(await count(), [true, 5])
  const imageId = await waymark.upload(ana, 4711, await jpegPicture({ width: 40, height: 30, seed: 9 }))
  for (const [decision, shown] of [
    ['approve', 6],
    ['remove', 5],
    ['restore', 6],
    ['remove', 5],
  ] as const) {
    assert.equal((await waymark.review(rob, imageId, decision)).status, 200)
    assert.equal((await count())[1], shown, decision)
    assert.deepEqual(await count(), [true, shown])
  }
})

void test('C38: the limit of a key applies to both paths together', async () => {
  const few = await start({ RATE_LIMIT_FACTOR: '1', RATE_KEY: '4' })
  const seen = []
  for (const more of [{}, {}, ordinarily, {}, {}]) {
    const headers = { ...more, 'accept-encoding': 'identity' }
    const { answer, isKept } = await read(few, { query: `?api_key=${few.key}`, headers })
    seen.push([answer.status, isKept, leftIn(answer)])
  }
  assert.deepEqual(seen, [
    [200, false, 3],
    [200, true, 2],
    [200, false, 1],
    [200, true, 0],
    [429, false, 0],
  ])
})
