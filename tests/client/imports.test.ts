// The SDK has no run-time dependencies, so that it runs in any browser.
import assert from 'node:assert/strict'
import { readFile, readdir } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'

const folder = path.resolve(import.meta.dirname, '../../client')

/** Imports that remain without types. */
function importsAtRunTime(text: string): string[] {
  const statements = text.matchAll(
    /^(import|export)\s(?!type\b)[^'"]*?\bfrom\s+'([^']+)'|^import\s+'([^']+)'/gm,
  )
  const calls = text.matchAll(/\bimport\(\s*(['"][^'"]*['"]|[^)]*)/g)
  return [
    ...[...statements].map(([, , from, bare]) => from ?? bare ?? ''),
    ...[...calls].map(([, from]) => from ?? ''),
  ]
}

/** Globals that browsers or Node do not have. */
const platforms = /\b(Buffer|__dirname|require|window|document|localStorage|navigator)\b|\bprocess\./

void test('client/ imports only itself at run time, and uses nothing specific to one platform', async () => {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.ts'))
  assert.ok(files.length > 15, `only ${files.length} files`)
  const odd: string[] = []
  for (const file of files) {
    const text = await readFile(path.join(folder, file), 'utf8')
    for (const from of importsAtRunTime(text))
      if (!/^\.\/[a-z-]+\.ts$/.test(from)) odd.push(`${file} imports ${from}`)
    const code = text.replaceAll(/^\s*(\/\/|\/?\*).*$/gm, '')
    const [platform] = platforms.exec(code) ?? []
    if (platform !== undefined) odd.push(`${file} uses ${platform}`)
  }
  assert.deepEqual(odd, [])
})

void test('an import at run time is found, and a type import is ignored', () => {
  const found = importsAtRunTime(
    [
      "import { one,\n  two } from 'typebox'",
      "import type { Three } from 'typebox'",
      "export type * from './types.ts'",
      "export { four } from '../src/errors.ts'",
      "import 'side-effect'",
      "const five = import('node:fs')",
    ].join('\n'),
  )
  assert.deepEqual(found, ['typebox', '../src/errors.ts', 'side-effect', "'node:fs'"])
})
