// The suites run every test file of the project once, and no process is missing.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import packageFile from '../../package.json' with { type: 'json' }
import { inOrder, longest, stepsOf } from './run.ts'
import { folderOfTests, processes, runsAlone, sharing, suiteOf, testsOf, type Suite } from './suites.ts'

const suites: readonly Suite[] = ['fast', 'slow', 'browser']

void test('every test file is run by exactly one suite, in a shared process or its own', () => {
  const all = readdirSync(folderOfTests, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => /\.test\.[cm]?[jt]sx?$/.test(file) && !/(^|\/)(node_modules|together)\//.test(file))
  const run = suites.flatMap((suite) => {
    const shared = Array.from({ length: processes[suite] }, (_, part) => sharing(suite, part)).flat()
    const begun = stepsOf(suite).flatMap(({ files }) => files)
    return [...shared, ...begun.filter((file) => !file.startsWith('together/'))]
  })
  assert.deepEqual(run.toSorted(), all.toSorted())
  assert.ok(all.length > 300, `${all.length} files`)
})

void test('a file’s name and folder determine its suite', () => {
  const cases: readonly (readonly [string, Suite, boolean])[] = [
    ['http/paths.test.ts', 'fast', false],
    ['auth/oauth/oauth-clock.own.test.ts', 'fast', true],
    ['http/metrics.slow.test.ts', 'slow', false],
    ['auth/secrets.slow.own.test.ts', 'slow', true],
    ['faults/kill.test.ts', 'slow', true],
    ['browser/map.test.ts', 'browser', false],
    ['browser/journey.own.test.ts', 'browser', true],
  ]
  for (const [file, suite, isAlone] of cases) {
    assert.equal(suiteOf(file), suite, file)
    assert.equal(runsAlone(file), isAlone, file)
    if (file !== 'http/metrics.slow.test.ts') assert.ok(testsOf(suite).includes(file), file)
  }
})

void test('every shared process has its entry file, and there are no others', () => {
  const expected = suites.flatMap((suite) =>
    Array.from({ length: processes[suite] }, (_, part) => [`${suite}-${part}.test.ts`, suite, part] as const),
  )
  for (const [name, suite, part] of expected) {
    const text = readFileSync(path.join(import.meta.dirname, name), 'utf8')
    assert.ok(text.endsWith(`await importPart('${suite}', ${part})\n`), name)
  }
  const there = readdirSync(import.meta.dirname).filter((name) => /-\d+\.test\.ts$/.test(name))
  assert.deepEqual(there.toSorted(), expected.map(([name]) => name).toSorted())
})

void test('the commands run the suites, and start the slowest files first', () => {
  const { scripts } = packageFile
  assert.equal(scripts.test, 'node bin/node.cjs tests/together/run.ts fast')
  assert.equal(scripts['test:browser'], 'node bin/node.cjs tests/together/run.ts browser')
  assert.equal(scripts['test:slow'], 'node bin/node.cjs tests/together/run.ts slow')
  assert.match(scripts['test:full'], /npm run test:browser && npm run test:slow$/)
  for (const file of longest) assert.ok(existsSync(path.join(folderOfTests, file)), file)
  const [long = '', other = ''] = [longest[3], longest[0]]
  assert.deepEqual(inOrder(['b', 'a', long, other]), [other, long, 'a', 'b'])
})
