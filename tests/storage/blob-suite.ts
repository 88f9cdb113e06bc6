// Tests that hold for every blob store. Each store's test file runs them.
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import {
  assertBytes,
  listAll,
  patterned,
  readStaged,
  chunks,
  receiveWhole,
  sha256Of,
  type OpenStore,
} from './blob-suite-parts.ts'
import { testReading } from './blob-suite-reading.ts'

const badKeys = ['', '/', '.', '..', '/a', 'a/', 'a//b', '../a', 'a/../b', 'a/./b', '.a', 'a.', 'a..b']
const oddKeys = ['A', 'a b', 'a\\b', 'a\0', 'a\n', 'ä', '%2e', 'a-b', 'a_b', '~', 'c:a']
const megabyte = 1024 * 1024

function testReceiving(name: string, open: OpenStore): void {
  void test(`${name}: received data is hashed, stays invisible, and exists once it is stored`, async (t) => {
    const { blobs, countStaged } = await open(t)
    const bytes = patterned(200_000)
    const staged = await blobs.receive(
      chunks(bytes.subarray(0, 1), bytes.subarray(1, 70_000), bytes.subarray(70_000)),
      megabyte,
    )
    assert.ok(staged)
    assert.equal(staged.bytes, bytes.length)
    assert.equal(staged.sha256, sha256Of(bytes))
    assertBytes(await readStaged(staged), bytes)
    const stretch = Buffer.alloc(1_000)
    await staged.readInto(stretch, 69_500)
    assertBytes(stretch, bytes.subarray(69_500, 70_500))
    await assert.rejects(staged.readInto(stretch, bytes.length - 1), /bytes and not 200000/)
    assert.deepEqual(await listAll(blobs), [])

    await staged.keep('a/b1')
    assertBytes(await blobs.read('a/b1'), bytes)
    await staged.discard()
    assert.equal(await blobs.has('a/b1'), true, 'discard after keep takes nothing away')
    assert.equal(await countStaged(), 0)
  })

  void test(`${name}: discarded data leaves nothing`, async (t) => {
    const { blobs, countStaged } = await open(t)
    const staged = await receiveWhole(blobs, patterned(10))
    assert.equal(await countStaged(), 1)
    await staged.discard()
    await staged.discard()
    assert.equal(await countStaged(), 0)
    assert.deepEqual(await listAll(blobs), [])
  })

  void test(`${name}: the limit is inclusive, and one byte more ends reading at once`, async (t) => {
    const { blobs, countStaged } = await open(t)
    const exact = await blobs.receive(chunks(patterned(600), patterned(400)), 1000)
    assert.equal(exact?.bytes, 1000)
    await exact.discard()

    let pulled = 0
    let isClosed = false
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) {
          pulled += 1
          yield patterned(501)
        }
      } finally {
        isClosed = true
      }
    }
    assert.equal(await blobs.receive(endless(), 1000), undefined)
    assert.deepEqual({ pulled, isClosed }, { pulled: 2, isClosed: true })
    assert.equal(await countStaged(), 0)
  })

  void test(`${name}: an empty blob can be received`, async (t) => {
    const { blobs } = await open(t)
    const staged = await blobs.receive(chunks(), 10)
    assert.equal(staged?.bytes, 0)
    assert.equal(staged.sha256, sha256Of(Buffer.alloc(0)))
    await staged.discard()
  })

  void test(`${name}: a source that fails or is interrupted is reported and leaves nothing`, async (t) => {
    const { blobs, countStaged } = await open(t)
    const fault = new Error('the line is dead')
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield patterned(100_000)
      throw fault
    }
    await assert.rejects(blobs.receive(failing(), megabyte), fault)

    let reads = 0
    const cut = new Readable({
      read() {
        reads += 1
        if (reads === 1) this.push(patterned(1000))
        else this.destroy()
      },
    })
    await assert.rejects(blobs.receive(cut, megabyte), { code: 'ERR_STREAM_PREMATURE_CLOSE' })
    assert.equal(await countStaged(), 0)
    assert.deepEqual(await listAll(blobs), [])
  })

  void test(`${name}: staged leftovers of a crash are deleted, new and active ones stay`, async (t) => {
    const { blobs, countStaged, reopen } = await open(t)
    const [first] = [await receiveWhole(blobs, patterned(5)), await receiveWhole(blobs, patterned(6))]
    assert.equal(await blobs.sweepStaged(Date.now() + 60_000), 0) // with a clock that is ahead
    assert.equal(await countStaged(), 2)
    await first.keep('kept')
    const next = await reopen()
    assert.equal(await next.sweepStaged(Date.now() - 60_000), 0)
    assert.equal(await next.sweepStaged(Date.now() + 60_000), 1)
    assert.equal(await countStaged(), 0)
    assert.equal(await next.has('kept'), true)
  })
}

