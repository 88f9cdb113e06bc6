// How files are written: in few large writes, with little memory, and one shared folder sync for all waiting writers.
import assert from 'node:assert/strict'
import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { test, type TestContext } from 'node:test'
import { createFsBlobs } from '../../src/storage/fs-blobs.ts'
import { createSharedSync } from '../../src/storage/durable-folders.ts'
import { createStorageFaults } from '../../src/storage/storage-faults.ts'
import { newFolder } from '../helpers/folders.ts'
import { assertBytes, patterned, readStaged } from './blob-suite-parts.ts'

const mebibyte = 1024 * 1024
const maxWaitMs = 20_000

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const begun = performance.now()
  while (!(await isSo())) {
    assert.ok(performance.now() - begun < maxWaitMs, 'it never came to be')
    await setImmediate()
  }
}

/** Folder syncs that end when the test says so. */
function heldSyncs() {
  const begun: PromiseWithResolvers<void>[] = []
  const sync = createSharedSync(() => {
    const held = Promise.withResolvers<void>()
    begun.push(held)
    return held.promise
  })
  return { begun, sync }
}

void test('C17: callers during a sync of a folder share a later sync that begins afterwards', async () => {
  const { begun, sync } = heldSyncs()
  const ended: string[] = []
  const ask = (name: string): Promise<void> => sync('/kept/ab').then(() => void ended.push(name))
  const first = ask('first')
  const later = [ask('second'), ask('third')]
  const elsewhere = sync('/kept/cd')
  assert.equal(begun.length, 2, 'one for each folder')
  begun[0]?.resolve()
  await first
  await until(async () => begun.length === 3)
  assert.deepEqual(ended, ['first'], 'the names of the others came too late for it')
  begun[2]?.resolve()
  await Promise.all(later)
  assert.deepEqual(ended, ['first', 'second', 'third'])
  assert.equal(begun.length, 3)
  begun[1]?.resolve()
  await elsewhere
})

void test('C17: a failed sync fails all callers who share it, and none that come later', async () => {
  const { begun, sync } = heldSyncs()
  const fault = new Error('the disk is dead')
  const first = assert.rejects(sync('/kept/ab'), fault)
  const second = [assert.rejects(sync('/kept/ab'), fault), assert.rejects(sync('/kept/ab'), fault)]
  begun[0]?.reject(fault)
  await first
  await until(async () => begun.length === 2)
  const third = sync('/kept/ab')
  begun[1]?.reject(fault)
  await Promise.all(second)
  await until(async () => begun.length === 3)
  begun[2]?.resolve()
  await third
  const alone = sync('/kept/ab')
  assert.equal(begun.length, 4, 'nobody asks any more, so that the next begins at once')
  begun[3]?.resolve()
  await alone
})

void test('C17: concurrent uploads stored in one folder share its syncs', async (t) => {
  const root = await newFolder(t)
  const uploads = 20
  const folder = path.join(root, 'kept', 'same')
  const filesSynced = Promise.withResolvers<void>()
  let [syncs, isCounting, isFull] = [0, false, false]
  const faults = createStorageFaults()
  const blobs = await createFsBlobs(root, {
    ...faults,
    // Files are synced before, folders after the renames: the folder's first sync waits until every name exists.
    guardSync: async (sync) => {
      if (!isCounting) return sync()
      syncs += 1
      if (syncs === uploads) filesSynced.resolve()
      if (syncs <= uploads) await filesSynced.promise
      else if (!isFull) await until(async () => (isFull = (await readdir(folder)).length === uploads))
      return sync()
    },
  })
  await blobs.put('same/0', patterned(1), 'remakeable') // so that the folder is known to be durable
  await blobs.remove('same/0')
  isCounting = true
  await Promise.all(
    Array.from({ length: uploads }, async (_, index) => {
      const staged = await blobs.receive(source([patterned(10)]), 10)
      await staged?.keep(`same/${index}`)
    }),
  )
  t.diagnostic(`${syncs - uploads} syncs of the folder for ${uploads} uploads`)
  assert.ok(syncs - uploads >= 2 && syncs - uploads < uploads / 2, `${syncs - uploads} syncs of the folder`)
})

async function* source(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* chunks
}

async function open(t: TestContext) {
  const root = await newFolder(t)
  const temporary = path.join(root, 'tmp')
  const blobs = await createFsBlobs(root)
  const bytesStaged = async (): Promise<number> => {
    const sizes = (await readdir(temporary)).map(
      async (name) => (await stat(path.join(temporary, name))).size,
    )
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  }
  return { blobs, bytesStaged }
}

void test('P3: at most one mebibyte of received data is in memory, and each chunk is released once', async (t) => {
  const { blobs } = await open(t)
  const bytes = patterned(2 * mebibyte)
  let [held, max] = [0, 0]
  const cut = function* (): Generator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += 65_536) {
      const chunk = Uint8Array.from(bytes.subarray(at, at + 65_536))
      held += chunk.length
      max = Math.max(max, held)
      yield chunk
    }
  }
  const release = (chunk: Uint8Array): void => {
    held -= chunk.length
    chunk.fill(0)
  }
  const staged = await blobs.receive(Object.assign(source(cut()), { release }), bytes.length)
  assert.ok(max > 65_536 && max <= mebibyte, `${max} bytes`)
  assert.equal(held, 0)
  assertBytes(staged && (await readStaged(staged)), bytes)
  await staged?.discard()
})

void test('P3: data that arrives slowly is written while more is awaited', async (t) => {
  const { blobs, bytesStaged } = await open(t)
  async function* slow(): AsyncGenerator<Uint8Array> {
    for (let sent = 2_000; sent <= 6_000; sent += 2_000) {
      yield patterned(1_900)
      yield patterned(100)
      await until(async () => (await bytesStaged()) === sent)
    }
  }
  const staged = await blobs.receive(slow(), 6_000)
  assert.equal(staged?.bytes, 6_000)
  await staged.discard()
})

void test('files: chunks of any length are written completely and in order, even if a parser reuses the memory of short ones', async (t) => {
  const { blobs } = await open(t)
  const bytes = patterned(300_000)
  const lent = Buffer.alloc(100)
  const cut = function* (): Generator<Uint8Array> {
    for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
      const length = [1, 99, 0, 100, 5_000][turn % 5] ?? 0
      const chunk = bytes.subarray(at, at + length)
      at += chunk.length
      if (length > 100) yield chunk
      else yield lent.subarray(0, lent.fill(0).length && chunk.copy(lent))
    }
  }
  const staged = await blobs.receive(source(cut()), bytes.length)
  assertBytes(staged && (await readStaged(staged)), bytes)
  await staged?.keep('a')
  assertBytes(await blobs.read('a'), bytes)
})
