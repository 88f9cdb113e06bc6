// A cached response equals Fastify's, and only such requests are cached (C28–C31, C38, trust 17).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sql } from 'kysely'
import { createLogWatch } from '../../helpers/log-watch.ts'
import { parseScrape } from '../../helpers/metrics.ts'
import { startWaymark } from '../../helpers/waymark.ts'
import { parseAnswer, say } from '../../helpers/wire.ts'
import { addRoute, askAt, gpxOf, head, host, isDone, ordinarily } from './requests.ts'

const watch = createLogWatch()
const waymark = await startWaymark({ logger: watch.logger })
after(() => waymark.close())
const ana = await waymark.addPerson()
const bob = await waymark.addPerson()

const route = await addRoute(waymark, ana, gpxOf(20))
const path = `/Accounts/${ana.accountId}/Routes/${route}`
const foreign = `/Accounts/${bob.accountId}/Routes/${await addRoute(waymark, bob, '')}`

const bearer = `Authorization: Bearer ${ana.token}`
const ask = (request: string, until?: RegExp) => askAt(waymark, request, until)

const requestCount = (status: string): string =>
  `http_request_duration_seconds_count{method="GET",route="/Accounts/:acctID/Routes/:routeID",status="${status}"}`

async function countOf(status: string): Promise<number> {
  return parseScrape(await (await waymark.fetch('/metrics')).text()).samples.get(requestCount(status)) ?? 0
}

/** Everything that is the same in each response. */
function lasting({ headers, status }: Response) {
  const { date: _, ratelimit: rate = '', ...rest } = Object.fromEntries(headers)
  return { status, headers: rest, policy: rate.split(';')[0] }
}

const leftIn = ({ headers }: Response): number => Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])

const settings: Readonly<Record<string, Record<string, string>>> = {
  'as they are': {},
  'with origins listed': { CORS_ORIGINS: 'https://a.example,https://b.example' },
  'below a path, dates in full': { PUBLIC_URL: 'http://trails.example/photos', ROUTE_DATE: 'full' },
}

for (const [name, environment] of Object.entries(settings)) {
  void test(`C38: settings ${name}: both paths give the same response, each counted once`, async (t) => {
    const other = await startWaymark({ environment })
    t.after(() => other.close())
    const person = await other.addPerson()
    const token = `Authorization: Bearer ${person.token}`
    const mount = new URL(environment['PUBLIC_URL'] ?? 'https://a').pathname.replace(/\/$/, '')
    for (const gpx of ['', gpxOf(1), gpxOf(150)]) {
      const id = await addRoute(other, person, gpx, 'Höhe/"weg" 🥾')
      for (const prefix of ['', '/V1', '/v1.6', mount, `${mount}/v1`]) {
        const target = `${prefix}/Accounts/${person.accountId}/Routes/${id}`
        await askAt(other, head(target, host, token))
        const hot = await askAt(other, head(target, host, token))
        const ordinary = await askAt(other, head(target, host, token, ordinarily))
        assert.deepEqual([hot.isKept, ordinary.isKept], [true, false], target)
        assert.deepEqual(lasting(hot.answer), lasting(ordinary.answer))
        assert.equal(leftIn(ordinary.answer), leftIn(hot.answer) - 1)
        assert.equal(hot.answer.status, 200)
        assert.equal(await hot.answer.text(), await ordinary.answer.text())
      }
    }
  })
}

void test('trust 40: both paths write the same log line and count the same', async () => {
  const lines = []
  await ask(head(`/v1${path}`, host, bearer))
  for (const more of [[], [ordinarily]]) {
    const before = await countOf('200')
    const [line] = await watch.logged(1, () => ask(head(`/v1${path}`, host, bearer, ...more)))
    assert.equal((await countOf('200')) - before, 1)
    const { reqId, time, milliseconds, ...rest } = { time: 0, milliseconds: -1, ...line }
    assert.match(reqId ?? '', /^[0-9a-f-]{36}$/)
    assert.ok(time > 0 && milliseconds >= 0)
    assert.equal(rest.path, path)
    lines.push(rest)
  }
  assert.deepEqual(lines[0], lines[1])
})

const again = (...headers: string[]): string => head(path, host, bearer, ...headers)

