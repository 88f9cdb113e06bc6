// What a page of the app weighs before anything is drawn, as gzip sends it: the budget of design page ux.md, page by page.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

const folder = path.resolve(import.meta.dirname, '../../dist/web')

/** `later`: for the pages of people who have signed in and come back, which the design page leaves open. */
const most = { js: 175_000, later: 290_000, css: 40_000, map: 380_000, worker: 150_000 }

/** What somebody may see first: the trails, a gallery or a photo behind a link, a guide. */
const firstPages = /^pages\/(trails|gallery|docs)\/[^/]*$/

interface Chunk {
  readonly file: string
  readonly imports?: readonly string[]
  readonly css?: readonly string[]
  readonly assets?: readonly string[]
  readonly isEntry?: boolean
}

type Manifest = Readonly<Record<string, Chunk>>

/** Of the files of the build. */
async function bytesOf(files: Iterable<string>): Promise<number> {
  const sizes = await Promise.all(
    [...files].map(async (file) => (await promisify(gzip)(await readFile(path.join(folder, file)))).length),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** The chunk with whatever it imports, all of which a browser waits for. */
function closure(manifest: Manifest, names: readonly string[]): readonly Chunk[] {
  const seen = new Set<string>()
  const open = [...names]
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (seen.has(name)) continue
    seen.add(name)
    open.push(...(manifest[name]?.imports ?? []))
  }
  return [...seen].flatMap((name) => manifest[name] ?? [])
}

async function readManifest(): Promise<Manifest> {
  const text = await readFile(path.join(folder, '.vite/manifest.json'), 'utf8')
  return JSON.parse(text) as Manifest
}

void describe('the weight of the app', async () => {
  const manifest = await readManifest()
  const pages = Object.keys(manifest).filter((name) => /^pages\/.*-page\.tsx$/.test(name))
  const entry = Object.keys(manifest).find((name) => manifest[name]?.isEntry) ?? ''

  void test('every page is a chunk of its own', () => assert.equal(pages.length, 13, pages.join(', ')))

  for (const page of pages) {
    const maxJs = firstPages.test(page) ? most.js : most.later
    void test(`${page}: at most ${maxJs / 1_000} kB of scripts and ${most.css / 1_000} kB of styles`, async (t) => {
      const chunks = closure(manifest, [entry, page])
      const js = await bytesOf(chunks.map(({ file }) => file))
      const css = await bytesOf(new Set(chunks.flatMap(({ css = [] }) => css)))
      t.diagnostic(`${js} bytes of scripts, ${css} of styles`)
      assert.ok(js <= maxJs, `${js} bytes of scripts`)
      assert.ok(css <= most.css, `${css} bytes of styles`)
      assert.ok(!chunks.some(({ file }) => /map-canvas|uplot|countries/i.test(file)), 'it waits for the map')
    })
  }

  void test('the map, which comes later: its scripts, and its worker', async (t) => {
    const map = Object.values(manifest).find(({ file }) => /map-canvas-[^/]*\.js$/.test(file))
    assert.ok(map, 'there is no chunk of the map')
    const js = await bytesOf([map.file])
    const worker = await bytesOf(map.assets ?? [])
    t.diagnostic(`${js} bytes, worker ${worker}`)
    assert.ok(js <= most.map, `${js} bytes`)
    const names = closure(manifest, ['map/map-canvas.tsx']).map(({ file }) => file)
    assert.ok(!names.some((file) => file.includes('pmtiles')), 'PMTiles is for sites that have such a map')
    assert.ok(worker > 0 && worker <= most.worker, `worker ${worker} bytes`)
  })
})
