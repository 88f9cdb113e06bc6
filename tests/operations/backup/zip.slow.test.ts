// Our zips, read by other programs: more files than 16 bits can count, and offsets beyond 32 bits (ZIP64).
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { open, truncate } from 'node:fs/promises'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { openZip } from '../../../src/operations/backup/zip-reader.ts'
import { createZipWriter } from '../../../src/storage/zip/zip-writer.ts'
import { newFolder } from '../../helpers/folders.ts'

const run = promisify(execFile)
const hasUnzip = spawnSync('unzip', ['-v']).status === 0
const hasPython = spawnSync('python3', ['--version']).status === 0

interface Wanted {
  readonly files: number
  readonly startsAt: number
}

/** After this many zeros, stored as a sparse file. */
async function writeZip(t: TestContext, { files, startsAt }: Wanted): Promise<string> {
  const folder = await newFolder(t)
  const file = path.join(folder, 'many.zip')
  const handle = await open(file, 'wx+')
  const directory = await open(path.join(folder, 'directory'), 'wx+')
  await truncate(file, startsAt)
  let at = startsAt
  const sink = async (bytes: Uint8Array): Promise<void> => {
    await handle.write(bytes, 0, bytes.length, at)
    at += bytes.length
  }
  const zip = createZipWriter({ sink, directory, madeAt: Date.UTC(2026, 4, 14, 9, 8, 7), startsAt })
  for (let number = 0; number < files; number += 1)
    await zip.add(`blobs/${number}`, Buffer.from(`file ${number}`))
  await zip.add('manifest.json', Buffer.from('{}'), 'ahead')
  await zip.end()
  await handle.close()
  await directory.close()
  return file
}

async function judge(file: string, files: number): Promise<void> {
  const zip = await openZip(file)
  let seen = 0
  for await (const entry of zip.entries()) {
    assert.equal(entry.name, seen === 0 ? 'manifest.json' : `blobs/${seen - 1}`)
    if (seen % 5_000 === 1) assert.equal((await entry.read()).toString(), `file ${seen - 1}`)
    seen += 1
  }
  zip.close()
  assert.equal(seen, files + 1)
  if (hasUnzip) await run('unzip', ['-tqq', file])
  const program =
    'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); print(z.testzip(), len(z.infolist()))'
  if (hasPython) assert.equal((await run('python3', ['-c', program, file])).stdout, `None ${files + 1}\n`)
}

const skip = hasUnzip || hasPython ? false : 'neither unzip nor python3 is installed'

void test('a zip with more than 65,535 files', { skip }, async (t) => {
  await judge(await writeZip(t, { files: 70_000, startsAt: 0 }), 70_000)
})

void test('a zip with offsets above 4 GiB, and one just below', { skip }, async (t) => {
  await judge(await writeZip(t, { files: 10, startsAt: 5 * 1024 ** 3 }), 10)
  await judge(await writeZip(t, { files: 1_000, startsAt: 2 ** 32 - 20_000 }), 1_000)
})
