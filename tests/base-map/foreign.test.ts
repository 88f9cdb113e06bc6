// Invalid, damaged or oversized files: one sentence each, and nothing is started.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { readAbout, requireFitting } from '../../src/base-map/archive/about.ts'
import { extract } from '../../src/base-map/archive/extract.ts'
import { openFileSource, type ArchiveSource } from '../../src/base-map/archive/source.ts'
import { archiveOf, directoryOf, headerOf, plainTile, tilesOf } from '../helpers/archives.ts'
import { sentenceOf } from '../helpers/refusals.ts'
import { filesBelow, newFolder } from '../helpers/folders.ts'

const box = { west: -180, south: -85, east: 180, north: 85 }
const good = archiveOf(tilesOf(0, 3, plainTile))

async function take(source: ArchiveSource, target: string): Promise<void> {
  try {
    await extract({
      source,
      target,
      isAnew: false,
      wanted: { from: 'the test', box, minZoom: 0, maxZoom: 15 },
      check: (header, metadata) => requireFitting('base', header, metadata),
    })
  } finally {
    await source.close()
  }
}

interface Parts {
  readonly root?: Buffer
  readonly leaves?: Buffer
  readonly metadata?: Buffer
  readonly tiles?: Buffer
  readonly fields?: Partial<Parameters<typeof headerOf>[0]>
}

const tile = { id: 0, run: 1, length: 4, offset: 0 }

/** An archive of one tile, with unusual parts. */
function odd({ root = gzipSync(directoryOf([tile])), leaves = Buffer.alloc(0), ...parts }: Parts): Buffer {
  const { metadata = gzipSync('{}'), tiles = Buffer.from('tile'), fields = {} } = parts
  const metadataAt = 127 + root.length
  const leavesAt = metadataAt + metadata.length
  const tilesAt = leavesAt + leaves.length
  const header = headerOf({
    root: [127, root.length],
    metadata: [metadataAt, metadata.length],
    leaves: [leavesAt, leaves.length],
    tiles: [tilesAt, tiles.length],
    ...fields,
  })
  return Buffer.concat([header, root, metadata, leaves, tiles])
}

const leafAt = (id: number, offset: number, length: number) => ({ id, run: 0, length, offset })

/** A leaf that refers to itself; its length is found by trial. */
function loop(): Buffer {
  let length = 20
  for (;;) {
    const leaf = gzipSync(directoryOf([leafAt(0, 0, length)]))
    if (leaf.length === length)
      return odd({ root: gzipSync(directoryOf([leafAt(0, 0, length)])), leaves: leaf })
    length = leaf.length
  }
}

const bomb = gzipSync(Buffer.alloc(64 * 1024 ** 2))
const twoLeaves = gzipSync(directoryOf([tile]))
const aboutTiles = 'x'.repeat(40)

