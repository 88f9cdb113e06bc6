// GeoJSON can be read in parts (GDAL's /vsicurl/): GET and HEAD have its length, and ranges are supported.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { after, before, describe, it, test } from 'node:test'
import { promisify } from 'node:util'
import { createMeasuredBodies } from '../../src/http/measured-bodies.ts'
import { jsonForm, gpxOf } from '../account-routes/route-client.ts'
import { newFolder } from '../helpers/folders.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { assertProblem } from '../helpers/problems.ts'
import { whyMissing } from '../helpers/tools.ts'
import { startWaymark, type Person, type Waymark } from '../helpers/waymark.ts'
import { send } from '../helpers/wire.ts'

const run = promisify(execFile)

/** Long enough that the collection of all trails uses a file. */
const pointsOfLine = 20_000
const lineOf = (id: number): object => ({
  type: 'LineString',
  coordinates: Array.from({ length: pointsOfLine }, (_, at) => [8 + id / 100, 46 + at / pointsOfLine]),
})

describe('GeoJSON files', () => {
  let waymark: Waymark
  let ana: Person
  let key: string
  let routeId: string
  const files = (): readonly (readonly [path: string, headers: Record<string, string>])[] => {
    const apiKey = { 'x-api-key': key }
    return [
      ['/v2/trails.geojson', apiKey],
      ['/v2/trails/1.geojson', apiKey],
      ['/v2/trails/7/images.geojson', apiKey],
      [`/v2/routes/${routeId}.geojson`, { authorization: `Bearer ${ana.token}` }],
      [`/v2/routes/${routeId}.geojson`, {}],
    ]
  }

  before(async () => {
    waymark = await startWaymark()
    ana = await waymark.addPerson({ role: 'admin' })
    key = await waymark.addKey(ana.accountId)
    const features = [1, 2, 3, 4].map((id) => ({
      type: 'Feature',
      properties: { trailID: id, name: `Trail ${id} – Höhenweg` },
      geometry: lineOf(id),
    }))
    const imported = await waymark.fetch('/v2/admin/trails/import', {
      method: 'POST',
      token: ana.token,
      headers: { 'content-type': 'application/geo+json' },
      body: JSON.stringify({ type: 'FeatureCollection', features }),
    })
    assert.equal(imported.status, 200, await imported.text())
    await waymark.addTrail(7, 'Ümläute')
    const imageId = await waymark.upload(ana, 7, await jpegPicture())
    await waymark.review(ana, imageId, 'approve')
    const line = Array.from({ length: 300 }, (_, at) => `45.${1000 + at},7`)
    const made = await waymark.fetch(`/Accounts/${ana.accountId}/Routes`, {
      method: 'POST',
      token: ana.token,
      headers: { 'content-type': 'application/json' },
      body: jsonForm.many({ name: 'Grüße', gpx: gpxOf(...line) }),
    })
    routeId = await made.text()
    const patched = await waymark.fetch(`/v2/routes/${routeId}`, {
      method: 'PATCH',
      token: ana.token,
      headers: { 'content-type': 'application/json' },
      body: '{"visibility":"public"}',
    })
    assert.equal(patched.status, 200, await patched.text())
  })
  after(() => waymark.close())

  const ask = (at: string, headers: Record<string, string>, method = 'GET'): Promise<Response> =>
    send(waymark.url, { method, path: at, headers })

  it('has its length for GET and HEAD, compressed or not', async () => {
    for (const [at, credential] of files())
      for (const coding of ['', 'gzip', 'gzip, deflate, br, zstd']) {
        const headers = { ...credential, ...(coding === '' ? {} : { 'accept-encoding': coding }) }
        const get = await ask(at, headers)
        assert.equal(get.status, 200, at)
        const length = (await get.arrayBuffer()).byteLength
        assert.equal(get.headers.get('content-length'), String(length), `${at} ${coding}`)
        assert.equal(get.headers.get('transfer-encoding'), null, at)
        assert.equal(get.headers.get('accept-ranges'), 'bytes', at)
        const head = await ask(at, headers, 'HEAD')
        for (const name of ['content-length', 'accept-ranges', 'etag', 'content-type', 'content-encoding'])
          assert.equal(head.headers.get(name), get.headers.get(name), `${at} ${coding} ${name}`)
        const known = await ask(at, { ...headers, 'if-none-match': get.headers.get('etag') ?? '' })
        assert.equal(known.status, 304, at)
      }
  })

  it('is sent in ranges that add up to the whole', async () => {
    for (const [at, credential] of files()) {
      const whole = Buffer.from(await (await ask(at, credential)).arrayBuffer())
      const half = Math.floor(whole.length / 2)
      const parts: Buffer[] = []
      for (const range of [`bytes=0-${half}`, `bytes=${half + 1}-`]) {
        const part = await ask(at, { ...credential, range, 'accept-encoding': 'gzip' })
        assert.equal(part.status, 206, at)
        assert.equal(part.headers.get('content-encoding'), null, at)
        parts.push(Buffer.from(await part.arrayBuffer()))
        assert.equal(part.headers.get('content-length'), String(parts.at(-1)?.length))
        assert.match(part.headers.get('content-range') ?? '', new RegExp(`^bytes \\d+-\\d+/${whole.length}$`))
      }
      assert.ok(Buffer.concat(parts).equals(whole), at)
      const beyond = await ask(at, { ...credential, range: `bytes=${whole.length}-` })
      assert.equal(beyond.headers.get('content-range'), `bytes */${whole.length}`)
      await assertProblem(beyond, 'range-not-satisfiable', at)
      const old = await ask(at, { ...credential, range: 'bytes=0-9', 'if-range': '"other"' })
      assert.equal(old.status, 200, at)
      await old.arrayBuffer()
    }
  })

  it('is read by GDAL', { skip: whyMissing('ogrinfo') }, async () => {
    for (const [at, count] of [
      ['/v2/trails.geojson', 5],
      ['/v2/trails/1.geojson', 1],
      ['/v2/trails/7/images.geojson', 1],
      [`/v2/routes/${routeId}.geojson`, 1],
    ] as const) {
      const address = `/vsicurl/${waymark.url}${at}?api_key=${key}`
      const { stdout } = await run('ogrinfo', ['-so', '-al', address])
      assert.match(stdout, new RegExp(`Feature Count: ${count}\\b`), at)
    }
  })
})

