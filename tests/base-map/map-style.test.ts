// A map style of another origin is compared with what our pages may load, for doctor, the log and admins.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { originsOfStyle, troubleWithStyle } from '../../src/base-map/map-style.ts'
import { createReader, type Send } from '../../src/base-map/read-json.ts'

const ours = 'https://trails.example'
const url = 'https://tiles.example/style.json'

const style = {
  version: 8,
  glyphs: 'https://fonts.example/{fontstack}/{range}.pbf',
  sprite: [{ id: 'default', url: 'sprites/default' }],
  sources: {
    land: { type: 'vector', url: 'land.json' },
    hills: { type: 'raster-dem', tiles: ['https://trails.example/hills/{z}/{x}/{y}.png'] },
    inline: { type: 'geojson', data: { type: 'FeatureCollection', features: [] } },
  },
  layers: [],
}

const answers: Readonly<Record<string, unknown>> = {
  'https://tiles.example/style.json': style,
  'https://tiles.example/land.json': { tiles: ['https://cdn.example/{z}/{x}/{y}.pbf'] },
  'https://tiles.example/page.json': { title: 'no style' },
}

const asked: string[] = []
const send =
  (headers: Record<string, string> = { 'access-control-allow-origin': '*' }): Send =>
  async (address) => {
    asked.push(address)
    const body = answers[address]
    return body === undefined
      ? new Response('', { status: 404, headers })
      : new Response(JSON.stringify(body), { headers })
  }

void test('names what the style loads from other servers, including through the descriptions of its sources', async () => {
  const read = createReader(ours, send())
  const named = ['https://tiles.example', 'https://fonts.example', ours, 'https://cdn.example']
  assert.deepEqual(await originsOfStyle(url, read), named)
  assert.deepEqual(asked, ['https://tiles.example/style.json', 'https://tiles.example/land.json'])
  const shown = { url, allowed: [ours, 'https://tiles.example'], isChosen: false }
  const begin =
    "The map style https://tiles.example/style.json loads from https://fonts.example and https://cdn.example, which browsers block on this site's pages: "
  assert.equal(await troubleWithStyle(shown, read), `${begin}add them to MAP_STYLE_ORIGINS.`)
  assert.equal(
    await troubleWithStyle({ ...shown, isChosen: true }, read),
    `${begin}choose it again on the admin page to allow them.`,
  )
  assert.equal(await troubleWithStyle({ ...shown, allowed: named }, read), undefined)
})

void test('says why a style cannot be read: no response, an error, no style, or blocked by CORS', async () => {
  const of = (fetched: Send, address = url) =>
    troubleWithStyle({ url: address, allowed: [], isChosen: false }, createReader(ours, fetched))
  const refused = async (): Promise<Response> => Promise.reject(new TypeError('fetch failed'))
  assert.match((await of(refused)) ?? '', /could not be checked from this server: fetch failed\./)
  assert.match((await of(send(), 'https://tiles.example/other.json')) ?? '', /answers 404/)
  assert.match((await of(send(), 'https://tiles.example/page.json')) ?? '', /is not a map style/)
  assert.match((await of(send({}))) ?? '', /does not let pages of https:\/\/trails\.example read it/)
})

void test('a style or a description with thousands of URLs is refused before all are read', async () => {
  const tiles = Array.from({ length: 60_000 }, (_, at) => `https://cdn.example/${at}/{z}/{x}/{y}.pbf`)
  const styleOf = (source: object) => ({
    version: 8,
    sources: { land: { type: 'vector', ...source } },
    layers: [],
  })
  const documents: Readonly<Record<string, Record<string, unknown>>> = {
    [url]: styleOf({ tiles }),
    'https://tiles.example/other.json': styleOf({ url: 'land.json' }),
    'https://tiles.example/land.json': { tiles },
  }
  const read = async (address: string) => ({ document: documents[address] ?? {}, address })
  for (const address of [url, 'https://tiles.example/other.json'])
    await assert.rejects(originsOfStyle(address, read), /^Error: names more than 2000 addresses$/)
})
