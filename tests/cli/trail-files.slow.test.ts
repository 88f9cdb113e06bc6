// trails import --dry-run and trails export: the difference as text and JSON, and round trips of files.
import assert from 'node:assert/strict'
import { readFile, readdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { newFolder } from '../helpers/folders.ts'
import { assertOneSentence, done, run } from './run-waymark.ts'

async function fileWith(t: TestContext, name: string, content: string): Promise<string> {
  const file = path.join(await newFolder(t), name)
  await writeFile(file, content)
  return file
}

void describe('files of trails', { concurrency: 2 }, () => {
  void test('a dry run prints the difference, changes nothing, and an exported file imports without changes', async (t) => {
    const dataDir = await newFolder(t)
    const options = { dataDir }
    const old = await fileWith(t, 'old.csv', 'trailID,name,slug\n1,Rim,rim\n2,=Loop,loop\n3,Creek,creek\n')
    assert.deepEqual(await done(['trails', 'import', old], options), { trails: 3 })
    const csv = 'trailID,name,slug\n1,Rim,rim\n2,New Loop,loop\n4,"Vale ""West""",\n'
    const next = await fileWith(t, 'new.csv', csv)
    const plan = await run(['trails', 'import', next, '--dry-run'], options)
    assert.deepEqual(plan, {
      exitCode: 0,
      stdout: `+ 4 "Vale "West"", slug vale-west
~ 2
  - name "=Loop"
  + name "New Loop"
${next}: 1 new trail, 1 changed, 1 unchanged. Dry run: nothing was imported.
`,
      stderr: '',
    })
    assert.deepEqual(await done(['trails', 'import', '--dry-run', next], options), {
      new: [{ trailID: 4, name: 'Vale "West"', slug: 'vale-west', place: `${next}: line 4` }],
      changed: [
        { trailID: 2, place: `${next}: line 3`, fields: { name: { from: '=Loop', to: 'New Loop' } } },
      ],
      unchanged: 1,
      problems: [],
      counts: { new: 1, changed: 1, problems: 0 },
      isApplied: false,
    })

    const file = path.join(dataDir, 'trails.csv')
    const exported = await done(['trails', 'export', file], options)
    const text = "trailID,name,slug\r\n1,Rim,rim\r\n2,'=Loop,loop\r\n3,Creek,creek\r\n"
    assert.equal(await readFile(file, 'utf8'), text)
    assert.deepEqual(exported, { file, format: 'csv', bytes: text.length })
    assert.equal((await run(['trails', 'export', '-'], options)).stdout, text)
    const again = await run(['trails', 'import', file, '--dry-run'], options)
    assert.match(
      again.stdout,
      /^[^\n]*: 0 new trails, 0 changed, 3 unchanged\. Dry run: nothing was imported\.\n$/,
    )
    assert.deepEqual(
      (await readdir(dataDir)).filter((name) => name.endsWith('.part')),
      [],
    )
  })

  void test('lines are imported and exported as GeoJSON', async (t) => {
    const options = { dataDir: await newFolder(t) }
    const geometry = {
      type: 'LineString',
      coordinates: [
        [7, 46, 800],
        [7.1, 46.1],
      ],
    }
    const feature = { type: 'Feature', properties: { id: '1', name: 'Rim' }, geometry }
    const collection = { type: 'FeatureCollection', features: [feature] }
    const file = await fileWith(t, 'lines.geojson', JSON.stringify(collection))
    assert.deepEqual(await done(['trails', 'import', file], options), { trails: 1 })
    const { stdout } = await run(['trails', 'export', '-', '--format', 'geojson'], options)
    const [out] = (JSON.parse(stdout) as typeof collection).features
    assert.deepEqual(out?.geometry.coordinates, geometry.coordinates, 'heights and all')
    const moved = JSON.stringify(collection).replace('7.1', '7.2')
    const plan = await run(['trails', 'import', await fileWith(t, 'moved.json', moved), '--dry-run'], options)
    assert.match(plan.stdout, /^~ 1\n {2}~ the line\n/)
  })

  void test('every problem is reported, with exit code 2, and names cannot control the terminal', async (t) => {
    const options = { dataDir: await newFolder(t) }
    await done(['trails', 'add', '--id', '9', '--name', 'Nine'], options)
    const csv = 'trailID,name,slug\n1,\u001b[2J\u009b,rim\nx,,\n2,Loop,nine\n3,A,a,b\n4,"Two\nlines",\n'
    const file = await fileWith(t, 'bad.csv', csv)
    const plan = await run(['trails', 'import', file, '--dry-run'], options)
    assert.deepEqual([plan.exitCode, plan.stderr], [2, ''])
    assert.deepEqual(plan.stdout.split('\n').slice(0, -1), [
      '+ 4 "Two?lines", slug two-lines',
      `PROBLEM  ${file}: line 2: name must not contain control characters.`,
      `PROBLEM  ${file}: line 3: trailID must be a whole number from 1 to 9007199254740991.`,
      `PROBLEM  ${file}: line 3: name must have 1 to 256 characters.`,
      `PROBLEM  ${file}: line 4: slug nine belongs to trail 9.`,
      `PROBLEM  ${file}: line 5: the row has 4 fields, but the header has 3.`,
      `${file}: 5 problems; fix them to import the file.`,
    ])
  })

  void test('refused in one sentence: no installation, no format, two outputs on stdout, a missing folder', async (t) => {
    const dataDir = await newFolder(t)
    const none = { dataDir: path.join(dataDir, 'none') }
    const csv = await fileWith(t, 'a.csv', 'trailID,name\n1,Rim\n')
    for (const args of [
      ['import', csv, '--dry-run'],
      ['export', '-'],
    ]) {
      const refused = await run(['trails', ...args], none)
      assert.equal(refused.exitCode, 2)
      assert.match(refused.stderr, /^There is no database at /)
    }
    await done(['trails', 'import', csv], { dataDir })
    const wrong: readonly [string[], number, RegExp][] = [
      [['export', 'trails.gpx'], 1, /must end in \.csv or \.geojson/],
      [['export', 'a', '--format', 'xml'], 1, /--format must be csv or geojson\./],
      [['export', '-', '--json'], 1, /--json/],
      [['export', path.join(dataDir, 'no', 'a.csv')], 2, /no such file or directory/],
      [['export', dataDir, '--format', 'csv'], 2, /is not a regular file/],
    ]
    for (const [args, exitCode, sentence] of wrong) {
      const refused = await run(['trails', ...args], { dataDir })
      assert.equal(refused.exitCode, exitCode, args.join(' '))
      assert.match(refused.stderr, sentence)
      assertOneSentence(refused.stderr)
    }
  })
})