void test('a body is collected in memory or in a file, or sent as it is built', async (t) => {
  const folder = path.join(await newFolder(t), 'spool')
  const maxMemoryBytes = 64 * 1024
  const bodies = createMeasuredBodies({ folder, maxMemoryBytes, maxFileBytes: 1024 ** 2 })
  const textOf = async (sent: AsyncIterable<unknown> | Buffer): Promise<string> =>
    Buffer.isBuffer(sent)
      ? sent.toString()
      : Buffer.concat(await Array.fromAsync(sent as AsyncIterable<Buffer>)).toString()
  const chunksOf = (length: number): string[] =>
    Array.from({ length: length / 1_000 }, (_, at) => `${at}ü`.padEnd(999, '.'))
  for (const [length, isMeasured] of [
    [0, true],
    [10_000, true],
    [65_000, true],
    [900_000, true],
    [3_000_000, false],
  ] as const) {
    const chunks = chunksOf(length)
    const text = chunks.join('')
    const body = await bodies.gather(chunks)
    assert.equal(body.bytes, isMeasured ? length : undefined, String(length))
    assert.equal(await textOf(body.read()), text, String(length))
  }
  // The files have no name, and their space is freed: the same amount fits again.
  assert.deepEqual(await readdir(folder), [])
  for (let time = 0; time < 3; time += 1) {
    const kept = await bodies.gather(chunksOf(900_000))
    assert.equal(kept.bytes, 900_000)
    const beside = await bodies.gather(chunksOf(900_000))
    assert.equal(beside.bytes, undefined)
    assert.equal(await textOf(beside.read()), chunksOf(900_000).join(''))
    if (time === 0) kept.discard()
    else assert.equal((await textOf(kept.read({ start: 70_000, end: 80_999 }))).length > 10_000, true)
  }
  assert.equal((await stat(folder)).isDirectory(), true)
  const failing = (function* failing() {
    yield* chunksOf(200_000)
    throw new Error('the database is gone')
  })()
  await assert.rejects(bodies.gather(failing), /the database is gone/)
  assert.equal((await bodies.gather(chunksOf(900_000))).bytes, 900_000)
})
