// The suites run every test file of the project once, and no process is missing.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import packageFile from '../../package.json' with { type: 'json' }
import { newFolder } from '../helpers/folders.ts'
import { inOrder, longest, stepsOf } from './run.ts'
import {
  folderOfTests,
  isNoTest,
  processes,
  runsAlone,
  sharing,
  suiteOf,
  testsOf,
  type Suite,
} from './suites.ts'

const suites: readonly Suite[] = ['fast', 'slow', 'browser']

void test('every test file is run by exactly one suite, in a shared process or its own', () => {
  const all = readdirSync(folderOfTests, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => /\.test\.[cm]?[jt]sx?$/.test(file) && !isNoTest(file))
  const run = suites.flatMap((suite) => {
    const shared = Array.from({ length: processes[suite] }, (_, part) => sharing(suite, part)).flat()
    const begun = stepsOf(suite).flatMap(({ files }) => files)
    return [...shared, ...begun.filter((file) => !isNoTest(file))]
  })
  assert.deepEqual(run.toSorted(), all.toSorted())
  assert.ok(all.includes('together/complete.own.test.ts'))
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

/** Runs such files in a process of its own, as `npm test` does. */
async function runFiles(folder: string, files: Readonly<Record<string, string>>, silence: string) {
  const paths: string[] = []
  for (const [name, body] of Object.entries(files)) {
    const file = path.join(folder, `${name}.test.mjs`)
    await writeFile(file, `import { test } from 'node:test'\n${body}\n`)
    paths.push(file)
  }
  const step = JSON.stringify(path.join(import.meta.dirname, 'step.ts'))
  const program = path.join(folder, 'run.mjs')
  await writeFile(
    program,
    `import { runStep } from ${step}
    if (!(await runStep(${JSON.stringify(paths)}, 2, ${silence}))) process.exitCode = 1`,
  )
  const child = spawn(process.execPath, [program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
  })
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  return { said, code: code as number | null }
}

void test('a run ends also where a test leaves something open, or never ends, and names its file', async (t) => {
  const folder = await newFolder(t)
  const good = "test('is good', () => undefined)"
  const open = 'setInterval(() => undefined, 1_000)'
  const never = '{ usualMs: 1e9, afterFailureMs: 5_000 }'
  const left = `test('leaves a timer', () => { ${open}; throw new Error('for this reason') })`
  const failed = await runFiles(folder, { left, good }, never)
  assert.equal(failed.code, 1)
  for (const said of [/✔ is good/, /for this reason/, /✖ \S*left\.test\.mjs/]) assert.match(failed.said, said)
  const hangs = `test('hangs', () => new Promise(() => { ${open} }))`
  const hung = await runFiles(folder, { hangs, good }, '{ usualMs: 2_000, afterFailureMs: 1e9 }')
  assert.equal(hung.code, 1)
  assert.match(hung.said, /✖ \S*hangs\.test\.mjs/)
  assert.match(hung.said, /no test has begun or ended for 2 s/)
  const broken = await runFiles(folder, { good, broken: 'this is no program' }, never)
  assert.equal(broken.code, 1)
  const fine = await runFiles(folder, { good }, never)
  assert.deepEqual([fine.code, /✔ is good/.test(fine.said)], [0, true])
})
