// The SDK of AWS is loaded where photos are kept in S3, and nowhere else: it is 20 MB of code.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { newFolder } from '../helpers/folders.ts'

const urlOf = (file: string): string =>
  JSON.stringify(pathToFileURL(path.resolve(import.meta.dirname, '../..', file)).href)

const program = `
import { registerHooks } from 'node:module'
let loaded = 0
registerHooks({
  load: (url, context, next) => {
    if (/node_modules.@(?:aws-sdk|smithy)/.test(url)) loaded += 1
    return next(url, context)
  },
})
const { readConfig } = await import(${urlOf('src/settings/config.ts')})
const { openInstallation } = await import(${urlOf('src/installation.ts')})
const { openBlobs } = await import(${urlOf('src/storage/blob-store.ts')})
await import(${urlOf('src/main.ts')})
await import(${urlOf('cli/cli.ts')})
const installation = await openInstallation(readConfig({ DATA_DIR: process.argv[1] }))
await installation.close()
const onFiles = loaded
const blobs = await openBlobs(readConfig({ DATA_DIR: process.argv[1], BLOB_URL: 's3://photos?region=eu-central-1' }))
await blobs.close()
process.stdout.write(JSON.stringify({ onFiles, onS3: loaded > 0 }))
process.exit(0)
`

void test('an installation on files does not load the AWS SDK', async (t) => {
  const args = ['--input-type=module', '--eval', program, await newFolder(t)]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  assert.deepEqual(JSON.parse(stdout), { onFiles: 0, onS3: true })
})
