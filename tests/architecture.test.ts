// Checks the tree against ARCHITECTURE.md: import directions, one purpose per file, no silenced checks. And proves that
// it can fail.
import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { findViolations, roomsWithoutRule, type Sources } from './helpers/architecture-rules.ts'

const root = path.resolve(import.meta.dirname, '..')

async function readSources(): Promise<Map<string, string>> {
  const sources = new Map<string, string>()
  for (const folder of ['src', 'cli', 'client', 'web', 'tests', 'scripts', 'bin', 'bench']) {
    // bench/peers has packages of its own, many more files than we have.
    const exclude = (entry: string): boolean => path.basename(entry) === 'node_modules'
    for await (const name of glob('**/*.{ts,tsx,cjs,mjs}', { cwd: path.join(root, folder), exclude })) {
      const file = `${folder}/${name.replaceAll(path.sep, '/')}`
      sources.set(file, await readFile(path.join(root, file), 'utf8'))
    }
  }
  return sources
}

void test('the tree follows its rules', async () => {
  const sources = await readSources()
  assert.ok(sources.size > 50, `only ${sources.size} files were read`)
  assert.deepEqual(roomsWithoutRule(sources), [])
  assert.deepEqual(findViolations(sources), [])
})

/** Each breaks one rule, to test the test. */
const seeded: readonly [string, string, RegExp][] = [
  ['src/shared/bad.ts', "// Bad.\nimport { refuse } from '../errors.ts'\n", /shared\/ must not know/],
  ['src/shared/bad.ts', "// Bad.\nimport { join } from 'node:path'\n", /no browser has/],
  ['src/shared/bad.ts', '// Bad.\nexport const bytes = Buffer.alloc(1)\n', /uses Buffer/],
  [
    'src/images/bad.ts',
    "// Bad.\nimport { review } from '../review/review.ts'\n",
    /review\/, which images\/ must not know/,
  ],
  [
    'src/images/bad.ts',
    "// Bad.\nexport const load = () => import('../review/review.ts')\n",
    /must not know/,
  ],
  ['src/images/bad.ts', "// Bad.\nexport { review } from '../review/review.ts'\n", /must not know/],
  ['src/images/bad.ts', "// Bad.\nimport type {\n  Review,\n} from '../review/review.ts'\n", /must not know/],
  ['src/images/bad.ts', "// Bad.\nimport sharp from 'sharp'\n", /sharp, which has its own place/],
  ['src/images/bad.ts', "// Bad.\nimport { DatabaseSync } from 'node:sqlite'\n", /own place/],
  ['src/images/bad.ts', "// Bad.\nimport fastify from 'fastify'\n", /Fastify instance/],
  ['src/database/bad.ts', "// Bad.\nimport { trails } from '../trails/trails.ts'\n", /must not know/],
  ['src/images/bad.ts', "// Bad.\nimport { rule } from '../../tests/helpers/rule.ts'\n", /outside src/],
  ['src/images/bad.ts', 'export const one = 1\n', /first line/],
  ['src/images/bad.ts', "// Bad.\nimport { median } from '../../bench/parts/statistics.ts'\n", /outside src/],
  ['bench/bad.ts', 'export const one = 1\n', /first line/],
  ['client/bad.ts', "// Bad.\nimport { Type } from 'typebox'\n", /no dependencies/],
  ['client/bad.ts', "// Bad.\nimport { refuse } from '../src/errors.ts'\n", /client\/ must not know/],
  [
    'client/bad.ts',
    "// Bad.\nimport type { Image } from '../src/shared/v2/schemas.ts'\n",
    /client\/ must not know/,
  ],
  ['web/bad.tsx', "// Bad.\nimport { readFile } from 'node:fs'\n", /no browser has/],
  ['web/bad.tsx', "// Bad.\nimport { images } from '../src/images/images.ts'\n", /web\/ must not know/],
  ['src/images/bad.ts', `// Bad.\n${'\n'.repeat(301)}`, /lines and no reason/],
  ['src/images/bad.ts', '// Bad.\nexport const home = process.env.HOME\n', /process\.env/],
  ['src/images/bad.ts', '// Bad.\nexport class Bad {}\n', /declares a class/],
  ['src/images/bad.ts', '// Bad.\nexport default 1\n', /default export/],
  ['src/images/bad.ts', ['// Bad.\n// TO', 'DO: later\n'].join(''), /for later/],
  ['src/images/bad.ts', ['// Bad.\n// @ts-', 'ignore\n'].join(''), /silences/],
]

for (const [file, text, expected] of seeded) {
  void test(`a planted violation is found: ${expected.source} in ${file}`, () => {
    const sources: Sources = new Map([[file, text]])
    assert.match(findViolations(sources).join('\n'), expected)
  })
}

const circleOfThree: Sources = new Map([
  ['src/images/one.ts', "// One.\nimport { two } from './two.ts'\n"],
  ['src/images/two.ts', "// Two.\nimport type { Three } from './list/three.ts'\n"],
  ['src/images/list/three.ts', "// Three.\nexport const load = () => import('../one.ts')\n"],
])

void test('a planted import cycle of three files is found, and listed from its first file on', () => {
  assert.deepEqual(findViolations(circleOfThree), [
    'src/images/list/three.ts → src/images/one.ts → src/images/two.ts → src/images/list/three.ts is a circle of 3 files',
  ])
})

void test('two files that import each other are not reported, and neither are two such pairs with a file in common', () => {
  const pairs: Sources = new Map([
    ...circleOfThree,
    ['src/images/two.ts', "// Two.\nimport { one } from './one.ts'\nimport './list/three.ts'\n"],
    ['src/images/list/three.ts', "// Three.\nimport type { Two } from '../two.ts'\n"],
  ])
  assert.deepEqual(findViolations(pairs), [])
})

/** Paths in backticks, with `*` for any name; those with a `<name>` do not exist yet. */
function pathsNamed(text: string): string[] {
  const spans = [...text.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span)
  return [
    ...new Set(spans.filter((span) => /^[\w.*-]+(?:\/[\w.*-]*)*$/.test(span) && /\/|\.tsx?$/.test(span))),
  ]
}

/** @returns the paths that exist neither from the root nor from src/. */
async function missingPaths(paths: readonly string[]): Promise<string[]> {
  const missing: string[] = []
  for (const named of paths) {
    const found = await Array.fromAsync(glob([named, `src/${named}`], { cwd: root }))
    if (found.length === 0) missing.push(named)
  }
  return missing
}

void test('every file that a recipe names exists', async () => {
  const text = await readFile(path.join(root, 'ARCHITECTURE.md'), 'utf8')
  const paths = pathsNamed(text.slice(text.indexOf('## Recipes')))
  assert.ok(paths.length > 50, `only ${paths.length} paths were found`)
  assert.deepEqual(await missingPaths(paths), [])
})

void test('a recipe that names a missing file is found', async () => {
  const text =
    'See `errors.ts`, `shared/gone.ts`, `web/strings/*/admin.ts`, `npm run docs`, `storage/<name>-blobs.ts`, `tests/`.'
  assert.deepEqual(await missingPaths(pathsNamed(text)), ['shared/gone.ts'])
})
