// The order of system calls that makes a blob survive a power cut, checked with strace: write, fsync, rename, fsync of
// the folder.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { newFolder } from '../helpers/folders.ts'
import { whyNoStrace } from '../helpers/tools.ts'

const run = promisify(execFile)
const writer = path.join(import.meta.dirname, 'fs-blob-writer.ts')

/** The completed calls in order, as `name path`, with paths relative to the store. */
async function trace(root: string): Promise<string[]> {
  const log = `${root}.strace`
  const calls = 'trace=openat,write,writev,pwrite64,pwritev,fsync,fdatasync,rename,renameat,renameat2,mkdir'
  await run('strace', ['-f', '-y', '-s', '0', '-e', calls, '-o', log, process.execPath, writer, root])
  const begun = new Map<string, string>()
  const finished: string[] = []
  for (const line of (await readFile(log, 'utf8')).split('\n')) {
    const [, thread = '', rest = ''] = /^(\d+) +(.*)$/.exec(line) ?? []
    const [, start] = /^(.*) <unfinished \.\.\.>$/.exec(rest) ?? []
    if (start !== undefined) begun.set(thread, start)
    else if (rest.startsWith('<... ')) finished.push(`${begun.get(thread) ?? ''}${rest}`)
    else finished.push(rest)
  }
  return finished.filter((call) => call.includes(root)).map((call) => callOf(call, root))
}

/** `fsync(21<…/tmp/123>) = 0` → `fsync tmp/*`: names of temporary files are random. */
function callOf(call: string, root: string): string {
  const name = /^[a-z0-9]+/.exec(call)?.[0] ?? call
  const paths = [...call.matchAll(/[<"]([^<>"]*)[>"]/g)].map(([, found = '']) => found)
  const own = paths
    .filter((found) => found.startsWith(root))
    .map((found) => path.relative(root, found) || '.')
  const isNew = call.includes('O_EXCL') ? ' new' : ''
  const words = own.map((found) => found.replace(/^tmp\/.+/, 'tmp/*'))
  return `${name}${isNew} ${(name === 'openat' ? words.slice(0, 1) : words).join(' ')}`
}

const skip = whyNoStrace()

void test(
  'a blob is written, synced, renamed into place, and its folder synced, in this order',
  { skip },
  async (t) => {
    const root = path.join(await newFolder(t), 'blobs')
    const calls = await trace(root)
    const interesting = calls.filter((call) => /^(openat new|p?write|f(data)?sync|rename)/.test(call))
    const upload = interesting.indexOf('openat new tmp/*')
    assert.deepEqual(interesting.slice(upload), [
      'openat new tmp/*',
      'writev tmp/*', // what came in two pieces
      'fsync tmp/*',
      // Each new folder becomes durable in its parent before anything is put in it.
      'fsync kept',
      'fsync kept/original',
      'rename tmp/* kept/original/ab/kept',
      'fsync kept/original/ab',
      'openat new tmp/*',
      'write tmp/*',
      'fsync tmp/*',
      'fsync kept',
      'fsync kept/rendition',
      'rename tmp/* kept/rendition/ab/large',
      'fsync kept/rendition/ab',
      'openat new tmp/*',
      'write tmp/*',
      'rename tmp/* kept/rendition/ab/small',
    ])
  },
)
