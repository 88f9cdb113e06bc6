// What a hostile server may send to a pull: endless bodies, and redirects into this machine's network.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { createAsker, takeBytes } from '../../cli/pull/asking.ts'
import { boundedBody, isBodyTooLong } from '../../cli/pull/bounded-body.ts'
import { readSecret, requireReportPlace } from '../../cli/pull/pull-options.ts'
import { leadsInside } from '../../cli/pull/redirects.ts'
import { plainFetch } from '../../cli/remote/plain-fetch.ts'
import { newFolder } from '../helpers/folders.ts'

async function* endless(): AsyncGenerator<Uint8Array, void> {
  for (;;) yield new Uint8Array(1024 ** 2)
}

void test('an endless list is aborted, and earlier if the disk gets full', async (t) => {
  const folder = await newFolder(t)
  const read = async (limits: { maxBytes?: number; freeBytes?: number }) => {
    let length = 0
    for await (const chunk of boundedBody(endless(), folder, limits)) length += chunk.length
    return length
  }
  await assert.rejects(read({ maxBytes: 8 * 1024 ** 2 }), isBodyTooLong)
  await assert.rejects(read({ freeBytes: Number.MAX_SAFE_INTEGER }), /would fill the disk of/)
})

void test('a redirect into a private network is followed only from a private network', async () => {
  const outside = 'https://192.0.78.1/x'
  const cases: readonly [string, string, boolean][] = [
    ['http://169.254.169.254/latest', outside, true],
    ['http://[::1]:8080/', outside, true],
    ['http://127.0.0.1/', outside, true],
    ['http://[::ffff:10.0.0.1]/', outside, true],
    ['https://192.0.78.2/photo.jpg', outside, false],
    ['http://127.0.0.1:9000/', 'http://127.0.0.1:8080/', false],
    ['http://10.0.0.2/', 'http://10.0.0.1/', false],
  ]
  for (const [next, asked, leads] of cases)
    assert.equal(await leadsInside(new URL(next), new URL(asked)), leads, `${asked} to ${next}`)
})

async function redirecting(t: TestContext, location: string): Promise<URL> {
  const server = createServer((_request, response) => response.writeHead(302, { location }).end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/ImageHandler?id=1`)
}

void test('one photo that redirects to a dead server is skipped, once, and the pull continues', async (t) => {
  const { signal } = new AbortController()
  const asker = createAsker({
    request: plainFetch,
    rate: 1_000,
    signal,
    now: Date.now,
    onPause: () => undefined,
  })
  const ask = (url: URL) => asker.ask({ url, accept: 'image/*' }, async () => 'read')
  const url = await redirecting(t, 'file:///etc/passwd?api_key=k')
  assert.deepEqual(await ask(url), { how: 'unanswered', why: 'it redirects to file:///etc/passwd' })
  assert.equal(asker.requests(), 1)
  // A redirect of a request with a key or token ends the pull, since all others would fail too.
  url.searchParams.set('api_key', 'k')
  await assert.rejects(
    ask(url),
    /^Error: http:\/\/127.0.0.1:\d+\/ImageHandler redirects to file:\/\/\/etc\/passwd: use/,
  )
})

void test('an invalid secret is refused with the name of the file it was read from', async (t) => {
  const file = path.join(await newFolder(t), 'old.key')
  await writeFile(file, 'wm_key\n')
  assert.equal(await readSecret(`@${file}`, '--api-key'), 'wm_key')
  await writeFile(file, 'key: wm_key\nand more\n')
  await assert.rejects(readSecret(`@${file}`, '--api-key'), {
    message: `--api-key @${file} must be one line of ASCII characters without spaces.`,
  })
})

void test('a missing folder for the report is noticed before any request', async (t) => {
  const folder = await newFolder(t)
  await requireReportPlace(path.join(folder, 'report.json'))
  await requireReportPlace('report.json')
  await assert.rejects(
    requireReportPlace(path.join(folder, 'gone', 'report.json')),
    /gone cannot be used: no such file or directory\.$/,
  )
})

void test('a response that trickles is aborted after two minutes plus its share, however often a byte arrives', async (t) => {
  const quietMs = 200
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-length': '1000000' })
    const timer = setInterval(() => response.write('x'), quietMs / 4)
    response.on('close', () => clearInterval(timer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/ImageHandler?id=1`)
  const stop = new AbortController()
  const asker = createAsker({
    request: plainFetch,
    rate: 1_000,
    signal: stop.signal,
    now: Date.now,
    quietMs,
    onPause: () => undefined,
  })
  const whys: string[] = []
  const asked = asker.ask({ url, accept: '*/*' }, async (incoming) => {
    try {
      return await takeBytes(incoming, 10_000_000)
    } catch (error) {
      whys.push(error instanceof Error ? error.message : '')
      if (whys.length === 2) stop.abort()
      throw error
    }
  })
  await assert.rejects(asked)
  assert.deepEqual(whys, ['it sent less than 4 kB a second', 'it sent less than 4 kB a second'])
})