/** Variants of a request whose differences have no effect, or that have their own cached response. */
const kept: readonly (readonly [what: string, request: string, status: number])[] = [
  ...['a.example', 'null', 'https://trails.example'].map(
    (origin) => [`Origin ${origin}`, again(`Origin: ${origin}`), 200] as const,
  ),
  ['a cookie', again(`Cookie: a=${'b'.repeat(2_000)}`), 200],
  ['a key', again('X-API-Key: wm_aaaaaaaaaaaaaaaaaaaa'), 200],
  ['a key in the query', head(`${path}?api_key=a`, host, bearer), 200],
  ['an empty query', head(`${path}?`, host, bearer), 200],
  ['If-None-Match', again('If-None-Match: *'), 304],
  ['If-Modified-Since', again('If-Modified-Since: Thu, 14 May 2026 09:08:07 GMT'), 200],
  ['Forwarded', again('Forwarded: for=192.0.2.1'), 200],
  ["a proxy's", again('X-Forwarded-Port: 443', 'X-Amzn-Trace-Id: Root=1-2', 'CF-Ray: a', 'Via: 1.1 a'), 200],
  ["a browser's", again('DNT: 1', 'Sec-GPC: 1', 'Accept-Language: de', 'Sec-Fetch-Site: cross-site'), 200],
  ["axios'", again('Accept: application/json, text/plain, */*'), 200],
  ['Accept of XML', again('Accept: application/xml'), 200],
  ['User-Agent twice', again('User-Agent: a', 'User-Agent: b'), 200],
  ['long headers', again(`User-Agent: ${'a'.repeat(3_000)}`), 200],
  ['HEAD', again().replace('GET', 'HEAD'), 200],
  ['the whole address', head(`http://trails.example${path}`, host, bearer), 200],
  ['an escape', head(path.replace('Routes', '%52outes'), host, bearer), 200],
  ['a slash at the end', head(`${path}/`, host, bearer), 200],
  ['no token', head(path, host), 401],
  ['two slashes', head(`/${path}`, host, bearer), 404],
  ['a dot', head(`/.${path}`, host, bearer), 404],
  ['another version', head(`/v2${path}`, host, bearer), 404],
  ['two tokens in one', head(path, host, `${bearer}, Bearer a`), 403],
  ['another scheme', head(path, host, 'Authorization: Basic YTpi'), 403],
  ['a token that is none', head(path, host, `Authorization: Bearer ${'a'.repeat(43)}`), 403],
  ['a path of nobody', head('/nothing/here', host), 404],
  [
    'a preflight',
    head(path, host, 'Origin: https://a.example', 'Access-Control-Request-Method: GET').replace(
      'GET',
      'OPTIONS',
    ),
    204,
  ],
  ['lower case', head(path.toLowerCase(), host, bearer), 200],
]

/** Requests for something else, or ambiguous ones. */
const declined: typeof kept = [
  ['If-Match', again('If-Match: "a"'), 200],
  ['Range', again('Range: bytes=0-1'), 200],
  ['Upgrade', again('Connection: upgrade', 'Upgrade: websocket'), 200],
  ['Expect', again('Expect: 100-continue'), 200],
  ['Accept of neither', again('Accept: image/png'), 406],
  ['Accept twice', again('Accept: */*', 'Accept: application/json'), 200],
  ['Content-Length', again('Content-Length: 0'), 200],
  ['a body', `${again('Content-Length: 1').slice(0, -2)}\r\na`, 200],
  ['a body in chunks', `${again('Transfer-Encoding: chunked')}0\r\n\r\n`, 200],
  ['both framings', `${again('Content-Length: 0', 'Transfer-Encoding: chunked')}0\r\n\r\n`, 400],
  ['Host twice', again(host), 400],
  ['no Host', head(path, bearer), 400],
  ['a Host that is none', head(path, 'Host: a b', bearer), 400],
  ['Authorization twice', again(bearer), 400],
  ['HTTP/1.0', again().replace('HTTP/1.1', 'HTTP/1.0'), 200],
  [
    'an escaped id',
    head(
      path.replace(/.$/, (digit) => `%3${digit}`),
      host,
      bearer,
    ),
    404,
  ],
  ['an id with a zero before', head(path.replace('Routes/', 'Routes/0'), host, bearer), 404],
  ['an id too large', head(path.replace(/\d+$/, '9999999999999999'), host, bearer), 404],
  ['no such route', head(path.replace(/\d+$/, '1'), host, bearer), 404],
  ['no such account', head(path.replace(/\d+/, '1'), host, bearer), 404],
  ['another account', head(path.replace(/\d+/, String(bob.accountId)), host, bearer), 403],
  ["another's route", head(foreign, host, bearer), 403],
  ['too many headers', again(...Array.from({ length: 200 }, (_, at) => `X-${at}: 1`)), 431],
]

/** Without the request id, which is always different. */
const bodyOf = (said: string): string | undefined =>
  said.split('\r\n\r\n')[1]?.replace(/urn:waymark:request:[0-9a-f-]{36}/, '')

async function askTimes(request: string, until: RegExp, times: number) {
  const seen: (readonly [number, boolean])[] = []
  for (let time = 0; time < times; time += 1) {
    const before = waymark.app.answersFromMemory()
    const said = await say(waymark.url, request, { until })
    const { status } = parseAnswer(said.replace('HTTP/1.1 100 Continue\r\n\r\n', ''))
    seen.push([status, waymark.app.answersFromMemory() > before])
  }
  return seen
}

