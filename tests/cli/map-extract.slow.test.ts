// waymark map extract as an operator runs it: around all trails, with the site running, interrupted and resumed.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { archiveOf, plainTile, protomapsTile, readerOf, tilesOf } from '../helpers/archives.ts'
import { filesBelow, newFolder } from '../helpers/folders.ts'
import { startRangeServer } from '../helpers/range-server.ts'
import { assertOneSentence, done, run, runJson, startChild, startServer } from './run-waymark.ts'

const world = tilesOf(0, 6, protomapsTile)

const line = JSON.stringify({
  type: 'FeatureCollection',
  features: [
    {
      type: 'Feature',
      properties: { trailID: 7, name: 'Rim Trail' },
      geometry: {
        type: 'LineString',
        coordinates: [
          [8, 46],
          [8.5, 46.2],
        ],
      },
    },
  ],
})

async function withTrail(t: TestContext): Promise<string> {
  const dataDir = await newFolder(t)
  const file = path.join(dataDir, 'trails.geojson')
  await writeFile(file, line)
  await done(['trails', 'import', file], { dataDir })
  return dataDir
}

const siteOf = async (url: string) =>
  ((await (await fetch(`${url}/v2/site`)).json()) as { map: Record<string, string | null> }).map

void describe('waymark map extract', { concurrency: 2 }, () => {
  void test('around all trails, into the running site', async (t) => {
    const dataDir = await withTrail(t)
    const source = await startRangeServer(t, archiveOf(world, { leafEntries: 500 }))
    const server = await startServer(t, { dataDir })
    assert.deepEqual(await siteOf(server.url), { pmtiles: null, terrain: null, styleUrl: null })
    const dry = await run(['map', 'extract', '--from', source.url, '--dry-run'], { dataDir })
    assert.equal(dry.exitCode, 0, dry.stderr)
    assert.match(
      dry.stdout,
      /^Box 7\.855,45\.9,8\.645,46\.3, zoom 0 to 6: \d+ tiles \(\d+ different ones\), [\d.]+ kB to fetch; the map takes [\d.]+ kB\.\n$/,
    )
    assert.ok(!existsSync(path.join(dataDir, 'map')), 'nothing is made')
    const file = path.join(dataDir, 'map', 'base.pmtiles')
    const made = (await done(['map', 'extract', '--from', source.url], { dataDir })) as Record<
      string,
      unknown
    >
    assert.deepEqual(
      [made['file'], made['bbox'], made['isShown'], made['isDryRun']],
      [file, [7.855, 45.9, 8.645, 46.3], true, false],
    )
    const { pmtiles } = await siteOf(server.url)
    assert.match(pmtiles ?? '', /\/map\/base\.pmtiles\?v=/)
    const heights = await startRangeServer(
      t,
      archiveOf(tilesOf(0, 4, plainTile), {
        tileType: 4,
        tileCompression: 1,
        metadata: { encoding: 'terrarium' },
      }),
    )
    const terrain = await run(['map', 'extract', '--from', heights.url, '--terrain', '--max-zoom', '3'], {
      dataDir,
    })
    assert.match(terrain.stdout, /zoom 0 to 3, in .*\nPages of this site show it from now on\.\n$/)
    assert.match((await siteOf(server.url))['terrain'] ?? '', /\/map\/terrain\.pmtiles/)
    const audit = JSON.stringify(await done(['audit'], { dataDir }))
    assert.match(audit, /"via":"command"[^}]*\}?[^}]*"choice":"map"|"choice":"map"/)
    const doctor = await run(['doctor', '--all'], { dataDir })
    assert.match(doctor.stdout, /^✓ Maps show the map file .*base\.pmtiles\. Terrain is there\.$/m)
  })

  void test('stopped by Ctrl+C, it continues with the same box', async (t) => {
    const dataDir = await withTrail(t)
    const bytes = archiveOf(world, { leafEntries: 500 })
    const source = await startRangeServer(t, bytes)
    const args = ['map', 'extract', '--from', source.url, '--to', path.join(dataDir, 'region.pmtiles')]
    source.hold(Number(bytes.readBigUInt64LE(56))) // start of the tile data
    const child = startChild(args, { dataDir })
    const closed = once(child, 'close')
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    while (!existsSync(path.join(dataDir, 'region.pmtiles.part.state'))) await sleep(10)
    const other = await run(args, { dataDir })
    assert.equal(other.exitCode, 2)
    assert.match(other.stderr, /^Another "waymark map extract" is making /)
    child.kill('SIGINT')
    assert.deepEqual((await closed)[0], 2)
    assertOneSentence(said.replaceAll(/\. /g, ', '))
    assert.match(said, /^Stopped\. What was fetched is kept/)
    source.hold(undefined)
    await done(['trails', 'add', '--id', '8', '--name', 'New'], { dataDir })
    const wrong = await run([...args, '--max-zoom', '3'], { dataDir })
    assert.deepEqual([wrong.exitCode, wrong.stdout], [2, ''])
    assert.match(wrong.stderr, /was begun with another source, box or zoom/)
    const { document } = await runJson(args, { dataDir })
    assert.equal((document as { isShown: boolean }).isShown, false)
    const archive = await readerOf(path.join(dataDir, 'region.pmtiles'))
    assert.ok(await archive.getZxy(6, 33, 22))
    const left = (await filesBelow(dataDir)).filter((name) => name.includes('.part'))
    assert.deepEqual(left, [])
  })

  void test('invalid arguments and other archives are one sentence each', async (t) => {
    const dataDir = await newFolder(t)
    const foreign = path.join(dataDir, 'world.mbtiles')
    await writeFile(foreign, 'SQLite format 3\u0000'.padEnd(200))
    const cases: readonly (readonly [args: readonly string[], exitCode: number, sentence: RegExp])[] = [
      [[], 1, /--from is needed/],
      [['--from', 'ftp://a.example/b'], 1, /--from must be a file, or an https/],
      [['--from', 'https://ann:pw@a.example/b'], 1, /without user or password/],
      [['--from', foreign, '--bbox', '1,2,3'], 1, /--bbox must be west,south,east,north/],
      [['--from', foreign, '--bbox', '1,5,3,4'], 1, /--bbox must be/],
      [['--from', foreign, '--bbox', '1,2,3,4', '--max-zoom', '23'], 1, /--max-zoom must be/],
      [
        ['--from', foreign, '--bbox', '1,2,3,4', '--min-zoom', '9', '--max-zoom', '8'],
        1,
        /--min-zoom must not be greater/,
      ],
      [['--from', foreign], 2, /There is no database/],
      [['--from', foreign, '--bbox', '1,2,3,4'], 2, /^It is a SQLite file, such as MBTiles/],
      [['--from', `${foreign}.not`, '--bbox', '1,2,3,4', '--to', foreign], 2, /cannot be used: no such file/],
    ]
    for (const [args, exitCode, sentence] of cases) {
      const ran = await run(['map', 'extract', ...args], { dataDir })
      assert.deepEqual([ran.exitCode, ran.stdout], [exitCode, ''], ran.stderr)
      assert.match(ran.stderr, sentence)
      assertOneSentence(ran.stderr)
    }
    const settings = { MAP_PMTILES: path.join(dataDir, 'own.pmtiles') }
    const { exitCode, stderr } = await run(['map', 'extract', '--from', foreign], { dataDir, settings })
    assert.equal(exitCode, 1)
    assert.match(stderr, /MAP_PMTILES names .*own\.pmtiles as the map: use --to/)
    assert.equal((await readFile(foreign)).length, 200)
  })
})
