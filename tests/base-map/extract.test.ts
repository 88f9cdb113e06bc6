// Extracts compared with the source tile by tile: over HTTP and from files, in every form of archive.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { extract } from '../../src/base-map/archive/extract.ts'
import { plainFetch } from '../../cli/remote/plain-fetch.ts'
import { openHttpSource } from '../../src/base-map/archive/http-source.ts'
import { openFileSource, type ArchiveSource } from '../../src/base-map/archive/source.ts'
import type { Box } from '../../src/base-map/archive/header.ts'
import {
  archiveOf,
  protomapsTile,
  readerOf,
  tilesOf,
  type ArchiveForm,
  type MadeTile,
} from '../helpers/archives.ts'
import { filesBelow, newFolder } from '../helpers/folders.ts'
import { startRangeServer } from '../helpers/range-server.ts'

const { signal } = new AbortController()
const waitsMs = [5, 5, 5, 5]
const alps: Box = { west: 0.5, south: 42.2, east: 30.6, north: 52.9 }

/** Computed independently of the code. */
function meets({ west, south, east, north }: Box, { z, x, y }: MadeTile): boolean {
  const side = 2 ** z
  const longitude = (column: number): number => (column / side) * 360 - 180
  const latitude = (row: number): number =>
    (Math.atan(Math.sinh(Math.PI * (1 - (2 * row) / side))) * 180) / Math.PI
  const isWithin = (from: number, to: number): boolean => longitude(x) < to && longitude(x + 1) > from
  const isAcross = west <= east ? isWithin(west, east) : isWithin(west, 180) || isWithin(-180, east)
  return isAcross && latitude(y + 1) < north && latitude(y) > south
}

interface Wish {
  readonly box?: Box
  readonly minZoom?: number
  readonly maxZoom?: number
}

async function take(
  source: ArchiveSource,
  target: string,
  { box = alps, minZoom = 0, maxZoom = 15 }: Wish = {},
) {
  try {
    const wanted = { from: 'the test', box, minZoom, maxZoom }
    return await extract({ source, wanted, target, isAnew: false, check: () => undefined })
  } finally {
    await source.close()
  }
}

async function assertSame(
  file: string,
  tiles: readonly MadeTile[],
  box: Box,
  maxZoom: number,
): Promise<number> {
  const archive = await readerOf(file)
  let wanted = 0
  for (const tile of tiles) {
    const found = await archive.getZxy(tile.z, tile.x, tile.y)
    if (tile.z > maxZoom || !meets(box, tile)) {
      assert.equal(found, undefined, `${tile.z}/${tile.x}/${tile.y} was not asked for`)
      continue
    }
    wanted += 1
    const expected = tile.bytes[0] === 0x1f ? (await import('node:zlib')).gunzipSync(tile.bytes) : tile.bytes
    assert.ok(found && Buffer.from(found.data).equals(expected), `${tile.z}/${tile.x}/${tile.y}`)
  }
  return wanted
}

const world = tilesOf(0, 6, protomapsTile)
const small = world.filter(({ z }) => z < 6)
const forms: Readonly<Record<string, ArchiveForm>> = {
  'in one directory': { leafEntries: 100_000 },
  'with leaves': { leafEntries: 50 },
  'with leaves of leaves': { leafEntries: 40, isDeep: true },
  'in no order': { leafEntries: 500, isShuffled: true },
  'not compressed': { leafEntries: 500, internal: 'none' },
}

for (const [name, form] of Object.entries(forms)) {
  void test(`every tile of the box equals that of the source, and there is no other: ${name}`, async (t) => {
    const folder = await newFolder(t)
    const tiles = name === 'in one directory' ? small : world
    const server = await startRangeServer(t, archiveOf(tiles, form))
    const target = path.join(folder, 'map', 'base.pmtiles')
    const source = await openHttpSource(server.url, { send: plainFetch, signal, waitsMs })
    const { sizes, header } = await take(source, target)
    const wanted = await assertSame(target, tiles, alps, 15)
    assert.equal(sizes.tiles, wanted)
    assert.ok(wanted > 10 && (tiles === small || sizes.contents < wanted), 'the sea is one tile')
    assert.ok(sizes.fetchBytes <= sizes.tileBytes * 1.05)
    assert.deepEqual([header.maxZoom, header.bounds], [tiles.at(-1)?.z, alps])
    assert.deepEqual(await filesBelow(folder), ['map/base.pmtiles'], 'nothing is left beside it')
    const archive = await readerOf(target)
    assert.deepEqual(await archive.getMetadata(), { attribution: '© the test' })
  })
}

void test('from a file, across the antimeridian, and to a lower zoom', async (t) => {
  const folder = await newFolder(t)
  const file = path.join(folder, 'world.pmtiles')
  await writeFile(file, archiveOf(world))
  const fiji: Box = { west: 176, south: -20, east: -178, north: -15 }
  const target = path.join(folder, 'fiji.pmtiles')
  const { header } = await take(await openFileSource(file), target, { box: fiji, maxZoom: 5 })
  assert.ok((await assertSame(target, world, fiji, 5)) > 5)
  assert.deepEqual([header.bounds.west, header.bounds.east, header.maxZoom], [-180, 180, 5])
  assert.equal(header.center.longitude, 179)
})

void test('the whole earth, and an extract of the extract', async (t) => {
  const folder = await newFolder(t)
  const [one, other, third] = ['one', 'other', 'third'].map((name) => path.join(folder, name)) as [
    string,
    string,
    string,
  ]
  await writeFile(one, archiveOf(world, { leafEntries: 300 }))
  const everything: Box = { west: -180, south: -90, east: 180, north: 90 }
  await take(await openFileSource(one), other, { box: everything })
  assert.equal(await assertSame(other, world, everything, 15), world.length)
  await take(await openFileSource(other), third, { box: everything })
  assert.ok((await readFile(other)).equals(await readFile(third)))
})

async function cutOften(t: TestContext) {
  const folder = await newFolder(t)
  const server = await startRangeServer(t, archiveOf(world, { isShuffled: true }))
  return { folder, server }
}

void test('interrupted connections resume where they ended', async (t) => {
  const { folder, server } = await cutOften(t)
  const target = path.join(folder, 'base.pmtiles')
  server.cutAfter(20_000)
  const everything: Box = { west: -180, south: -85, east: 180, north: 85 }
  const source = await openHttpSource(server.url, { send: plainFetch, signal, waitsMs })
  const { sizes } = await take(source, target, { box: everything })
  assert.equal(await assertSame(target, world, everything, 15), world.length)
  assert.ok(server.asked.length > sizes.tileBytes / 20_000, 'it was cut all the time')
  assert.ok(source.bytesReceived() < sizes.fetchBytes + sizes.directoryBytes + 100, 'nothing came twice')
})

void test('a busy server is asked again, not before Retry-After', async (t) => {
  const { folder, server } = await cutOften(t)
  const source = await openHttpSource(server.url, { send: plainFetch, signal, waitsMs })
  const startedAt = performance.now()
  server.next(
    (_request, response) => (response.writeHead(429, { 'retry-after': '1' }).end(), true),
    (_request, response) => (response.writeHead(503).end(), true),
    (_request, response) => (response.destroy(), true),
  )
  await take(source, path.join(folder, 'base.pmtiles'))
  assert.ok(performance.now() - startedAt >= 1_000)
})
