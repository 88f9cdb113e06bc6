// What the server, the command line and the guides say is plain English: no word that was dropped, none of the old labels.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { refusals } from '../src/errors.ts'
import { settings } from '../src/settings/config.ts'

const root = path.resolve(import.meta.dirname, '..')

/** Turns of phrase that no product in this field uses. */
const dropped =
  /\b(in vain|whoever|nobody|somebody|everybody|anybody|stands (twice|here|there)|hears? of|goes on by itself|gone on with|(is|are) told|of this kind|put in force|taken out|take back|for good|has to (be|hold|lie)|worked on|did not come whole|came? whole|made anew|under way|is no (file|folder|backup|photo|number|text|name|address)|mend(s|ed)?)\b/i

/** Labels and names of settings that were replaced. */
const oldLabels = [
  'Email address and password do not go together',
  'cannot be taken',
  'is none of this request',
  'has to be that of the path',
  'read anew, from 0',
  'no or wrong credential',
  'Name a command',
  'The server keeps other bytes',
  'X-Forwarded-For is believed',
  'so outlive its removal',
  'must have come whole',
  'UPLOAD_FLOOR',
  'DOWNLOAD_FLOOR',
  'DISK_LOW',
  'EDITS=',
]

const oldHeadings =
  /^#+ (How much of what|What to do when|A walk|Accounts of another site|Leaving|Sending a person through|Many at once|What to look at first|How to mend it|When to wake somebody)$/m

const read = (file: string): string => readFileSync(path.join(root, file), 'utf8')

const filesBelow = (...patterns: readonly string[]): string[] =>
  execFileSync('git', ['ls-files', ...patterns], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== '')

/** The texts of a source file of more than one word, without comments. */
const textsIn = (source: string): string[] =>
  [...source.replaceAll(/(^|\s)\/\/.*$|\/\*[\s\S]*?\*\//gm, '').matchAll(/'((?:[^'\\\n]|\\.)*)'|`([^`]*)`/g)]
    .map(([, plain, template]) => plain ?? (template ?? '').replaceAll(/\$\{[^}]*\}/g, '…'))
    .filter((text) => text.includes(' '))

const faultsOf = (texts: readonly string[]): string[] =>
  texts.filter((text) => dropped.test(text) || oldLabels.some((label) => text.includes(label)))

void test('no refusal contains a dropped word', () => {
  const texts = Object.values(refusals).flatMap(({ title, detail, help }) => [title, detail, help])
  assert.deepEqual(faultsOf(texts), [])
})

void test('no setting’s help contains a dropped word', () => {
  assert.deepEqual(faultsOf(Object.values(settings).map(({ help }) => help)), [])
})

void test('neither the command line nor the metrics contain a dropped word', () => {
  const files = filesBelow('cli/*.ts', 'src/metrics/*.ts').filter((file) => !file.startsWith('cli/verify/'))
  assert.ok(files.length > 50)
  assert.deepEqual(
    files.flatMap((file) => faultsOf(textsIn(read(file))).map((text) => `${file}: ${text}`)),
    [],
  )
})

void test('no guide contains an old label or heading, or the former name of a setting', () => {
  const files = filesBelow('docs/*.md', 'docs/runbooks/*.md', 'deploy', 'README.md').filter(
    (file) => !/docs\/(decisions|evidence)\//.test(file),
  )
  assert.ok(files.length > 40)
  for (const file of files) {
    const text = read(file)
    assert.deepEqual(
      oldLabels.filter(
        (label) =>
          text.includes(label) && !Object.values(refusals).some(({ title }) => title.includes(label)),
      ),
      [],
      file,
    )
    assert.doesNotMatch(text, oldHeadings, file)
  }
})

void test('nothing tells people to run "npx waymark", a name that anyone could claim on npm', () => {
  const claimed = ['npx', 'waymark'].join(' ')
  const files = filesBelow(
    'README.md',
    'CHANGELOG.md',
    'docs',
    'cli',
    'src',
    'web',
    'client',
    'deploy',
    'scripts',
    'bench',
  )
  assert.ok(files.length > 500)
  const isText = (file: string): boolean => /\.(md|ts|tsx|cjs|json|ya?ml|conf|service|tpl|txt)$/.test(file)
  assert.deepEqual(
    files.filter((file) => isText(file) && read(file).includes(claimed)),
    [],
  )
})

void test('the check itself: dropped words and old labels are found, comments are ignored', () => {
  const source =
    "const a = 'Nobody is told' // nobody\nconst b = `${x} cannot be taken`\nconst c = 'All is well'"
  assert.deepEqual(faultsOf(textsIn(source)), ['Nobody is told', '… cannot be taken'])
})
