// What shared caches may store: nothing that depends on the caller, and nothing that one caller could manipulate for
// others (contract C27, C39, C40, trust 59).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { addressOf, endpointsOf } from '../helpers/endpoints.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { send } from '../helpers/wire.ts'

const waymark = await startWaymark()
const listed = await startWaymark({ environment: { CORS_ORIGINS: 'https://pages.example' } })
after(async () => {
  await listed.close()
  await waymark.close()
})
await waymark.addTrail(4711, 'Rim Trail')
const ana = await waymark.addPerson()
const bob = await waymark.addPerson()
const rob = await waymark.addPerson({ role: 'reviewer' })
const key = await waymark.addKey(ana.accountId)
const upload = async (seed: number) =>
  waymark.upload(ana, 4711, await jpegPicture({ width: 60, height: 40, seed }))
const approved = await upload(1)
const pending = await upload(2)
const rejected = await upload(3)
assert.equal((await waymark.review(rob, approved, 'approve')).status, 200)
assert.equal((await waymark.review(rob, rejected, 'reject')).status, 200)

const paths = endpointsOf(waymark.app.server)
  .filter(({ methods }) => methods.includes('GET'))
  .flatMap((endpoint) =>
    [approved, pending, rejected].map((imageID) => {
      const path = addressOf(endpoint, { trailID: 4711, imageID, code: 'forbidden' })
      return path === '/ImageHandler' ? `${path}?id=${imageID}` : path
    }),
  )
  .filter((path, index, all) => all.indexOf(path) === index && path !== '/metrics')

type Headers = Readonly<Record<string, string>>
const bearer = ({ token }: { token: string }): Headers => ({ authorization: `Bearer ${token}` })

interface Seen {
  readonly status: number
  readonly headers: globalThis.Headers
  readonly body: string
}

async function get(path: string, headers: Headers = {}, url = waymark.url): Promise<Seen> {
  const answer = await send(url, { path, headers })
  const body = Buffer.from(await answer.arrayBuffer()).toString('latin1')
  return { status: answer.status, headers: answer.headers, body }
}

/** Statuses that are cacheable by default (RFC 9110, section 15.1). */
const heuristic = new Set([200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501])

/** RFC 9111, section 3: whether a shared cache may store this response to a GET. */
function mayKeep({ status, headers }: Seen, isAuthorized: boolean): boolean {
  const directives = (headers.get('cache-control') ?? '').toLowerCase().split(/\s*,\s*/)
  const has = (name: string) => directives.some((directive) => directive.split('=')[0] === name)
  if (has('no-store') || has('private')) return false
  if (isAuthorized && !['public', 's-maxage', 'must-revalidate'].some(has)) return false
  return ['public', 'max-age', 's-maxage'].some(has) || headers.has('expires') || heuristic.has(status)
}

const callers: Readonly<Record<string, (path: string) => Promise<Seen>>> = {
  'the submitter': (path) => get(path, bearer(ana)),
  'another member': (path) => get(path, bearer(bob)),
  staff: (path) => get(path, bearer(rob)),
  'a key in a header': (path) => get(path, { 'x-api-key': key }),
  'a key in the address': (path) => get(`${path}${path.includes('?') ? '&' : '?'}api_key=${key}`),
  'a wrong token': (path) => get(path, { authorization: 'Bearer wrong' }),
  Basic: (path) => get(path, { authorization: 'Basic YTpi' }),
}

void test('trust 59: a shared cache may store a response to a credential only if it is the same for everyone', async () => {
  let kept = 0
  for (const path of paths) {
    const forAnyone = await get(path)
    for (const [who, ask] of Object.entries(callers)) {
      const seen = await ask(path)
      const message = `${path} by ${who}: ${seen.status} ${seen.headers.get('cache-control')}`
      if (!mayKeep(seen, true) && !mayKeep(seen, false)) continue
      kept += 1
      assert.deepEqual([seen.status, seen.body], [forAnyone.status, forAnyone.body], message)
    }
    if (!mayKeep(forAnyone, false)) continue
    assert.equal(forAnyone.status, 200, `${path} to anyone`)
    // Nor the rate limit of the first caller.
    if (!forAnyone.headers.get('cache-control')?.startsWith('public')) continue
    for (const name of ['ratelimit', 'ratelimit-policy', 'set-cookie'])
      assert.equal(forAnyone.headers.get(name), null, `${path}: ${name}`)
  }
  assert.ok(kept > 30, `${kept} answers could be kept`)
  const image = await get(`/ImageHandler?id=${approved}`, bearer(ana))
  assert.ok(mayKeep(image, true), 'a listed image is for caches')
})

