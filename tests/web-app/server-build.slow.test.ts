// The server build of the app is self-contained: a production installation has no React and no map library.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { copyFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { newFolder } from '../helpers/folders.ts'

const file = path.resolve(import.meta.dirname, '../../dist/web/server/server.js')

void test(
  'the app built for the server loads without installed libraries',
  { skip: !existsSync(file) && 'the app is not built (npm run build)' },
  async (t) => {
    const folder = await newFolder(t)
    await writeFile(path.join(folder, 'package.json'), '{ "type": "module" }')
    await copyFile(file, path.join(folder, 'server.js'))
    const { href } = pathToFileURL(path.join(folder, 'server.js'))
    const app: unknown = await import(`${href}?language=en`)
    assert.ok(Object.keys(Object(app)).includes('render'))
  },
)
