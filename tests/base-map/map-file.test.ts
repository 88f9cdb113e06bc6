// The operator's base map and terrain: complete and in ranges, as PMTiles readers request them.
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { parentOfFolders } from '../helpers/folders.ts'
import { startWaymark, type Waymark } from '../helpers/waymark.ts'

void describe('/map/base.pmtiles', () => {
  let waymark: Waymark
  let folder: string
  const bytes = Buffer.concat([Buffer.from('PMTiles'), Buffer.alloc(300_000, 'map')])

  before(async () => {
    folder = await mkdtemp(path.join(parentOfFolders(), 'waymark-map-'))
    const file = path.join(folder, 'base.pmtiles')
    await writeFile(file, bytes)
    waymark = await startWaymark({ environment: { MAP_PMTILES: file } })
  })
  after(async () => {
    await waymark.close()
    await rm(folder, { recursive: true })
  })

  const ask = (headers: Record<string, string> = {}, query = '') =>
    waymark.fetch(`/map/base.pmtiles${query}`, { headers })

  it('sends the requested range, with an ETag that identifies the file', async () => {
    const answer = await ask({ range: 'bytes=5-9' })
    assert.equal(answer.status, 206)
    assert.equal(answer.headers.get('content-range'), `bytes 5-9/${bytes.length}`)
    assert.equal(answer.headers.get('content-length'), '5')
    assert.equal(answer.headers.get('accept-ranges'), 'bytes')
    assert.equal(await answer.text(), 'esmap')
    const etag = answer.headers.get('etag') ?? ''
    assert.equal((await ask({ 'if-none-match': etag })).status, 304)
    assert.equal((await ask({ range: 'bytes=5-9', 'if-range': etag })).status, 206)
    assert.equal((await ask({ range: 'bytes=5-9', 'if-range': '"other"' })).status, 200)
    assert.equal((await ask({ range: `bytes=${bytes.length}-` })).status, 416)
  })

  it('sends the whole file, and is cached for good under the URL with the version', async () => {
    const answer = await ask()
    assert.ok(Buffer.from(await answer.arrayBuffer()).equals(bytes))
    assert.equal(answer.headers.get('cache-control'), 'public, no-cache')
    const { map } = (await (await waymark.fetch('/v2/site')).json()) as { map: { pmtiles: string } }
    const named = await ask({}, new URL(map.pmtiles).search)
    assert.equal(named.headers.get('cache-control'), 'public, max-age=31536000, immutable')
    const head = await waymark.fetch('/map/base.pmtiles', { method: 'HEAD' })
    assert.equal(head.headers.get('content-length'), String(bytes.length))
  })

  it('without the setting, or without the file, is 404', async () => {
    await rm(path.join(folder, 'base.pmtiles'))
    assert.equal((await ask()).status, 404)
    const other = await startWaymark()
    try {
      for (const name of ['base', 'terrain'])
        assert.equal((await other.fetch(`/map/${name}.pmtiles`)).status, 404)
    } finally {
      await other.close()
    }
  })

  it('without the setting, files in the data folder are served as soon as they exist', async () => {
    const other = await startWaymark()
    const mapsOf = async () => {
      const { map } = (await (await other.fetch('/v2/site')).json()) as { map: Record<string, string | null> }
      return map
    }
    try {
      assert.deepEqual(await mapsOf(), { pmtiles: null, terrain: null, styleUrl: null })
      await mkdir(path.join(other.dataDir, 'map'))
      for (const [name, field] of [
        ['base', 'pmtiles'],
        ['terrain', 'terrain'],
      ] as const) {
        await writeFile(path.join(other.dataDir, 'map', `${name}.pmtiles`), `PMTiles ${name}`)
        const address = new URL((await mapsOf())[field] ?? '')
        const answer = await other.fetch(`${address.pathname}${address.search}`, {
          headers: { range: 'bytes=8-' },
        })
        assert.deepEqual([answer.status, await answer.text()], [206, name])
        assert.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable')
      }
    } finally {
      await other.close()
    }
  })
})
