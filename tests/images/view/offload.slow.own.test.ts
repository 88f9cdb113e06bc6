// Size lg sent by a real nginx configured as in docs/operations.md: the same responses as without it (contract A5,
// C24–C27).
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import sharp from 'sharp'
import { startWaymark, type Waymark } from '../../helpers/waymark.ts'
import { storeAsBefore } from '../../helpers/older-store.ts'
import { send, type WireRequest } from '../../helpers/wire.ts'
import { lastingPort } from '../../helpers/ports.ts'

const nginx = ['/usr/sbin/nginx', '/usr/bin/nginx', '/usr/local/sbin/nginx'].find((file) => existsSync(file))
const manual = path.resolve(import.meta.dirname, '../../../docs/operations.md')

/** The block from the docs, with this test's addresses. */
async function configurationFor(port: number, waymark: Waymark): Promise<string> {
  const section = (await readFile(manual, 'utf8')).split('### Serving large photos from nginx')[1] ?? ''
  let block = /```nginx\n(.*?)```/s.exec(section)?.[1] ?? ''
  for (const [theirs, ours] of [
    ['listen 443 ssl;', `listen 127.0.0.1:${port};`],
    ['ssl_certificate /etc/ssl/photos.trails.example.pem;', ''],
    ['ssl_certificate_key /etc/ssl/photos.trails.example.key;', ''],
    ['http://127.0.0.1:8080', waymark.url],
    ['/var/lib/waymark/blobs', path.join(waymark.dataDir, 'blobs')],
  ] as const) {
    assert.equal(block.split(theirs).length, 2, theirs)
    block = block.replace(theirs, ours)
  }
  return block
}

async function startNginx(file: string, waymark: Waymark) {
  const folder = path.join(waymark.dataDir, 'nginx')
  await mkdir(folder)
  const port = await lastingPort()
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const lines = [
    process.getuid?.() === 0 ? `user ${userInfo().username};` : '',
    'daemon off;',
    `pid ${folder}/pid;`,
    'events {}',
    'http {',
    'access_log off;',
    ...temporary.map((name) => `${name}_temp_path ${folder}/${name};`),
    await configurationFor(port, waymark),
    '}',
  ]
  await writeFile(path.join(folder, 'nginx.conf'), lines.join('\n'))
  const errorLog = path.join(folder, 'error.log')
  const child = spawn(file, ['-p', folder, '-c', 'nginx.conf', '-e', errorLog], { stdio: 'ignore' })
  const ended = once(child, 'close')
  const url = `http://127.0.0.1:${port}`
  const until = Date.now() + 60_000
  while (!(await send(url, { path: '/' }).catch(() => undefined))) {
    if (child.exitCode !== null || Date.now() > until) assert.fail(await readFile(errorLog, 'utf8'))
    await wait(20)
  }
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await ended
  }
  return { url, stop }
}

/** Headers of the connection, or of the time. */
const ofTheMoment = ['date', 'server', 'connection', 'keep-alive', 'ratelimit']

function reported(answer: Response): Record<string, string> {
  const headers = new Headers(answer.headers)
  for (const name of ofTheMoment) headers.delete(name)
  if (answer.status === 206) headers.delete('accept-ranges') // nginx omits it if it is implied
  return Object.fromEntries(headers)
}

