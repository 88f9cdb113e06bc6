// The server passes uploaded files to another process, and neither loads decoders nor allocates memory for them.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** @returns the native libraries of a process after importing the file. */
async function librariesWith(file: string): Promise<string> {
  const script = `
    await import(${JSON.stringify(new URL(file, import.meta.url).href)})
    process.report.excludeNetwork = true
    console.log(process.report.getReport().sharedObjects.join('\\n'))
  `
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script])
  return stdout
}

void test('the server does not load the image decoders; the image worker does', async () => {
  assert.doesNotMatch(await librariesWith('../../src/app.ts'), /vips/)
  assert.match(await librariesWith('../../src/imaging/examine.ts'), /vips/)
})
