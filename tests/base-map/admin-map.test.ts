// Choosing the map as an admin while the server runs: what pages get, what their policy allows, and what is refused.
import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { SiteMap } from '../../src/shared/v2/site-map-schemas.ts'
import type { SiteInfo } from '../../src/shared/v2/site-schemas.ts'
import { archiveOf, plainTile, tilesOf } from '../helpers/archives.ts'
import { makeTinyApp } from '../helpers/tiny-app.ts'
import { addSignedIn } from '../helpers/visitor.ts'
import { startWaymark, type Waymark } from '../helpers/waymark.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

const json =
  (document: unknown, headers: Record<string, string> = {}): Answer =>
  (_request, response) =>
    response
      .writeHead(200, { 'access-control-allow-origin': '*', ...headers })
      .end(typeof document === 'string' ? document : JSON.stringify(document))

const style = {
  version: 8,
  glyphs: 'https://fonts.example/{fontstack}/{range}.pbf',
  sources: { land: { type: 'vector', url: '/land.json' } },
  layers: [],
}

const serverApp = `export const render = async () => ({ html: '<p>rendered</p>', state: '{}' })\n`

void describe('PUT /v2/admin/map', () => {
  let waymark: Waymark
  let folder: string
  let eve: Awaited<ReturnType<typeof addSignedIn>>
  let origin: string
  let tiles: Readonly<Record<string, Answer>> = {}
  const server = createServer((request, response) => {
    const answer = tiles[request.url ?? '']
    if (answer) answer(request, response)
    else response.writeHead(404).end()
  })

  before(async () => {
    folder = await makeTinyApp()
    // Only pages that could be rendered are kept.
    await mkdir(path.join(folder, 'server'))
    await writeFile(path.join(folder, 'server', 'server.js'), serverApp)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    waymark = await startWaymark({
      webFolder: folder,
      environment: { WEB_APP: 'on', WEBHOOK_ALLOW: '127.0.0.1' },
    })
    eve = await addSignedIn(waymark, 'admin')
  })
  beforeEach(() => {
    tiles = {
      '/style.json': json(style),
      '/land.json': json({ tiles: ['https://cdn.example/{z}/{x}/{y}.pbf'] }),
    }
  })
  after(async () => {
    await waymark.close()
    server.close()
    await rm(folder, { recursive: true })
  })

  const reported = async () => ((await (await waymark.fetch('/v2/site')).json()) as SiteInfo).map
  const policy = async () => (await waymark.fetch('/')).headers.get('content-security-policy') ?? ''
  const shown = async () => JSON.parse((await eve.call('GET', '/v2/admin/map')).text) as SiteMap
  async function choose(choice: unknown): Promise<SiteMap> {
    const answer = await eve.call('PUT', '/v2/admin/map', choice)
    assert.equal(answer.status, 200, answer.text)
    return JSON.parse(answer.text) as SiteMap
  }
  async function refusedBecause(choice: unknown): Promise<string> {
    const answer = await eve.call('PUT', '/v2/admin/map', choice)
    assert.equal(answer.status, 400, answer.text)
    return (JSON.parse(answer.text) as { detail: string }).detail
  }

  it('with no choice and no file: land shapes only', async () => {
    assert.deepEqual(await shown(), {
      choice: { kind: 'none' },
      changedAt: null,
      setting: { kind: 'none' },
      origins: [],
      trouble: null,
      files: { base: null, terrain: null },
      trailsBox: null,
    })
    assert.deepEqual(await reported(), { pmtiles: null, terrain: null, styleUrl: null })
    assert.match(await policy(), /; connect-src 'self';/)
  })

  it('a style applies from the next request on, and cached pages allow what it loads', async () => {
    await policy() // kept from now on
    const answered = waymark.app.answersFromMemory()
    await policy()
    assert.equal(waymark.app.answersFromMemory(), answered + 1)
    const url = `${origin}/style.json`
    const map = await choose({ kind: 'style', url })
    const origins = [origin, 'https://fonts.example', 'https://cdn.example']
    assert.deepEqual([map.choice, map.origins, map.trouble], [{ kind: 'style', url }, origins, null])
    assert.equal(map.changedAt, new Date(waymark.system.now()).toISOString())
    assert.equal((await reported()).styleUrl, url)
    const now = await policy()
    assert.ok(now.includes(`connect-src 'self' ${origins.join(' ')};`), now)
    assert.ok(now.includes(`img-src 'self' data: blob: ${origins.join(' ')};`), now)
    const audit = await eve.call('GET', '/v2/admin/audit?action=setting.changed')
    assert.match(audit.text, /"choice":"map"/)
  })

  it('a style that cannot be read later, or loads from elsewhere, is reported in one sentence', async () => {
    const url = `${origin}/style.json`
    await choose({ kind: 'style', url })
    tiles = {}
    waymark.system.advance(299_000)
    assert.equal((await shown()).trouble, null, 'it is not asked all the time')
    waymark.system.advance(2_000)
    assert.match(
      (await shown()).trouble ?? '',
      /^The map style .* could not be checked from this server: answers 404\. /,
    )
    tiles = { '/style.json': json({ ...style, sources: {}, sprite: 'https://sprites.example/s' }) }
    waymark.system.advance(301_000)
    assert.match(
      (await shown()).trouble ?? '',
      /loads from https:\/\/sprites\.example, which .*: choose it again/,
    )
    assert.equal((await reported()).styleUrl, url, 'it stays chosen')
  })

  it('unusable values are refused with one sentence, and change nothing', async () => {
    await choose({ kind: 'none' })
    const of = async (answer: Answer): Promise<string> => {
      tiles = { '/style.json': answer }
      return refusedBecause({ kind: 'style', url: `${origin}/style.json` })
    }
    const named = (glyphs: string) => of(json({ ...style, sources: {}, glyphs }))
    const cases: readonly (readonly [string, RegExp])[] = [
      [await of((_request, response) => response.writeHead(500).end()), /it answers 500\.$/],
      [await of(json('<html>')), /is not a JSON object/],
      [await of(json({ version: 8 })), /is not a map style/],
      [
        await of(json(style, { 'access-control-allow-origin': 'https://other.example' })),
        /does not let pages of/,
      ],
      [await of(json(`"${'x'.repeat(5 * 1024 ** 2)}"`)), /is longer than 4 MB/],
      [await of((_request, response) => response.destroy()), /is on 127\.0\.0\.1, which cannot be reached/],
      [
        await of((_request, response) => response.writeHead(302, { location: '/style.json' }).end()),
        /redirects more than 3 times/,
      ],
      [
        await of((_request, response) => response.writeHead(302, { location: 'https://10.0.0.1/' }).end()),
        /is in a private or reserved network/,
      ],
      [
        await of(json({ ...style, sources: { far: { url: 'https://192.168.0.1/tiles.json' } } })),
        /is in a private or reserved network/,
      ],
      [await named('http://fonts.example/a'), /loads from http:\/\/fonts\.example, which is not https/],
      [await named('https://[2606:4700::1]/a'), /cannot be named in a policy/],
      [await named('https://10.1.2.3/a'), /loads from https:\/\/10\.1\.2\.3, which is in a private/],
      [
        await refusedBecause({ kind: 'style', url: 'https://192.168.1.1/style.json' }),
        /is in a private or reserved network/,
      ],
      [await refusedBecause({ kind: 'style', url: 'file:///etc/passwd' }), /must be an https URL/],
      [await refusedBecause({ kind: 'style', url: 'nonsense' }), /field url must be an https URL/],
      [await refusedBecause({ kind: 'style' }), /field url must be an https URL/],
      [await refusedBecause({ kind: 'none', url: 'https://tiles.example' }), /only for the kind style/],
      [
        await refusedBecause({ kind: 'file' }),
        /no map file at .*base\.pmtiles: make one with "waymark map extract"/,
      ],
    ]
    for (const [sentence, expected] of cases) {
      assert.match(sentence, expected)
      assert.match(sentence, /^[^\n]+\.$/)
    }
    assert.deepEqual((await shown()).choice, { kind: 'none' })
  })

  it('a map file is described and shown, but not mentioned where none is chosen', async () => {
    const files = path.join(waymark.dataDir, 'map')
    await mkdir(files)
    const file = path.join(files, 'base.pmtiles')
    await writeFile(file, 'no archive')
    assert.match(await refusedBecause({ kind: 'file' }), /cannot be used: It is not a PMTiles archive\./)
    await writeFile(file, archiveOf(tilesOf(0, 3, plainTile)))
    await writeFile(path.join(files, 'terrain.pmtiles'), archiveOf(tilesOf(0, 2, plainTile), { tileType: 4 }))
    const { files: found, choice } = await choose({ kind: 'file' })
    assert.deepEqual(choice, { kind: 'file' })
    assert.deepEqual(
      [found.base?.path, found.base?.trouble, found.base?.content],
      [
        file,
        null,
        { tiles: 'vector', minZoom: 0, maxZoom: 3, bounds: [-180, -85, 180, 85], attribution: '© the test' },
      ],
    )
    assert.deepEqual([found.terrain?.content?.tiles, found.terrain?.content?.maxZoom], ['images', 2])
    const { pmtiles, terrain, styleUrl } = await reported()
    assert.match(`${pmtiles} ${terrain}`, /map\/base\.pmtiles\?v=\S+ \S+map\/terrain\.pmtiles\?v=/)
    assert.equal(styleUrl, null)
    assert.match(await policy(), /; connect-src 'self';/, 'what a style named is forgotten')
    await choose({ kind: 'none' })
    assert.deepEqual(await reported(), { pmtiles: null, terrain: null, styleUrl: null })
  })

  it('an older choice overwrites nothing, and unchanged data is not sent again', async () => {
    await choose({ kind: 'none' })
    const etag = (await eve.call('GET', '/v2/admin/map')).headers.get('etag') ?? ''
    const again = await eve.call('GET', '/v2/admin/map', undefined, { 'if-none-match': etag })
    assert.equal(again.status, 304)
    const url = `${origin}/style.json`
    const first = await eve.call('PUT', '/v2/admin/map', { kind: 'style', url }, { 'if-match': etag })
    assert.equal(first.status, 200, first.text)
    for (const late of [{ kind: 'none' }, { kind: 'nothing' }])
      assert.equal((await eve.call('PUT', '/v2/admin/map', late, { 'if-match': etag })).status, 412)
    assert.equal((await shown()).choice.kind, 'style')
  })

  it('is for admins only, and cannot be changed in read-only mode', async () => {
    const ann = await addSignedIn(waymark, 'reviewer')
    assert.equal((await ann.call('GET', '/v2/admin/map')).status, 403)
    assert.equal((await ann.call('PUT', '/v2/admin/map', { kind: 'none' })).status, 403)
    assert.equal((await waymark.fetch('/v2/admin/map')).status, 401)
  })
})

void describe('the map from the settings', () => {
  it('applies until an admin chooses', async () => {
    const waymark = await startWaymark({
      environment: {
        MAP_STYLE_URL: 'https://127.0.0.1:9/style.json',
        MAP_STYLE_ORIGINS: 'https://fonts.example',
      },
    })
    try {
      const eve = await addSignedIn(waymark, 'admin')
      const setting = { kind: 'style', url: 'https://127.0.0.1:9/style.json' }
      const shown = async () => JSON.parse((await eve.call('GET', '/v2/admin/map')).text) as SiteMap
      const before = await shown()
      assert.deepEqual([before.choice, before.setting, before.changedAt], [setting, setting, null])
      assert.deepEqual(before.origins, ['https://127.0.0.1:9', 'https://fonts.example'])
      await eve.call('PUT', '/v2/admin/map', { kind: 'none' })
      const after = await shown()
      assert.deepEqual([after.choice, after.setting, after.origins], [{ kind: 'none' }, setting, []])
      const { map } = (await (await waymark.fetch('/v2/site')).json()) as SiteInfo
      assert.equal(map.styleUrl, null)
    } finally {
      await waymark.close()
    }
  })
})