void describe('size lg served by nginx', { skip: nginx === undefined && 'nginx is not installed' }, () => {
  /** Bytes of size lg read by Waymark itself. */
  let sentHere = 0
  let waymark: Waymark
  let front: Awaited<ReturnType<typeof startNginx>>
  const ids = { listed: 0, pending: 0, hidden: 0, damaged: 0 }
  let owner: Awaited<ReturnType<Waymark['addPerson']>>

  const noise = async (): Promise<Buffer> => {
    const raw = { width: 400, height: 300, channels: 3 } as const
    return sharp(randomBytes(400 * 300 * 3), { raw })
      .jpeg()
      .toBuffer()
  }

  before(async () => {
    waymark = await startWaymark({
      environment: { OFFLOAD: 'x-accel:/offload/', TRUST_PROXY: '127.0.0.1', PENDING_VIEW: 'owner' },
      wrapBlobs: (blobs) => ({
        ...blobs,
        read: async (key) => {
          const bytes = await blobs.read(key)
          if (key.endsWith('.lg')) sentHere += bytes?.length ?? 0
          return bytes
        },
        open: async (key) => {
          const blob = await blobs.open(key)
          if (blob === undefined) return undefined
          const stream = (start: number, end: number) => {
            sentHere += end - start + 1
            return blob.stream(start, end)
          }
          return { ...blob, stream }
        },
      }),
    })
    await waymark.addTrail(4711, 'Rim Trail')
    owner = await waymark.addPerson()
    const staff = await waymark.addPerson({ role: 'reviewer' })
    for (const name of ['listed', 'pending', 'hidden', 'damaged'] as const) {
      ids[name] = await waymark.upload(owner, 4711, await noise())
      const decision = { listed: 'approve', pending: undefined, hidden: 'reject', damaged: 'approve' }[name]
      if (decision !== undefined) await waymark.review(staff, ids[name], decision)
    }
    front = await startNginx(nginx ?? '', waymark)
  })
  after(async () => {
    await front?.stop()
    await waymark?.close()
  })

  /** The file of size lg with these bytes. */
  async function fileOf(bytes: Buffer): Promise<string> {
    const folder = path.join(waymark.dataDir, 'blobs/kept/rendition')
    for (const name of await readdir(folder, { recursive: true })) {
      const file = path.join(folder, name)
      if (name.endsWith('.lg') && bytes.equals(await readFile(file))) return file
    }
    return assert.fail('no such file')
  }

  const view = (name: keyof typeof ids, size = 'lg'): string => `/ImageHandler?id=${ids[name]}&t=${size}`

  /**
   * Requests from Waymark, then from nginx.
   * @returns the response, which must be the same.
   */
  async function ask(request: WireRequest, isLeftToNginx = true) {
    const from = async (url: string) => {
      const answer = await send(url, request)
      return { answer, body: Buffer.from(await answer.arrayBuffer()) }
    }
    const direct = await from(waymark.url)
    sentHere = 0
    const passed = await from(front.url)
    const context = JSON.stringify(request)
    if (isLeftToNginx) assert.equal(sentHere, 0, context)
    assert.equal(passed.answer.status, direct.answer.status, context)
    const isProblem = direct.answer.headers.get('content-type')?.startsWith('application/problem+json')
    // A problem contains its request id.
    if (isProblem) assert.equal(passed.body.length, direct.body.length)
    else assert.ok(passed.body.equals(direct.body), context)
    assert.deepEqual(reported(passed.answer), reported(direct.answer), context)
    assert.equal(passed.answer.headers.get('x-accel-redirect'), null)
    return passed
  }

  void test('C24–C27: full responses, HEAD, ranges and conditional requests get the same response as from Waymark itself', async () => {
    const whole = await ask({ path: view('listed') })
    const etag = whole.answer.headers.get('etag') ?? ''
    assert.equal(whole.answer.status, 200)
    assert.ok(whole.body.length > 10_000)
    assert.match(whole.answer.headers.get('content-security-policy') ?? '', /sandbox/)
    const origin = { origin: 'https://elsewhere.example' }
    await ask({ path: view('listed'), headers: origin })
    const head = await ask({ path: view('listed'), method: 'HEAD' }, false)
    assert.equal(head.answer.headers.get('content-length'), String(whole.body.length))
    assert.equal(head.body.length, 0)
    const rangeOfHead = { path: view('listed'), method: 'HEAD', headers: { range: 'bytes=0-99' } }
    assert.equal((await ask(rangeOfHead, false)).answer.status, 200)
    const { length } = whole.body
    const { mtime } = await stat(await fileOf(whole.body))
    const answers: [Record<string, string>, number][] = [
      [{ range: 'bytes=0-99' }, 206],
      [{ range: 'bytes=100-' }, 206],
      [{ range: 'bytes=-100' }, 206],
      [{ range: `bytes=0-${length * 2}` }, 206],
      [{ range: `bytes=-${length * 2}` }, 206],
      [{ range: `bytes=${length}-` }, 416],
      [{ range: 'bytes=0-9,20-29' }, 200],
      [{ range: 'lines=0-9' }, 200],
      [{ range: 'bytes=0-99', 'if-range': etag }, 206],
      [{ range: 'bytes=0-99', 'if-range': '"another"' }, 200],
      [{ range: 'bytes=0-99', 'if-range': new Date().toUTCString() }, 200],
      [{ 'if-none-match': etag }, 304],
      [{ 'if-none-match': '*' }, 304],
      [{ 'if-none-match': '"another"' }, 200],
      [{ 'if-none-match': etag, range: 'bytes=0-99' }, 304],
      [{ 'if-match': '"another"' }, 200],
      [{ 'if-unmodified-since': new Date(0).toUTCString() }, 200],
      [{ 'if-modified-since': mtime.toUTCString() }, 200],
    ]
    for (const [headers, status] of answers) {
      const isLeft = !('if-match' in headers || 'if-unmodified-since' in headers)
      const { answer } = await ask({ path: view('listed'), headers }, isLeft)
      assert.equal(answer.status, status, JSON.stringify(headers))
    }
  })

  void test('C25: nginx does not serve a photo to anyone who may not see it', async () => {
    for (const name of ['hidden', 'pending'] as const)
      assert.equal((await ask({ path: view(name) })).answer.status, 404)
    const headers = { authorization: `Bearer ${owner.token}` }
    const { answer } = await ask({ path: view('pending'), headers })
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('cache-control'), 'private, no-store')
    assert.equal(answer.headers.get('x-robots-tag'), 'noindex')
    assert.match(answer.headers.get('vary') ?? '', /Authorization/)
  })

  void test('C27: a truncated photo file is repaired before nginx sends it', async () => {
    const { body } = await ask({ path: view('damaged') })
    const file = await fileOf(body)
    await storeAsBefore(waymark.installation, path.basename(file, '.lg')) // otherwise it cannot be repaired
    await truncate(file, 100)
    const answer = await send(front.url, { path: view('damaged') })
    assert.ok(Buffer.from(await answer.arrayBuffer()).equals(body))
  })

  void test('other sizes, spellings and paths are not offloaded to nginx, even with forged headers', async () => {
    for (const size of ['sm', '150', 'md', '640', '%6cg']) await ask({ path: view('listed', size) }, false)
    const forged = {
      'x-sendfile-type': 'X-Accel-Redirect',
      'x-accel-mapping': '/=/',
      'x-accel-redirect': '/x',
    }
    await ask({ path: view('listed', 'sm'), headers: forged }, false)
    await ask({ path: '/health/live', headers: forged }, false)
  })

  void test('forged headers gain a client nothing, and no path leads out of the folder', async () => {
    const whole = await ask({ path: view('listed') })
    const { length } = whole.body
    const asked = { 'x-sendfile-type': 'X-Accel-Redirect' }
    const bytesOf = async (answer: Response) => (await answer.arrayBuffer()).byteLength
    const direct = await send(waymark.url, { path: view('listed'), headers: asked })
    assert.deepEqual([await bytesOf(direct), direct.headers.get('x-accel-redirect')], [length, null])
    for (const value of ['x-sendfile', 'X-Accel-Redirect, X-Accel-Redirect', '/etc/passwd']) {
      const headers = { 'x-sendfile-type': value, 'x-forwarded-for': '192.0.2.1' }
      assert.equal(await bytesOf(await send(waymark.url, { path: view('listed'), headers })), length, value)
    }
    // A client that imitates the proxy gets an empty body, and a path that only nginx can resolve.
    const headers = { ...asked, 'x-forwarded-for': '192.0.2.1', 'x-accel-mapping': '/=/../../' }
    const forged = await send(waymark.url, { path: view('listed'), headers })
    const place = forged.headers.get('x-accel-redirect') ?? ''
    assert.equal(await bytesOf(forged), 0)
    assert.match(place, /^\/offload\/rendition\/[0-9a-f]{2}\/[0-9a-f]{64}\.lg$/)
    const secret = await readFile(path.join(waymark.dataDir, 'secret'))
    const ways = [
      place,
      '/offload/rendition/',
      place.replace('rendition', 'original').slice(0, -3),
      ...['..', '../..', '%2e%2e', '..%2f..', '%2e%2e%2f%2e%2e%2f%2e%2e', '../../../..'].flatMap((up) => [
        `/offload/rendition/${up}/secret`,
        `/offload/rendition${up}/secret`,
        `/offload/${up}/secret`,
      ]),
    ]
    for (const way of ways) {
      const answer = await send(front.url, { path: way })
      assert.ok([400, 404].includes(answer.status), `${way} ${answer.status}`)
      assert.ok(!Buffer.from(await answer.arrayBuffer()).includes(secret), way)
    }
  })
})

void test('a request that did not come through a trusted proxy gets the photo itself, whatever its headers say', async () => {
  const environment = { OFFLOAD: 'x-accel:/offload/', TRUST_PROXY: '192.0.2.0/24' }
  const waymark = await startWaymark({ environment })
  after(() => waymark.close())
  await waymark.addTrail(4711, 'Rim Trail')
  const owner = await waymark.addPerson()
  const raw = { width: 40, height: 30, channels: 3, background: 'green' } as const
  const id = await waymark.upload(owner, 4711, await sharp({ create: raw }).jpeg().toBuffer())
  const headers = { 'x-sendfile-type': 'X-Accel-Redirect', 'x-forwarded-for': '192.0.2.7' }
  const answer = await send(waymark.url, { path: `/ImageHandler?id=${id}&t=lg`, headers })
  assert.equal(answer.headers.get('x-accel-redirect'), null)
  assert.ok((await answer.arrayBuffer()).byteLength > 100)
})
