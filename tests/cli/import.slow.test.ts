// Imports of trails: accepted formats, refusals with line numbers, and all or nothing.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { readTrailFile } from '../../cli/trail-file.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import { newFolder } from '../helpers/folders.ts'
import { assertOneSentence, done, run, runJson } from './run-waymark.ts'

async function fileWith(t: TestContext, name: string, content: string | Uint8Array): Promise<string> {
  const file = path.join(await newFolder(t), name)
  await writeFile(file, content)
  return file
}

async function read(t: TestContext, name: string, content: string | Uint8Array) {
  const trails = await readTrailFile(await fileWith(t, name, content))
  return trails.map(({ id, name, slug }) => [id, name, slug])
}

const collection = (...features: unknown[]): string => JSON.stringify({ type: 'FeatureCollection', features })
const feature = (properties: unknown, more: object = {}) => ({
  type: 'Feature',
  geometry: null,
  properties,
  ...more,
})

void test('CSV: columns in any order, quotes, CRLF, a byte-order mark, blank lines, and extra columns', async (t) => {
  const text =
    '\uFEFFname,steward,slug,TrailID\r\n"Rim, ""North""",x,rim-north,1\r\n\r\n Über ,,,9007199254740991\r\n'
  assert.deepEqual(await read(t, 'trails.csv', text), [
    [1, 'Rim, "North"', 'rim-north'],
    [9_007_199_254_740_991, 'Über', ''],
  ])
  assert.deepEqual(await read(t, 'TRAILS.CSV', 'trailID,name\n1,Rim\n1,Rim'), [[1, 'Rim', undefined]])
  assert.deepEqual(await read(t, 'none.csv', 'trailID,name,slug\n'), [])
})

void test('GeoJSON: trailID before id before the id of the feature, as number or digits', async (t) => {
  const text = collection(
    feature({ id: '21', name: ' Rim ', slug: 'rim' }),
    feature({ name: 'Loop' }, { id: 22 }),
    feature({ trailID: 23, id: 5, name: 'Creek', slug: null }, { id: 'a' }),
  )
  assert.deepEqual(await read(t, 'trails.geojson', text), [
    [21, 'Rim', 'rim'],
    [22, 'Loop', undefined],
    [23, 'Creek', undefined],
  ])
})

const unreadable: readonly [string, string | Uint8Array, RegExp][] = [
  ['a.gpx', '<gpx/>', /a\.gpx must end in \.csv or \.geojson/],
  ['a.csv', '', /a\.csv: line 1: the header trailID,name,slug is missing/],
  ['a.csv', 'trailID;name\n1;Rim\n', /line 1: the header must have trailID and name, separated by commas/],
  ['a.csv', 'trailID,name,NAME\n', /line 1: the header has name twice/],
  ['a.csv', 'trailID,name\n1,Rim\n2,"Loop\n', /line 3: a quoted field is not closed/],
  ['a.csv', 'trailID,name\n1,"Rim"x\n', /line 2: a quote inside/],
  ['a.csv', 'trailID,name\n1,Rim\n2,Loop,loop\n', /line 3: the row has 3 fields, but the header has 2/],
  ['a.csv', 'trailID,name\n1,Rim\n1,Loop\n', /line 3: trail 1 differs from line 2/],
  ['a.csv', Uint8Array.of(0x74, 0xff), /a\.csv: it is not valid UTF-8/],
  ['a.geojson', '{\n"type":', /a\.geojson: it is not JSON/],
  ['a.geojson', '[]', /it is not a GeoJSON FeatureCollection/],
  [
    'a.geojson',
    collection(feature({ id: 1, name: 'Rim' }), { type: 'Point' }),
    /feature 2: it is not a GeoJSON Feature/,
  ],
  ['a.geojson', collection(feature({ id: 1, name: 5 })), /feature 1: name must be a string/],
]

for (const [name, content, sentence] of unreadable) {
  void test(`refused: ${sentence.source}`, async (t) => {
    await assert.rejects(read(t, name, content), (error: Error) => {
      assert.match(error.message, sentence)
      assertOneSentence(`${error.message}\n`)
      return true
    })
  })
}

void describe('trails import', { concurrency: 2 }, () => {
  void test('imports and renames, and prints the count', async (t) => {
    const options = { dataDir: await newFolder(t) }
    const csv = await fileWith(t, 'trails.csv', 'trailID,name,slug\n1,Rim,\n2,Loop,the-loop\n')
    assert.deepEqual(await done(['trails', 'import', csv], options), { trails: 2 })
    const geojson = await fileWith(t, 'trails.geojson', collection(feature({ id: 2, name: 'New Loop' })))
    const plain = await run(['trails', 'import', geojson], options)
    assert.deepEqual(plain, { exitCode: 0, stdout: `Imported 1 trail from ${geojson}.\n`, stderr: '' })

    const database = await openDatabase({
      engine: 'sqlite',
      file: path.join(options.dataDir, 'waymark.sqlite'),
    })
    t.after(() => database.close())
    const trails = await database.db
      .selectFrom('trail')
      .select(['id', 'name', 'slug'])
      .orderBy('id')
      .execute()
    assert.deepEqual(
      trails.map(({ id, name, slug }) => [id, name, slug]),
      [
        [1, 'Rim', 'rim'],
        [2, 'New Loop', 'new-loop'],
      ],
    )
  })

  void test('with one bad row, nothing is imported', async (t) => {
    const options = { dataDir: await newFolder(t) }
    const rules: readonly [string, RegExp][] = [
      ['trailID,name\n1,Rim\n9007199254740992,Loop\n', /trails\.csv: line 3: trailID must be a whole number/],
      ['trailID,name\n1,Rim\n2,\n', /line 3: name must have/],
      ['trailID,name,slug\n1,Rim,rim\n2,Loop,rim\n', /line 3: slug rim belongs to trail 1/],
    ]
    for (const [content, sentence] of rules) {
      const refused = await runJson(['trails', 'import', await fileWith(t, 'trails.csv', content)], options)
      assert.equal(refused.exitCode, 2)
      assertOneSentence(refused.stderr)
      assert.match(refused.stderr, sentence)
      assert.deepEqual(refused.document, {
        error: { code: 'invalid-field', message: refused.stderr.trimEnd() },
      })
    }
    const missing = await run(['trails', 'import', path.join(options.dataDir, 'none.csv')], options)
    assert.equal(missing.exitCode, 2)
    assert.match(missing.stderr, /none\.csv cannot be used: no such file or directory\.\n$/)

    const database = await openDatabase({
      engine: 'sqlite',
      file: path.join(options.dataDir, 'waymark.sqlite'),
    })
    t.after(() => database.close())
    assert.deepEqual(await database.db.selectFrom('trail').select('id').execute(), [])
  })
})
