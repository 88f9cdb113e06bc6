// What a page of the app weighs before anything is drawn, as it is sent: the budget of design page ux.md, page by page.
// What a first visit fetches after that is measured in a browser: tests/browser/page-weight.test.ts.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, test } from 'node:test'

const folder = path.resolve(import.meta.dirname, '../../dist/web')

/**
 * `later`: for the pages of people who have signed in and come back, which the design page leaves open. What they share
 * comes in few files (web/vite.config.ts), of which a page may not need all: fewer requests for some more bytes.
 */
const max = { js: 175_000, later: 260_000, css: 40_000, map: 260_000, worker: 150_000 }

/** What somebody may see first: the trails, a gallery or a photo behind a link, a guide. */
const firstPages = /^pages\/(trails|gallery|docs|docs\/api|routes\/public)\/[^/]*$/

interface Chunk {
  readonly file: string
  readonly imports?: readonly string[]
  readonly dynamicImports?: readonly string[]
  readonly css?: readonly string[]
  readonly assets?: readonly string[]
  readonly isEntry?: boolean
}

type Manifest = Readonly<Record<string, Chunk>>

/** Of the files of the build, in brotli, which the build leaves beside all but the shortest. */
async function bytesOf(files: Iterable<string>): Promise<number> {
  const sizes = await Promise.all(
    [...files].map(async (file) => {
      const whole = path.join(folder, file)
      return (await readFile(`${whole}.br`).catch(() => readFile(whole))).length
    }),
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

const languages = ['en', 'de'] as const

/** The words that the chunks load before they run, in the language in which they weigh most. */
async function bytesOfWords(manifest: Manifest, chunks: readonly Chunk[]): Promise<number> {
  const loaded = new Set(chunks.flatMap(({ dynamicImports = [] }) => dynamicImports))
  const sizes = await Promise.all(
    languages.map((language) => {
      const catalogues = [...loaded].filter((name) => name.startsWith(`strings/${language}/`))
      assert.ok(catalogues.length > 0, `no words in ${language}`)
      return bytesOf(closure(manifest, catalogues).map(({ file }) => file))
    }),
  )
  return Math.max(...sizes)
}

async function readManifest(): Promise<Manifest> {
  const text = await readFile(path.join(folder, '.vite/manifest.json'), 'utf8')
  return JSON.parse(text) as Manifest
}

void describe('the size of the app', async () => {
  const manifest = await readManifest()
  const pages = Object.keys(manifest).filter((name) => /^pages\/.*-page\.tsx$/.test(name))
  const entry = Object.keys(manifest).find((name) => manifest[name]?.isEntry) ?? ''

  void test('every page is a separate chunk', () => assert.equal(pages.length, 14, pages.join(', ')))

  for (const page of pages) {
    const maxJs = firstPages.test(page) ? max.js : max.later
    void test(`${page}: at most ${maxJs / 1_000} kB of scripts and ${max.css / 1_000} kB of styles`, async (t) => {
      const chunks = closure(manifest, [entry, page])
      const words = await bytesOfWords(manifest, chunks)
      const js = words + (await bytesOf(chunks.map(({ file }) => file)))
      const css = await bytesOf(new Set(chunks.flatMap(({ css = [] }) => css)))
      t.diagnostic(`${js} bytes of scripts, ${words} of them words, ${css} of styles`)
      assert.ok(js <= maxJs, `${js} bytes of scripts`)
      assert.ok(css <= max.css, `${css} bytes of styles`)
      assert.ok(
        !chunks.some(({ file }) => /map-canvas|maplibre|uplot|countries/i.test(file)),
        'it waits for the map',
      )
    })
  }

  void test('the map, which is loaded later: its scripts and its worker', async (t) => {
    // It comes onto a page that is there already.
    const before = new Set(closure(manifest, [entry, 'pages/gallery/gallery-page.tsx']))
    const chunks = closure(manifest, ['map/map-canvas.tsx']).filter((chunk) => !before.has(chunk))
    const names = chunks.map(({ file }) => file)
    assert.ok(names.length > 0, 'there is no chunk of the map')
    const js = await bytesOf(names)
    const worker = await bytesOf(new Set(chunks.flatMap(({ assets = [] }) => assets)))
    t.diagnostic(`${js} bytes, worker ${worker}`)
    assert.ok(js <= max.map, `${js} bytes`)
    assert.ok(
      !names.some((file) => /pmtiles|relief/.test(file)),
      'PMTiles and relief are for sites that have them',
    )
    assert.ok(worker > 0 && worker <= max.worker, `worker ${worker} bytes`)
  })
})