function testKeeping(name: string, open: OpenStore): void {
  void test(`${name}: a key has what was last stored there, until it is deleted`, async (t) => {
    const { blobs, countStaged } = await open(t)
    assert.equal(await blobs.read('x/y'), undefined)
    assert.equal(await blobs.open('x/y'), undefined)
    assert.equal(await blobs.has('x/y'), false)
    await blobs.remove('x/y')

    for (const [size, durability] of [
      [70_000, 'durable'],
      [3, 'remakeable'],
      [0, 'durable'],
    ] as const) {
      const bytes = patterned(size)
      await blobs.put('x/y', bytes, durability)
      assertBytes(await blobs.read('x/y'), bytes)
      assert.equal(await blobs.has('x/y'), true)
      assert.deepEqual(
        (await listAll(blobs)).map(({ key, bytes }) => ({ key, bytes })),
        [{ key: 'x/y', bytes: size }],
      )
    }
    await blobs.remove('x/y')
    assert.equal(await blobs.read('x/y'), undefined)
    assert.equal(await countStaged(), 0)
  })

  void test(`${name}: many keys are deleted at once, whether or not they exist, and no others`, async (t) => {
    const { blobs } = await open(t)
    const keys = Array.from({ length: 70 }, (_, at) => `original/${at % 7}/k${at}`)
    for (const key of keys) await blobs.put(key, patterned(3), 'durable')
    const [kept, ...gone] = keys
    const failed = await blobs.removeAll([...gone, 'original/0', 'nothing/at/all', 'A'], () => true)
    assert.deepEqual([...failed.keys()], ['A'])
    assert.match(failed.get('A')?.message ?? '', /not a blob key/)
    assert.deepEqual(
      (await listAll(blobs)).map(({ key }) => key),
      [kept],
    )
    assert.deepEqual([...(await blobs.removeAll([], () => true))], [])
    const stopped = await blobs.removeAll([kept ?? ''], () => false)
    assert.deepEqual([...stopped.keys()], [kept])
    assert.equal(await blobs.has(kept ?? ''), true)
  })

  void test(`${name}: a folder lists its own blobs in order of keys, or nothing`, async (t) => {
    const { blobs } = await open(t)
    for (const key of [
      'rendition/ab/3',
      'original/ab/1.b',
      'original/ab/1',
      'original/abc/2',
      'original/0/9',
    ]) {
      await blobs.put(key, patterned(10), 'durable')
    }
    const keysIn = async (folder: string) => (await Array.fromAsync(blobs.list(folder))).map(({ key }) => key)
    assert.deepEqual(await keysIn('original/ab'), ['original/ab/1', 'original/ab/1.b'])
    assert.deepEqual(await keysIn('original'), [
      'original/0/9',
      'original/ab/1',
      'original/ab/1.b',
      'original/abc/2',
    ])
    assert.deepEqual(await keysIn('original/ff'), [])
    assert.deepEqual(await keysIn('nothing'), [])
  })

  void test(`${name}: a list starts after any string, whether or not it is a key`, async (t) => {
    const { blobs } = await open(t)
    const keys = ['a', 'original/0/9', 'original/ab/1', 'original/ab/1.b', 'original/ac/0', 'rendition/ab/3']
    for (const key of keys) await blobs.put(key, patterned(10), 'durable')
    const keysIn = async (folder: string, after?: string) =>
      (await Array.fromAsync(blobs.list(folder, after))).map(({ key }) => key)
    assert.deepEqual(await keysIn(''), keys)
    for (const after of [...keys, 'a0', 'o', 'original', 'original/a', 'original/ab', 'original/ab/0', 'z']) {
      const later = keys.filter((key) => key > after)
      assert.deepEqual(await keysIn('', after), later, after)
      const below = later.filter((key) => key.startsWith('original/'))
      assert.deepEqual(await keysIn('original', after), below, after)
    }
  })

  void test(`${name}: every blob is listed with its size and time of writing`, async (t) => {
    const { blobs } = await open(t)
    const slackMs = 5_000
    const before = Date.now() - slackMs
    await blobs.put('r/ab/ab.lg', patterned(7), 'durable')
    await blobs.put('r/ab/ab.sm.jpeg', patterned(8), 'remakeable')
    await (await receiveWhole(blobs, patterned(9))).keep('o/ab/ab')
    const listed = await listAll(blobs)
    assert.deepEqual(
      listed.map(({ key, bytes }) => `${key} ${bytes}`),
      ['o/ab/ab 9', 'r/ab/ab.lg 7', 'r/ab/ab.sm.jpeg 8'],
    )
    for (const { writtenAt } of listed) assert.ok(writtenAt >= before && writtenAt <= Date.now() + slackMs)
  })

  void test(`${name}: a key that is only the prefix of others has nothing`, async (t) => {
    const { blobs } = await open(t)
    await blobs.put('p/q/r', patterned(3), 'durable')
    for (const key of ['p', 'p/q', 'p/q/r/s']) {
      assert.equal(await blobs.has(key), false, key)
      assert.equal(await blobs.read(key), undefined, key)
      assert.equal(await blobs.open(key), undefined, key)
    }
  })

  void test(`${name}: keys that could leave the store are refused by every call`, async (t) => {
    const { blobs } = await open(t)
    const staged = await receiveWhole(blobs, patterned(4))
    for (const key of [...badKeys, ...oddKeys]) {
      const refused = { message: `not a blob key: ${JSON.stringify(key)}` }
      await assert.rejects(async () => blobs.put(key, patterned(1), 'durable'), refused)
      await assert.rejects(async () => blobs.read(key), refused)
      await assert.rejects(async () => blobs.open(key), refused)
      await assert.rejects(async () => blobs.has(key), refused)
      await assert.rejects(async () => blobs.remove(key), refused)
      await assert.rejects(async () => staged.keep(key), refused)
    }
    assert.deepEqual(await listAll(blobs), [])
    await staged.keep('good')
    assert.equal(await blobs.has('good'), true)
  })
}

/** Runs the suite with one store. */
export function testBlobStore(name: string, open: OpenStore): void {
  testReceiving(name, open)
  testKeeping(name, open)
  testReading(name, open)
}