const files: readonly (readonly [name: string, bytes: Buffer, sentence: RegExp])[] = [
  ['PMTiles 2', Buffer.from('PM\u0002\u0000 and so on'), /version 2; only version 3/],
  [
    'PMTiles 4',
    Buffer.concat([Buffer.from('PMTiles\u0004'), Buffer.alloc(200)]),
    /version 4; only version 3/,
  ],
  ['MBTiles', Buffer.from('SQLite format 3\u0000'.padEnd(400)), /MBTiles.*pmtiles convert/],
  ['a web page', Buffer.from('\n<!DOCTYPE html><html>404</html>'.padEnd(400)), /a web page/],
  ['an error of S3', Buffer.from('<?xml version="1.0"?><Error/>'.padEnd(400)), /error message/],
  ['something', Buffer.alloc(1_000, 'x'), /It is not a PMTiles archive\.$/],
  ['nothing', Buffer.alloc(0), /empty/],
  ['a header cut off', good.subarray(0, 100), /cut off within its header/],
  ['tiles cut off', good.subarray(0, good.length - 1), /cut off: its tiles should end at byte/],
  [
    'a root directory elsewhere',
    odd({ fields: { root: [20_000, 10] }, tiles: Buffer.alloc(30_000) }),
    /outside its first 16384/,
  ],
  [
    'offsets beyond all numbers',
    (() => {
      const bytes = Buffer.from(good)
      bytes.writeBigUInt64LE(2n ** 64n - 1n, 40)
      return bytes
    })(),
    /damaged header/,
  ],
  ['zooms out of range', odd({ fields: { maxZoom: 31 } }), /zoom levels are out of range/],
  [
    'brotli directories',
    odd({ root: brotliCompressSync(directoryOf([tile])), fields: { internal: 3 } }),
    /brotli/,
  ],
  ['zstd tiles', odd({ fields: { tileCompression: 4 } }), /zstd/],
  ['tiles in an unknown compression', odd({ fields: { tileCompression: 0 } }), /unknown/],
  ['tiles of an unknown type', odd({ fields: { tileType: 9 } }), /unknown type \(9\)/],
  ['a directory that is no gzip', odd({ root: directoryOf([tile]) }), /directories cannot be read/],
  ['a directory of 64 MB in 64 kB', odd({ root: bomb.subarray(0, 16_000) }), /directories cannot be read/],
  [
    'a leaf that unpacks to 64 MB',
    odd({ root: gzipSync(directoryOf([leafAt(0, 0, bomb.length)])), leaves: bomb }),
    /directories cannot be read/,
  ],
  ['metadata that unpack to 64 MB', odd({ metadata: bomb }), /directories cannot be read/],
  ['metadata that are no JSON', odd({ metadata: gzipSync('[1]') }), /metadata is not a JSON object/],
  [
    'more entries than bytes',
    odd({ root: gzipSync(Buffer.from([0xff, 0xff, 0xff, 0xff, 0x7f, 1, 1, 1])) }),
    /directories cannot be read/,
  ],
  [
    'a directory that ends early',
    odd({ root: gzipSync(directoryOf([tile]).subarray(0, 4)) }),
    /directories cannot be read/,
  ],
  [
    'a directory that goes on',
    odd({ root: gzipSync(Buffer.concat([directoryOf([tile]), Buffer.of(1)])) }),
    /directories cannot be read/,
  ],
  ['an empty directory', odd({ root: gzipSync(Buffer.of(0)) }), /holds no tiles/],
  ['one id twice', odd({ root: gzipSync(directoryOf([tile, tile])) }), /directories cannot be read/],
  [
    'runs that overlap',
    odd({
      root: gzipSync(
        directoryOf([
          { ...tile, run: 5 },
          { ...tile, id: 2 },
        ]),
      ),
    }),
    /directories cannot be read/,
  ],
  [
    'a tile beyond the end',
    odd({ root: gzipSync(directoryOf([{ ...tile, offset: 1 }])) }),
    /tiles beyond its end/,
  ],
  [
    'a directory beyond the end',
    odd({ root: gzipSync(directoryOf([leafAt(0, 5_000, 10)])) }),
    /directories beyond their part/,
  ],
  ['a directory that leads to itself', loop(), /lead to themselves/],
  [
    'one leaf for two places',
    odd({
      root: gzipSync(directoryOf([leafAt(0, 0, twoLeaves.length), leafAt(5, 0, twoLeaves.length)])),
      leaves: twoLeaves,
    }),
    /belong to another, or leads to itself/,
  ],
  [
    'tiles that overlap',
    odd({
      root: gzipSync(directoryOf([tile, { id: 1, run: 1, length: 20, offset: 2 }])),
      tiles: Buffer.from(aboutTiles),
    }),
    /tiles overlap/,
  ],
  [
    'one tile of two lengths',
    odd({
      root: gzipSync(directoryOf([tile, { id: 1, run: 1, length: 5, offset: 0 }])),
      tiles: Buffer.from(aboutTiles),
    }),
    /two lengths/,
  ],
  [
    'nothing at these zooms',
    odd({ root: gzipSync(directoryOf([{ ...tile, id: 4 ** 17 }])) }),
    /no tiles in this box/,
  ],
]

for (const [name, bytes, expected] of files) {
  void test(`a file is refused: ${name}`, async (t) => {
    const folder = await newFolder(t)
    const file = path.join(folder, 'source')
    await writeFile(file, bytes)
    const target = path.join(folder, 'map', 'base.pmtiles')
    const before = process.memoryUsage().rss
    const failed = await sentenceOf(openFileSource(file).then((source) => take(source, target)))
    assert.match(failed.message, expected)
    assert.equal(failed.failureCode, 'wrong-file')
    assert.ok(process.memoryUsage().rss - before < 50 * 1024 ** 2, 'it is refused before it takes memory')
    assert.deepEqual(await filesBelow(folder), ['source'], 'nothing is begun')
  })
}

void test('files that are not terrain are not taken for it', async (t) => {
  assert.throws(() => requireFitting('terrain', { tileType: 'mvt' }, {}), /no elevations/)
  assert.throws(
    () => requireFitting('terrain', { tileType: 'png' }, { encoding: 'mapbox' }),
    /encoding mapbox/,
  )
  requireFitting('terrain', { tileType: 'webp' }, { encoding: 'terrarium' })
  const file = path.join(await newFolder(t), 'terrain.pmtiles')
  await writeFile(file, good)
  assert.match((await readAbout(file, 'terrain')).trouble ?? '', /no elevations/)
})
