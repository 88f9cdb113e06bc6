// What is published as waymark/client: plain JavaScript that needs no package, with its types beside it.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import packageFile from '../../package.json' with { type: 'json' }
import { newFolder } from '../helpers/folders.ts'
import { startWaymark } from '../helpers/waymark.ts'

const root = path.resolve(import.meta.dirname, '../..')
const run = promisify(execFile)

void test('the emitted SDK speaks to a server without types to strip and without node_modules', async (t) => {
  const folder = await newFolder(t)
  const waymark = await startWaymark()
  t.after(() => waymark.close())
  const { token } = await waymark.addPerson({ name: 'Ana' })
  await run(path.join(root, 'node_modules/.bin/tsc'), ['-p', 'client', '--outDir', folder], { cwd: root })
  const { types, default: entry } = packageFile.exports['./client']
  const emitted = (file: string): string => path.join(folder, path.relative('dist/sdk', file))
  assert.match(await readFile(emitted(types), 'utf8'), /createWaymark/)
  const script = `
    const { createWaymark } = await import(process.argv[1])
    const waymark = createWaymark({ baseUrl: process.argv[2], credential: { bearer: process.argv[3] } })
    console.log((await waymark.me.get()).displayName)`
  const args = [
    '--no-strip-types',
    '--input-type=module',
    '--eval',
    script,
    emitted(entry),
    waymark.url,
    token,
  ]
  const { stdout } = await run(process.execPath, args, { cwd: folder })
  assert.equal(stdout, 'Ana\n')
})
