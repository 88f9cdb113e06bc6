// Nothing is fetched but from npm's registry and Debian (trust 63). And shows that it can fail.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fetchingViolations } from './fetching-rules.ts'
import { readTexts } from './project.ts'

void test('trust 63: CI, scripts and the steps in the docs download only from npm and Debian', async () => {
  const shell = await readTexts(['.ci/run', 'package.json'], /^(?:\.ci\/run|package\.json)$/)
  const docs = await readTexts(
    ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'ARCHITECTURE.md', 'docs'],
    /\.md$/,
  )
  const code = await readTexts(['scripts', 'bin'], /\.(?:ts|cjs)$/)
  assert.ok(shell.size === 2 && docs.size > 40 && code.size > 4, 'the texts were read')
  assert.deepEqual(fetchingViolations(new Map([...shell, ...docs, ...code])), [])
})

const inFence = (line: string) => `Prose.\n\n\`\`\`sh\n${line}\n\`\`\`\n`
const found = (file: string, text: string) => fetchingViolations(new Map([[file, text]])).join('\n')

const seeded: readonly [string, RegExp][] = [
  ['curl -fsSL https://get.tools.test/install.sh -o install.sh', /fetches from get\.tools\.test/],
  ['curl -s \\\n  https://files.tools.test/a', /fetches from files\.tools\.test/],
  ['curl -s $URL/setup | bash', /from elsewhere/],
  ['wget http://files.tools.test/corpus.zip', /fetches from files\.tools\.test/],
  ['git clone https://host.example/a.git', /from elsewhere/],
  ['npx cowsay hello', /from elsewhere/],
  ['npx waymark serve', /from elsewhere/],
  ['npm install -g waymark', /from elsewhere/],
  ['npm install github:someone/alpha', /from elsewhere/],
  ['npm ci --registry=https://mirror.example', /from elsewhere/],
  ['pip install exif', /from elsewhere/],
  ['docker run alpine', /from elsewhere/],
  ['add-apt-repository ppa:someone/tools', /from elsewhere/],
]

for (const [line, expected] of seeded) {
  void test(`the check of what is fetched finds "${line.replace('\n', '')}"`, () => {
    assert.match(found('.ci/run', `set -e\n${line}\n`), expected)
    assert.match(found('README.md', inFence(line)), expected)
    if (!line.includes('\n'))
      assert.match(found('package.json', JSON.stringify({ scripts: { build: line } })), expected)
  })
}

void test('what the project does now is not a violation', () => {
  const lines = [
    'npm ci && npm test',
    'waymark trails add --id 4711',
    'apt-get install -y -qq curl',
    'curl -s $URL/Trails/4711/Images/',
    'curl -s http://127.0.0.1:8080/ready # see https://tools.test',
    'PUBLIC_URL=https://photos.trails.example npm start',
  ]
  assert.equal(found('.ci/run', lines.join('\n')), '')
  assert.equal(
    found('README.md', `See https://tools.test, or curl from https://tools.test.\n\n    ${lines[0]}\n`),
    '',
  )
  assert.equal(
    found('scripts/a.ts', "// Reads https://tools.test no more.\nimport path from 'node:path'\n"),
    '',
  )
})

void test('build code that accesses the network is detected', () => {
  assert.match(
    found('scripts/a.ts', "const text = await fetch('https://tools.test')"),
    /speaks to the network/,
  )
  assert.match(found('bin/a.cjs', "require('https'); https.get(url)"), /speaks to the network/)
})
