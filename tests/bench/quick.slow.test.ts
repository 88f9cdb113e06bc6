// The benchmark in its shortest form: it finishes and writes its results.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { parentOfFolders } from '../helpers/folders.ts'

const root = path.resolve(import.meta.dirname, '../..')

async function bench(...args: string[]) {
  const child = spawn(process.execPath, [path.join(root, 'bench/run.ts'), ...args], { cwd: root })
  const [said, reported, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise((resolve) => child.once('exit', resolve)),
  ])
  return { said, reported, code }
}

void test('a trial of the point read says that it proves nothing, and writes JSON and Markdown if asked', async () => {
  const folder = await mkdtemp(path.join(parentOfFolders(), 'waymark-bench-test-'))
  try {
    const { said, reported, code } = await bench('--quick', '--gate', '--results', folder, 'point')
    assert.equal(code, 0, reported)
    assert.match(said, /proves NOTHING/)
    assert.match(said, /point read \(CPU: waymark \/ node:http hello\).*≤ 2 ×.*no verdict/)
    const files = (await readdir(folder)).toSorted()
    assert.match(files.join(' '), /^\d{4}-\d\d-\d\d-point\.json \d{4}-\d\d-\d\d-point\.md$/)
    const written = await Promise.all(files.map((file) => readFile(path.join(folder, file), 'utf8')))
    assert.equal((JSON.parse(written[0] ?? '') as { rows: unknown[] }).rows.length, 1)
    assert.ok(!written.join('').includes(root), 'a folder of the machine stands in the results')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

void test('an unknown path ends with a sentence', async () => {
  const { reported, code } = await bench('pint')
  assert.equal(code, 2)
  assert.match(reported, /There is no path pint; there are .*point/)
})
