// What a Waymark whose photos are in S3 does while the store is silent, gone, slow, failing or cuts its answers: a server
// in a process of its own, and a proxy of the tests' before a real Swift. To be run inside a suite that has one.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { readConfig } from '../../src/settings/config.ts'
import { createIntegrity, type Finding } from '../../src/images/storage/integrity.ts'
import { openInstallation } from '../../src/installation.ts'
import { prepare, tokenOf } from '../faults/harness/installation.ts'
import { upload, type Answer } from '../faults/harness/load.ts'
import { sha256Of, smallPng } from '../faults/harness/pictures.ts'
import { startServer, until, type Server } from '../faults/harness/server.ts'
import { parentOfFolders } from '../helpers/folders.ts'
import { parseScrape } from '../helpers/metrics.ts'
import { blobUrlBelow, blobUrlThrough, type Swift } from '../helpers/swift.ts'
import { startTcpProxy, type TcpProxy, type Trouble } from '../helpers/tcp-proxy.ts'
import { blobsOfPhoto } from '../helpers/pictures.ts'

const maxSeconds = 15
const pictureRows = 400

interface Timed {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly bytes: Buffer
  readonly seconds: number
}

async function timed(work: () => Promise<Answer>): Promise<Timed> {
  const begun = performance.now()
  const { status, body, headers } = await work()
  const seconds = (performance.now() - begun) / 1_000
  return { status, retryAfter: headers['retry-after'], bytes: Buffer.from(body, 'latin1'), seconds }
}

async function get(url: string, token?: string): Promise<Answer> {
  const response = await fetch(
    url,
    token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } },
  )
  const body = Buffer.from(await response.arrayBuffer()).toString('latin1')
  return { status: response.status, body, headers: Object.fromEntries(response.headers) }
}

function assertRefused(answers: Readonly<Record<string, Timed>>): void {
  for (const [name, { status, retryAfter, seconds }] of Object.entries(answers)) {
    assert.deepEqual({ name, status, retryAfter }, { name, status: 503, retryAfter: '5' })
    assert.ok(seconds <= maxSeconds, `${name} took ${seconds} s`)
  }
}

