// A map style of another origin is held against what our pages may load, for doctor and the log.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeMapStyle } from '../../src/web-app/map-style.ts'

const settings = {
  publicUrl: 'https://trails.example/photos',
  imageHandlerUrl: 'https://trails.example/photos/ImageHandler',
  mapStyleUrl: 'https://tiles.example/style.json',
  mapStyleOrigins: [] as readonly string[],
}

const style = {
  version: 8,
  glyphs: 'https://fonts.example/{fontstack}/{range}.pbf',
  sprite: [{ id: 'default', url: 'sprites/default' }],
  sources: {
    land: { type: 'vector', url: 'land.json' },
    hills: { type: 'raster-dem', tiles: ['https://trails.example/hills/{z}/{x}/{y}.png'] },
    inline: { type: 'geojson', data: { type: 'FeatureCollection', features: [] } },
  },
}

const answers: Readonly<Record<string, unknown>> = {
  'https://tiles.example/style.json': style,
  'https://tiles.example/land.json': { tiles: ['https://cdn.example/{z}/{x}/{y}.pbf'] },
}

const asked: string[] = []
const send =
  (headers: Record<string, string> = { 'access-control-allow-origin': '*' }) =>
  async (url: string): Promise<Response> => {
    asked.push(url)
    const body = answers[url]
    return body === undefined
      ? new Response('', { status: 404, headers })
      : new Response(JSON.stringify(body), { headers })
  }

void test('names what the style loads from elsewhere, also by the descriptions of its sources', async () => {
  const { isFine, sentence } = await judgeMapStyle(settings, send())
  assert.equal(isFine, false)
  assert.equal(
    sentence,
    "The map style https://tiles.example/style.json loads from https://fonts.example and https://cdn.example, which browsers block on this site's pages: add them to MAP_STYLE_ORIGINS.",
  )
  assert.deepEqual(asked, ['https://tiles.example/style.json', 'https://tiles.example/land.json'])
  const mapStyleOrigins = ['https://fonts.example', 'https://cdn.example']
  assert.equal((await judgeMapStyle({ ...settings, mapStyleOrigins }, send())).isFine, true)
})

void test('says why a style cannot be read: no answer, a refusal, or one that no page may read', async () => {
  const of = async (fetched: Parameters<typeof judgeMapStyle>[1], mapStyleUrl = settings.mapStyleUrl) =>
    (await judgeMapStyle({ ...settings, mapStyleUrl }, fetched)).sentence
  const refused = async (): Promise<Response> => Promise.reject(new TypeError('fetch failed'))
  assert.match(await of(refused), /could not be checked from this server: fetch failed\./)
  assert.match(await of(send(), 'https://tiles.example/other.json'), /answers 404/)
  assert.match(await of(send({})), /does not let pages of https:\/\/trails\.example read it/)
})
