// That npm test and test:full run every test: each folder whole, each part of it once, and what must be alone besides.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import packageFile from '../../package.json' with { type: 'json' }
import { alone, fullParts, parts, testsIn } from './import-part.ts'
import { inOrder, longest } from './longest-first.ts'

const root = path.resolve(import.meta.dirname, '../..')

void test('every part of every folder has its file', () => {
  const places: readonly (readonly [Readonly<Record<string, number>>, (folder: string) => string])[] = [
    [parts, (folder) => `tests/together/${folder}-`],
    [fullParts, (folder) => `tests/${folder}/together/`],
  ]
  for (const [counts, placeOf] of places)
    for (const [folder, count] of Object.entries(counts)) {
      assert.ok(testsIn(folder).length >= count, folder)
      for (let part = 0; part < count; part += 1) {
        const text = readFileSync(path.join(root, `${placeOf(folder)}${part}.test.ts`), 'utf8')
        assert.ok(text.endsWith(`await importPart('${folder}', ${part})\n`), `${folder}-${part}`)
      }
      assert.ok(!existsSync(path.join(root, `${placeOf(folder)}${count}.test.ts`)))
    }
})

void test('every test of the project is run by npm test or by test:full', () => {
  const here = path.join(root, 'tests')
  const files = readdirSync(here, { recursive: true, encoding: 'utf8' }).map((file) =>
    file.replaceAll('\\', '/'),
  )
  for (const file of files.filter((name) => name.endsWith('.test.ts'))) {
    const [folder = '', ...rest] = file.split('/')
    const isFull =
      folder === 'full' ||
      folder === 'faults' ||
      (rest.length === 1 && (folder === 'browser' || folder === 'nodes'))
    if (rest[0] === 'together') continue
    const isPart = folder in parts && rest.length === 1 // a deeper folder is no part of any
    assert.ok(rest.length === 0 || folder === 'together' || isFull || isPart, `nobody runs tests/${file}`)
  }
  assert.match(packageFile.scripts['test:full'], /npm run test:browser && npm run test:slow$/)
  assert.match(packageFile.scripts['test:browser'], /'tests\/browser\/together\/\*\.test\.ts'/)
  assert.ok(
    packageFile.scripts['test:slow'].endsWith(
      "'tests/full/together/*.test.ts' 'tests/full/*.test.ts' 'tests/faults/**/*.test.ts' 'tests/nodes/*.test.ts'",
    ),
  )
  assert.match(packageFile.scripts.test, /'tests\/\*\.test\.ts' 'tests\/together\/\*\.test\.ts'/)
})

void test('what runs alone is there, and named by its command', () => {
  for (const file of alone) {
    assert.ok(existsSync(path.join(root, 'tests', file)), file)
    const command = packageFile.scripts[file.startsWith('browser/') ? 'test:browser' : 'test']
    assert.ok(command.includes(path.basename(file, '.test.ts')), file)
  }
})

void test('of test:full, those that are known to take longest are begun first, and none is left out', () => {
  for (const file of longest) assert.ok(existsSync(path.join(root, 'tests', file)), file)
  const [long = '', other = ''] = [longest[3], longest[0]].map((file) => path.join(root, 'tests', file ?? ''))
  const short = ['a', 'b'].map((name) => path.join(root, 'tests', `${name}.test.ts`))
  assert.deepEqual(inOrder([...short.toReversed(), long, other]), [other, long, ...short])
  for (const command of ['test:browser', 'test:slow'] as const)
    assert.match(packageFile.scripts[command], /^node bin\/node\.cjs tests\/together\/longest-first\.ts \d '/)
})