/** Headers that a cache ignores, and that a server might use. */
const bending: Headers = {
  'x-forwarded-host': 'sesame.example',
  'x-forwarded-proto': 'sesame',
  'x-forwarded-port': '666',
  'x-forwarded-prefix': '/sesame',
  'x-forwarded-for': '203.0.113.66',
  forwarded: 'host=sesame.example;proto=http',
  'x-host': 'sesame.example',
  'x-original-url': '/sesame',
  'x-rewrite-url': '/sesame',
  'x-http-method-override': 'DELETE',
  'x-http-method': 'DELETE',
  'x-method-override': 'DELETE',
  cookie: 'sesame=1',
  origin: 'https://sesame.example',
  referer: 'https://sesame.example/',
  'user-agent': 'sesame',
  'accept-language': 'xx',
  'accept-encoding': 'gzip, br, zstd',
  accept: 'text/html, image/webp',
  te: 'trailers',
  dnt: '1',
}

const changing = new Set(['date', 'ratelimit', 'connection', 'keep-alive'])
const steady = ({ status, headers, body }: Seen) => {
  return { status, headers: [...headers].filter(([name]) => !changing.has(name)), body }
}

void test('trust 59: no header outside Vary, no Host and no unknown parameter changes what may be cached', async () => {
  let compared = 0
  for (const [server, path] of [waymark, listed].flatMap((one) =>
    paths.map((path) => [one, path] as const),
  )) {
    const plain = await get(path, {}, server.url)
    if (!mayKeep(plain, false)) continue
    const vary = (plain.headers.get('vary') ?? '').toLowerCase().split(', ')
    const headers = Object.fromEntries(Object.entries(bending).filter(([name]) => !vary.includes(name)))
    const variants = [
      await get(path, headers, server.url),
      await get(path, { host: 'sesame.example:666' }, server.url),
      await get(
        `${path}${path.includes('?') ? '&' : '?'}utm_source=sesame&callback=sesame&_=1`,
        {},
        server.url,
      ),
    ]
    for (const variant of variants) {
      assert.deepEqual(steady(variant), steady(plain), path)
      compared += 1
    }
    assert.doesNotMatch(plain.body, /sesame/)
  }
  assert.ok(compared > 40, `${compared} compared`)
})

void test('trust 59: a URL that only looks like a file gives no access to private data', async () => {
  const privates = [
    `/Trails/4711/Images/${approved}`,
    '/Trails/4711/Images',
    '/v2/images',
    `/v2/images/${pending}`,
  ]
  for (const path of privates) {
    for (const suffix of [
      '.css',
      '/x.css',
      '/.js',
      ';x.css',
      '%2fx.css',
      '%3bx.css',
      '%0ax.css',
      '%00.css',
      '//x.png',
    ]) {
      const seen = await get(path + suffix, bearer(ana))
      assert.ok(!mayKeep(seen, true) && !mayKeep(seen, false), `${path}${suffix}: ${seen.status}`)
      if (seen.status === 200) assert.doesNotMatch(seen.headers.get('cache-control') ?? 'public', /public/)
    }
  }
})

void test('C39: public documents have an ETag', async () => {
  const documents = [
    '/',
    '/problems',
    '/problems/forbidden',
    '/openapi.json',
    '/.well-known/oauth-authorization-server',
    '/.well-known/openid-configuration',
    '/.well-known/oauth-protected-resource',
  ]
  const tags = new Set<string>()
  for (const path of documents) {
    const { status, headers, body } = await get(path)
    const etag = headers.get('etag') ?? ''
    assert.equal(status, 200, path)
    assert.match(etag, /^"[\w-]{20,}"$/, path)
    tags.add(etag)
    for (const condition of [etag, `W/${etag}`, '*', `"x", ${etag}`]) {
      const unchanged = await get(path, { 'if-none-match': condition })
      assert.equal(unchanged.status, 304, `${path} ${condition}`)
      assert.equal(unchanged.body, '')
      for (const name of ['etag', 'cache-control', 'vary', 'content-security-policy'])
        assert.equal(unchanged.headers.get(name), headers.get(name), `${path} ${name}`)
      for (const name of ['content-length', 'content-type'])
        assert.equal(unchanged.headers.get(name), null, name)
    }
    assert.equal((await get(path, { 'if-none-match': '"x"' })).body, body, path)
    const head = await send(waymark.url, { method: 'HEAD', path })
    assert.equal(head.headers.get('etag'), etag)
    assert.equal(head.headers.get('content-length'), String(body.length), path)
    const headUnchanged = await send(waymark.url, {
      method: 'HEAD',
      path,
      headers: { 'if-none-match': etag },
    })
    assert.equal(headUnchanged.status, 304, path)
    assert.equal(headUnchanged.headers.get('content-length'), null, path)
  }
  assert.equal(tags.size, documents.length)
})