/** @param swiftOf is asked once the suite's own Swift runs. */
export function testS3Faults(swiftOf: () => Swift): void {
  let server: Server
  let proxy: TcpProxy
  let settings: Readonly<Record<string, string>>
  let direct: Readonly<Record<string, string>>
  let token: string
  let kept: { readonly imageId: number; readonly bytes: Buffer }
  let dataDir: string
  let seed = 0

  const nextPicture = (): Buffer => {
    seed += 1
    return smallPng(seed, pictureRows)
  }
  const send = (bytes: Uint8Array) => timed(() => upload({ url: server.url, token, bytes }))
  /** No size is in memory: each view needs the store. */
  const view = (size: string) =>
    timed(() => get(`${server.url}/ImageHandler?id=${kept.imageId}&t=${size}`, token))
  const health = (name: string) => timed(() => get(`${server.url}/health/${name}`))

  before(async () => {
    dataDir = await mkdtemp(path.join(parentOfFolders(), 'waymark-test-'))
    const swift = swiftOf()
    proxy = await startTcpProxy({ port: swift.port })
    const common = { ...swift.environment, IMAGE_CACHE_MEGABYTES: '0' }
    const blobUrl = blobUrlBelow(swift.blobUrl, 'faults')
    direct = { ...common, BLOB_URL: blobUrl }
    settings = { ...common, BLOB_URL: blobUrlThrough(blobUrl, proxy.port) }
    const authorization = await prepare(dataDir)
    server = await startServer({ dataDir, settings })
    token = await tokenOf(server.url, authorization)
    const bytes = nextPicture()
    const { status, bytes: id } = await send(bytes)
    assert.equal(status, 201)
    kept = { imageId: Number(id.toString()), bytes }
  })
  after(async () => {
    await server?.end('SIGKILL')
    await proxy?.end()
    await rm(dataDir, { recursive: true, force: true })
  })

  /** Afterwards all is well again by itself, and the picture that was refused can be sent. */
  async function assertHealed(refused: Uint8Array): Promise<void> {
    proxy.heal()
    await until(async () => (await health('ready')).status === 200, 'readiness', 20_000)
    const large = await view('lg')
    assert.equal(large.status, 200)
    assert.equal(sha256Of(large.bytes), sha256Of(kept.bytes))
    assert.equal((await view('sm')).status, 200)
    assert.equal((await send(refused)).status, 201)
    assert.ok(server.isRunning())
  }

  async function inTrouble(trouble: Trouble): Promise<void> {
    proxy.trouble(trouble)
    const refused = nextPicture()
    const [upload, small, large, live] = await Promise.all([
      send(refused),
      view('sm'),
      view('lg'),
      health('live'),
      until(async () => (await health('ready')).status === 503, 'readiness to tell', 8_000),
    ])
    assertRefused({ upload, small, large })
    assert.equal(live.status, 200)
    assert.ok(live.seconds < 1, `liveness took ${live.seconds} s`)
    await assertHealed(refused)
  }

  void test('S3: a view requests only what it sends', async () => {
    const path = `${server.url}/ImageHandler?id=${kept.imageId}`
    const headers = { authorization: `Bearer ${token}` }
    const askedBy = async (work: () => Promise<unknown>): Promise<number> => {
      const before = proxy.connections() // a connection is one request
      await work()
      return proxy.connections() - before
    }
    const first = await fetch(path, { headers })
    await first.arrayBuffer()
    const etag = first.headers.get('etag') ?? ''
    const known = { ...headers, 'if-none-match': etag }
    assert.equal(await askedBy(() => view('sm')), 1)
    assert.equal(
      await askedBy(() => view('lg')),
      2,
      'its length, and its bytes, which find no room in memory here',
    )
    const unchanged = async (): Promise<void> =>
      assert.equal((await fetch(path, { headers: known })).status, 304)
    assert.equal(await askedBy(unchanged), 0)
  })

  const troubles: Readonly<Record<string, Trouble>> = {
    'is silent': { isSilent: true },
    'takes no connection': { isRefusing: true },
    'answers 500': { answer: 'HTTP/1.1 500 Oh\r\nContent-Length: 0\r\nConnection: close\r\n\r\n' },
  }
  for (const [what, trouble] of Object.entries(troubles)) {
    void test(`trust 10: a store that ${what} causes 503 in time, and nothing needs a restart`, () =>
      inTrouble(trouble))
  }

  void test('trust 10: nothing is served of a photo that arrives truncated', async () => {
    proxy.trouble({ cutAfterBytes: 2_000 }) // after the headers of a small answer
    const [small, large] = await Promise.all([view('sm'), view('lg')])
    assertRefused({ large })
    if (small.status === 200) assert.ok(small.bytes.length < 2_000)
    else assertRefused({ small })
    await assertHealed(nextPicture())
  })

  void test('trust 10: a slow store is waited for', async () => {
    proxy.trouble({ delayMs: 600 })
    const [sent, large] = await Promise.all([send(nextPicture()), view('lg')])
    assert.deepEqual([sent.status, large.status], [201, 200])
    assert.ok(sent.seconds > 0.6 && sent.seconds <= maxSeconds, `it took ${sent.seconds} s`)
    proxy.heal()
  })

  void test('trust 10: failures are counted by system error code', async () => {
    const { bytes } = await timed(() => get(`${server.url}/metrics`))
    const seen = [
      ...bytes.toString().matchAll(/^waymark_storage_faults_total\{error="(\w+)"\} ([1-9]\d*)$/gm),
    ]
    const codes = seen.map(([, code]) => code)
    for (const code of ['ETIMEDOUT', 'ECONNRESET', 'EREMOTEIO'])
      assert.ok(codes.includes(code), `${code} in ${codes.join()}`)
  })

  void test('issue 9: the duration of each call is recorded, including failed ones', async () => {
    const { samples } = parseScrape((await timed(() => get(`${server.url}/metrics`))).bytes.toString())
    const figure = (rest: string): number => samples.get(`waymark_store_call_duration_seconds_${rest}`) ?? 0
    const put = figure('count{call="put",outcome="done"}')
    assert.ok(put >= 6 * blobsOfPhoto, `${put} put`)
    for (const call of ['put', 'read', 'open'])
      assert.ok(figure(`count{call="${call}",outcome="failed"}`) > 0, `no ${call} has failed`)
    assert.ok(figure('count{call="open",outcome="done"}') > 0)
    // The slow one was delayed by 0.6 s.
    const upToHalf = figure('bucket{le="0.5",call="put",outcome="done"}')
    assert.ok(upToHalf < put, `${upToHalf} of ${put} within half a second`)
  })

  void test('trust 10: after all this no row lacks its blob, and every blob is intact', async () => {
    const installation = await openInstallation(readConfig({ DATA_DIR: dataDir, ...direct }))
    const findings: Finding[] = []
    try {
      const { images } = await createIntegrity(installation).check('bytes', (found) => findings.push(found))
      assert.deepEqual([findings, images], [[], 6])
    } finally {
      await installation.close()
    }
  })
}
