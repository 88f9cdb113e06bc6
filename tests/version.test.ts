// The version number: defined in package.json, the same everywhere, and updated by one command.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cp, mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import packageFile from '../package.json' with { type: 'json' }
import { nextOf, places, setVersion, versionsIn } from '../scripts/set-version.ts'
import { newFolder } from './helpers/folders.ts'

const root = path.resolve(import.meta.dirname, '..')
const { version } = packageFile

async function found(folder: string): Promise<Record<string, string[]>> {
  const all = await Promise.all(
    places.map(async (place) => {
      const text = await readFile(path.join(folder, place.file), 'utf8')
      return [place.file, versionsIn(text, place)] as const
    }),
  )
  return Object.fromEntries(all)
}

const expected = (number: string): Record<string, string[]> =>
  Object.fromEntries(
    places.map(({ file, times }) => [
      file,
      file === 'docs/install.md'
        ? [number, number, nextOf(number), number, number, number, nextOf(number)]
        : Array.from({ length: times }, () => number),
    ]),
  )

void test('every place has the version of package.json', async () => {
  assert.deepEqual(await found(root), expected(version))
})

void test('npm run set-version changes all of them and nothing else', async (t) => {
  const folder = await newFolder(t)
  for (const { file } of places) {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true })
    await cp(path.join(root, file), path.join(folder, file))
  }
  await setVersion(folder, '1.12.3')
  assert.deepEqual(await found(folder), expected('1.12.3'))
  await setVersion(folder, version)
  for (const { file } of places)
    assert.equal(
      await readFile(path.join(folder, file), 'utf8'),
      await readFile(path.join(root, file), 'utf8'),
      file,
    )
  await assert.rejects(setVersion(folder, '1.2'), /^Error: Not a version/)
})

void test('no other file names a package with its version', () => {
  const pattern = String.raw`waymark[-_](client-|placing-)?[0-9]+\.[0-9]+\.[0-9]+`
  const named = execFileSync('git', ['grep', '-lE', pattern], { cwd: root, encoding: 'utf8' })
    .trim()
    .split('\n')
  // What has happened stays as it was.
  const known = new Set([...places.map(({ file }) => file), 'CHANGELOG.md'])
  assert.deepEqual(
    named.filter((file) => !known.has(file)),
    [],
  )
})
