// Writes a brotli file at the highest level beside each file of the build: the server has no time for that while a
// visitor waits.
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import type { Plugin } from 'vite'

/** Pictures and fonts are compressed already; shorter files would hardly shrink. */
const worthIt = /^app\/.*\.(js|css|json|svg|wasm)$/
const minBytes = 512

const compress = promisify(brotliCompress)

async function writeCompressed(file: string): Promise<void> {
  const bytes = await readFile(file)
  if (bytes.length < minBytes) return
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  }
  await writeFile(`${file}.br`, await compress(bytes, { params }))
}

export function compressed(): Plugin {
  return {
    name: 'waymark:compressed',
    apply: 'build',
    writeBundle: async ({ dir = '' }, bundle) => {
      const files = Object.keys(bundle).filter((name) => worthIt.test(name))
      await Promise.all(files.map((name) => writeCompressed(path.join(dir, name))))
    },
  }
}
