// `waymark verify` on the command line: exit codes, secrets, redirects, limits; and every faulty server with all checks.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { after, before, describe, test, type TestContext } from 'node:test'
import { createLogins } from '../../cli/remote/logins.ts'
import { assertOneSentence, run, startChild, type Ran } from './run-waymark.ts'
import { answerOf } from './verify-alterations.ts'
import { readingBreaches } from './verify-breaches.ts'
import { writingBreaches } from './verify-write-breaches.ts'
import { idsOf, lookAt, startAlteringProxy, startSite, trailId, type Site } from './verify-helpers.ts'
import { newFolder } from '../helpers/folders.ts'

async function serve(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

interface Document {
  readonly ok: boolean
  readonly counts: Readonly<Record<string, number>>
  readonly checks: readonly { readonly id: string; readonly result: string; readonly seen?: string }[]
  readonly left: { readonly images: readonly string[]; readonly routes: readonly string[] }
}

const resultOf = ({ stdout }: Ran, id: string): string | undefined =>
  (JSON.parse(stdout) as Document).checks.find((check) => check.id === id)?.result

void describe('waymark verify', () => {
  let site: Site
  before(async () => {
    site = await startSite()
  })
  after(() => site.waymark.close())

  const verify = async (
    t: TestContext,
    args: readonly string[],
    settings: Readonly<Record<string, string>> = {},
  ) => {
    const dataDir = await newFolder(t)
    return run(['verify', ...args], { dataDir, settings: { XDG_CONFIG_HOME: dataDir, ...settings } })
  }
  const credentials = (): { WAYMARK_API_KEY: string; WAYMARK_TOKEN: string } => ({
    WAYMARK_API_KEY: site.apiKey,
    WAYMARK_TOKEN: site.walker.token,
  })
  const everything = (): string[] => ['--trail', String(trailId), '--account', String(site.walker.accountId)]

  for (const { id, wrong, alter, also = [] } of [...readingBreaches, ...writingBreaches])
    void test(`${id}: ${wrong}, and nothing else is found`, async (t) => {
      const baseUrl = await startAlteringProxy(t, site.waymark.url, alter)
      const write = writingBreaches.some((breach) => breach.id === id)
      const { outcomes, left } = await lookAt({ site, baseUrl, write })
      assert.deepEqual(new Set(idsOf(outcomes, 'failed')), new Set([id, ...also]))
      assert.deepEqual(left.routes, [])
    })

  void test('D4: it ends with 0 or 2, and prints one JSON document or lines for people', async (t) => {
    const { waymark } = site
    const good = await verify(
      t,
      [waymark.url, ...everything(), '--write', '--strict', '--json'],
      credentials(),
    )
    assert.deepEqual([good.exitCode, good.stderr], [0, ''])
    const document = JSON.parse(good.stdout) as Document
    assert.deepEqual([document.ok, document.left.routes, document.left.images.length], [true, [], 1])
    assert.equal(document.counts['failed'], 0)

    const baseUrl = await startAlteringProxy(t, waymark.url, (exchange) => {
      if (exchange.headers.location?.includes('/Images/')) delete exchange.headers.location
      exchange.headers['referrer-policy'] = 'origin'
    })
    const other = await verify(t, [baseUrl, ...everything()], credentials())
    assert.deepEqual([other.exitCode, other.stderr], [0, ''])
    assert.match(
      other.stdout,
      /\ndiffers {2}C28 {2}no-referrer {2}Referrer-Policy keeps[^\n]+\n {24,}GET [^\n]+:\n {24,}Referrer-Policy is origin\.\n/,
    )
    assert.equal((await verify(t, [baseUrl, ...everything(), '--strict'], credentials())).exitCode, 2)
    const verbose = await verify(t, [waymark.url, '--verbose'])
    assert.match(verbose.stdout, /\nok +A7 A4 +list-needs-key +The list/)
    assert.equal(verbose.exitCode, 0)
  })

  void test('a refused credential is exit code 3, and is not printed if the server repeats it', async (t) => {
    const wrong = { WAYMARK_API_KEY: 'wm_no_such_key_1234', WAYMARK_TOKEN: 'no-such-token-5678' }
    const baseUrl = await serve(t, (request, response) => {
      response.writeHead(401, { 'content-type': 'text/plain' })
      response.end(`not with ${request.url} and ${request.headers.authorization ?? 'nothing'}`)
    })
    const ran = await verify(t, [baseUrl, ...everything(), '--write', '--json'], wrong)
    assert.equal(ran.exitCode, 3)
    assert.equal(resultOf(ran, 'key-opens-list'), 'failed')
    assert.equal(resultOf(ran, 'list-fields'), 'skipped')
    assert.doesNotMatch(ran.stdout + ran.stderr, /no_such_key|no-such-token/)
    assert.match(ran.stdout, /not with [^"]*…/)
  })

  void test('a redirect is not followed, and an image handler on another host gets no credential', async (t) => {
    const heard: string[] = []
    const elsewhere = await serve(t, (request, response) => {
      heard.push(`${request.url} ${request.headers.authorization ?? ''}`)
      response.writeHead(404).end()
    })
    const { waymark } = site
    const args = [waymark.url, ...everything(), '--image-handler-url', `${elsewhere}/photos`]
    assert.equal((await verify(t, args, credentials())).exitCode, 2)
    assert.ok(
      heard.length > 0 && heard.every((line) => /^\/photos\?[^ ]+ $/.test(line) && !line.includes('api_key')),
    )
    heard.length = 0
    const leading = await serve(t, (_, response) => {
      response.writeHead(302, { location: `${elsewhere}/` }).end()
    })
    const led = await verify(t, [leading, ...everything()], credentials())
    assert.deepEqual([led.exitCode, led.stdout, heard], [2, '', []])
    assertOneSentence(led.stderr)
    const foreign = await verify(t, [elsewhere], { ...credentials(), WAYMARK_URL: waymark.url })
    assert.match(foreign.stderr, /^WAYMARK_URL is .* are not sent to/)
  })

  void test('a sign-in is used only for its own URL', async (t) => {
    const dataDir = await newFolder(t)
    const { url } = site.waymark
    const accessToken = site.walker.token
    const tokens = {
      accessToken,
      expiresAt: Date.now() + 3_600_000,
      refreshToken: undefined,
      scopes: [],
    }
    await createLogins(path.join(dataDir, 'waymark')).keep(url, { ...tokens, idToken: undefined })
    const settings = { XDG_CONFIG_HOME: dataDir }
    const own = await run(['verify', `${url}/`, ...everything(), '--json'], { dataDir, settings })
    assert.deepEqual([own.exitCode, resultOf(own, 'routes-list')], [0, 'passed'])
    const other = await startAlteringProxy(t, url, ({ headers }) => headers)
    const foreign = await run(['verify', other, ...everything(), '--json'], { dataDir, settings })
    assert.deepEqual([foreign.exitCode, resultOf(foreign, 'routes-list')], [0, 'skipped'])
  })

  void test('one sentence: no server, a web page, an unknown trail, no token, invalid options', async (t) => {
    const page = await serve(t, (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html></html>')
    })
    const { url } = site.waymark
    const cases: readonly [string[], number, RegExp][] = [
      [['http://127.0.0.1:1'], 2, /cannot be reached: .*ECONNREFUSED/],
      [[url.replace('http:', 'https:')], 2, /does not speak TLS/],
      [[page], 2, /200 and a web page, so the classic surface is not there/],
      [[url, '--trail', '99'], 2, /404 and "Invalid Trail ID" for trail 99: check --trail/],
      [[url, '--trail', '4711', '--write'], 3, /--write requires an access token/],
      [['trails.example'], 1, /URL must be a server URL/],
      [[url, '--photos', '0'], 1, /--photos must be a whole number/],
      [[], 1, /'URL'/],
    ]
    for (const [args, exitCode, sentence] of cases) {
      const ran = await verify(t, args, args.includes('99') ? { WAYMARK_API_KEY: site.apiKey } : {})
      assert.deepEqual([ran.exitCode, ran.stdout], [exitCode, ''], args.join(' '))
      assertOneSentence(ran.stderr)
      assert.match(ran.stderr, sentence)
    }
  })

  void test('a server that stops responding costs three requests, and unseen checks do not pass', async (t) => {
    let asked = 0
    const silent = await serve(t, (_, response) => {
      asked += 1
      if (asked <= 2) response.writeHead(401, { 'content-type': 'application/json' }).end('{}')
    })
    const ran = await verify(t, [silent, ...everything(), '--timeout', '1', '--json'], credentials())
    assert.equal(ran.exitCode, 2)
    assert.match(ran.stdout, /no complete response within 1 s/)
    assert.match(ran.stdout, /The server had stopped responding/)
    const nothing = await serve(t, (_, response) => {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{}')
    })
    const unseen = await verify(t, [nothing])
    assert.equal(unseen.exitCode, 2)
    assert.match(unseen.stdout, /Nothing specified by the contract could be checked\.\n$/)
  })

  void test('an unexpected body with numbers is not taken for an ID: nothing is written to a photo of others', async (t) => {
    const written: string[] = []
    const baseUrl = await startAlteringProxy(t, site.waymark.url, (exchange) => {
      const { method, path: address } = exchange
      if (method === 'PUT' && address.includes('/Images/')) written.push(address)
      if (method !== 'POST' || !address.endsWith('/Images/')) return
      delete exchange.headers.location
      answerOf(200, '{"trailID":7,"imageID":99}')(exchange)
    })
    const ran = await verify(t, [baseUrl, ...everything(), '--write', '--json'], credentials())
    assert.deepEqual([ran.exitCode, written], [2, []])
    assert.equal(resultOf(ran, 'upload-answer'), 'failed')
    assert.match(ran.stdout, /it may have stored a photo whose ID cannot be read/)
  })

  void test('an image handler that sends nothing, or closes every connection, passes no check and stops no other', async (t) => {
    const looking = [...everything(), '--write', '--json']
    const gone = await startAlteringProxy(t, site.waymark.url, (exchange) => {
      if (exchange.path.startsWith('/ImageHandler')) answerOf(404, '')(exchange)
    })
    const cutting = await serve(t, (request) => request.socket.destroy())
    for (const args of [[gone], [site.waymark.url, '--image-handler-url', `${cutting}/ImageHandler`]]) {
      const ran = await verify(t, [...args, ...looking], credentials())
      const { checks } = JSON.parse(ran.stdout) as Document
      const ofPhotos = checks.filter(({ id }) => /^image-|^pending-(?!not-listed|details)/.test(id))
      assert.ok(ofPhotos.length > 8)
      assert.deepEqual(
        ofPhotos
          .filter(({ id, result }) => result === 'passed' && !id.startsWith('image-unknown'))
          .map(({ id }) => id),
        [],
      )
      assert.equal(resultOf(ran, 'route-deleted'), 'passed')
    }
  })

  void test('a server that limits its rate still passes', async (t) => {
    let asked = 0
    const busy = await startAlteringProxy(t, site.waymark.url, (exchange) => {
      asked += 1
      if (asked < 4) return
      answerOf(429, '{"title":"Too Many Requests"}')(exchange)
      exchange.headers['retry-after'] = '36'
    })
    const ran = await verify(t, [busy, ...everything()], credentials())
    assert.equal(ran.exitCode, 0, ran.stdout)
    assert.match(
      ran.stdout,
      /No response: the server is limiting requests \(429\) and asks to wait 36 s\. Try again later\./,
    )
  })

  void test('Ctrl+C ends it, and what it created is deleted', async (t) => {
    const dataDir = await newFolder(t)
    const reached = Promise.withResolvers<void>()
    const baseUrl = await startAlteringProxy(t, site.waymark.url, ({ method, path }) => {
      if (method === 'POST' && path.endsWith('/Routes')) reached.resolve()
    })
    const args = ['verify', baseUrl, ...everything(), '--write']
    const child = startChild(args, { dataDir, settings: { XDG_CONFIG_HOME: dataDir, ...credentials() } })
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (said += chunk))
    await reached.promise
    child.kill('SIGINT')
    const [exitCode] = (await once(child, 'close')) as [number]
    assert.equal(exitCode, 2, said)
    assertOneSentence(said.replace('. What', ', what').replace('. Left', ', left'))
    assert.match(said, /^The checks were cancelled\..*Left on the server: pending image \d+\.\n$/)
    const answer = await site.waymark.fetch(`/Accounts/${site.walker.accountId}/Routes`, {
      token: site.walker.token,
    })
    assert.equal(((await answer.json()) as unknown[]).length, 1)
  })
})
