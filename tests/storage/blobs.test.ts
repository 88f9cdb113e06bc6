// The blob suite with every store, and tests of the file store alone.
import assert from 'node:assert/strict'
import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { createFsBlobs } from '../../src/storage/fs-blobs.ts'
import { filesBelow, newFolder } from '../helpers/folders.ts'
import { testBlobStore } from './blob-suite.ts'

async function openFiles(t: TestContext) {
  const root = path.join(await newFolder(t), 'blobs')
  const blobs = await createFsBlobs(root)
  const countStaged = async () => (await readdir(path.join(root, 'tmp'))).length
  return { root, blobs, countStaged, reopen: () => createFsBlobs(root) }
}

testBlobStore('files', openFiles)

const permissionsOf = async (file: string): Promise<string> => ((await stat(file)).mode & 0o777).toString(8)

void test('files: only the owner may read photos', { skip: process.platform === 'win32' }, async (t) => {
  const { root, blobs } = await openFiles(t)
  await blobs.put('original/ab/abc', Buffer.from('put'), 'durable')
  const staged = await blobs.receive(
    (async function* () {
      yield Buffer.from('staged')
    })(),
    10,
  )
  await staged?.keep('original/cd/cde')
  await blobs.receive(
    (async function* () {
      yield Buffer.from('left')
    })(),
    10,
  )

  const files = await filesBelow(root)
  assert.equal(files.length, 3)
  for (const file of files) assert.equal(await permissionsOf(path.join(root, file)), '600', file)
  const folders = await readdir(root, { recursive: true, withFileTypes: true })
  const names = folders
    .filter((entry) => entry.isDirectory())
    .map(({ parentPath, name }) => path.join(parentPath, name))
  assert.equal(names.length, 5)
  for (const folder of [root, ...names]) assert.equal(await permissionsOf(folder), '700', folder)
})

void test('files: a reopened store has the blobs of the previous one', async (t) => {
  const { root, blobs } = await openFiles(t)
  await blobs.put('a/b', Buffer.from('bytes'), 'durable')
  const again = await createFsBlobs(root)
  assert.equal(Buffer.from((await again.read('a/b')) ?? []).toString(), 'bytes')
  await again.put('a/b', Buffer.from('other'), 'durable')
  assert.equal(Buffer.from((await blobs.read('a/b')) ?? []).toString(), 'other')
})

void test('files: a put that cannot be completed leaves no temporary file', async (t) => {
  const { blobs, countStaged } = await openFiles(t)
  await blobs.put('a', Buffer.from('a file where the next key wants a folder'), 'durable')
  await assert.rejects(blobs.put('a/b', Buffer.from('x'), 'durable'))
  assert.equal(await countStaged(), 0)
})