void test('whatever other headers a request has, its response is cached, and is the one from Fastify', async () => {
  for (const [what, request, status] of kept) {
    const [, ...later] = await askTimes(request, isDone, 3)
    assert.deepEqual(later, [[status, true], [status, true]], what) // prettier-ignore
    const [fromMemory, ordinary] = [
      await say(waymark.url, request, { until: isDone }),
      await say(waymark.url, request.replace('\r\n\r\n', `\r\n${ordinarily}\r\n\r\n`), { until: isDone }),
    ]
    assert.deepEqual(lasting(parseAnswer(fromMemory)), lasting(parseAnswer(ordinary)), what)
    assert.equal(bodyOf(fromMemory), bodyOf(ordinary), what)
  }
})

void test('trust 17: requests for something else go through Fastify each time, and get the same response', async () => {
  await ask(again())
  assert.equal((await ask(again())).isKept, true)
  for (const [what, request, status] of declined) {
    const until = what === 'Expect' ? /HTTP\/1\.1 200[\s\S]*\}$/ : isDone
    assert.deepEqual(await askTimes(request, until, 2), [[status, false], [status, false]], what) // prettier-ignore
  }
})

void test('trust 17: the client address is that of the connection, or from a trusted proxy, on both paths', async (t) => {
  const forwarded = ['X-Forwarded-For: 203.0.113.9, 192.0.2.1', 'X-Forwarded-Proto: https']
  for (const [proxies, address] of [
    ['', '127.0.0.1'],
    ['127.0.0.0/8', '192.0.2.1'],
    ['127.0.0.0/8,192.0.2.0/24', '203.0.113.9'],
  ] as const) {
    const lines = createLogWatch()
    const other = await startWaymark({ logger: lines.logger, environment: { TRUST_PROXY: proxies } })
    t.after(() => other.close())
    const person = await other.addPerson()
    const asked = `/Accounts/${person.accountId}/Routes/${await addRoute(other, person, '')}`
    const token = `Authorization: Bearer ${person.token}`
    await askAt(other, head(asked, host, token, ...forwarded))
    for (const more of [[], [ordinarily]]) {
      const [line] = await lines.logged(1, async () => {
        const { isKept } = await askAt(other, head(asked, host, token, ...forwarded, ...more))
        assert.equal(isKept, more.length === 0)
      })
      assert.equal(line?.address, address)
    }
  }
})

void test('C30: a token that lost its right is refused at once, with the usual message, and counted as usual', async () => {
  const { db } = waymark.installation.database
  const cat = await waymark.addPerson()
  const own = `/Accounts/${cat.accountId}/Routes/${await addRoute(waymark, cat, '')}`
  const asked = head(own, host, `Authorization: Bearer ${cat.token}`)
  const scopeless = await waymark.tokenFor(cat.accountId, 'images:read')
  const short = await ask(head(own, host, `Authorization: Bearer ${scopeless}`))
  assert.deepEqual([short.isKept, short.answer.status], [false, 403])
  const suspend = (at: number | null) =>
    db.updateTable('account').set({ suspended_at: at }).where('id', '=', cat.accountId).execute()
  await ask(asked)
  assert.equal((await ask(asked)).isKept, true)
  await suspend(1)
  const failed = await countOf('403')
  const suspended = await ask(asked)
  assert.deepEqual([suspended.isKept, suspended.answer.status], [false, 403])
  assert.match(suspended.answer.headers.get('ratelimit-policy') ?? '', /"address"/)
  assert.equal((await countOf('403')) - failed, 1)
  await suspend(null)
  await ask(asked)
  assert.equal((await ask(asked)).isKept, true)
  await db.deleteFrom('oauth_object').where('account_id', '=', cat.accountId).execute()
  await sql`delete from oauth_object where uid in (select id from oauth_client where account_id = ${cat.accountId})`.execute(
    db,
  )
  assert.deepEqual([(await ask(asked)).isKept, (await ask(asked)).answer.status], [false, 403])
})

void test("C38: an account's limit applies to both paths together", async (t) => {
  const few = await startWaymark({ environment: { RATE_LIMIT_FACTOR: '1', RATE_ACCOUNT: '4' } })
  t.after(() => few.close())
  const dan = await few.addPerson()
  const asked = `/Accounts/${dan.accountId}/Routes/${await addRoute(few, dan, '')}`
  const token = `Authorization: Bearer ${dan.token}`
  const lines = [[], [ordinarily], [], [], []]
  const seen = []
  for (const more of lines) {
    const { answer, isKept } = await askAt(few, head(asked, host, token, ...more))
    seen.push([answer.status, isKept, leftIn(answer)])
  }
  assert.deepEqual(seen, [
    [200, false, 2],
    [200, false, 1],
    [200, true, 0],
    [429, false, 0],
    [429, false, 0],
  ])
})

void test('a long route is sent in pieces each time, and is not cached', async () => {
  const id = await addRoute(waymark, ana, gpxOf(40_000))
  for (let time = 0; time < 2; time += 1) {
    const asked = head(path.replace(/\d+$/, id), host, bearer)
    const { isKept, answer } = await ask(asked, /\}\r?\n?(?:0\r\n\r\n)?$/)
    assert.deepEqual([isKept, answer.status], [false, 200])
  }
})
