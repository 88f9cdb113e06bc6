// The blob suite's tests of reading: ranges, parallel reads, and abandoned readers.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import type { Blobs } from '../../src/storage/port.ts'
import { openDescriptors } from '../helpers/folders.ts'
import { assertBytes, listAll, patterned, chunks, receiveWhole, type OpenStore } from './blob-suite-parts.ts'

async function readRange(blobs: Blobs, key: string, start: number, end: number): Promise<Buffer> {
  const blob = await blobs.open(key)
  assert.ok(blob)
  return buffer(blob.stream(start, end))
}

function testStreaming(name: string, open: OpenStore): void {
  void test(`${name}: ranges are streamed byte for byte, both ends included`, async (t) => {
    const { blobs } = await open(t)
    const bytes = patterned(150_000)
    await blobs.put('s', bytes, 'durable')
    for (const [start, end] of [
      [0, 149_999],
      [0, 0],
      [149_999, 149_999],
      [65_535, 65_536],
      [1, 131_071],
    ] as const) {
      assertBytes(await readRange(blobs, 's', start, end), bytes.subarray(start, end + 1))
    }
    assert.equal((await blobs.open('s').then(async (blob) => (await blob?.close(), blob)))?.bytes, 150_000)
  })

  void test(`${name}: a part is read byte for byte, and is nothing if it is incomplete`, async (t) => {
    const { blobs } = await open(t)
    const bytes = patterned(150_000)
    await blobs.put('s', bytes, 'remakeable')
    for (const [start, length] of [
      [0, 150_000],
      [0, 1],
      [149_999, 1],
      [65_535, 2],
      [70_000, 80_000],
    ] as const)
      assertBytes(
        Buffer.from((await blobs.readPart('s', start, length)) ?? []),
        bytes.subarray(start, start + length),
      )
    for (const [key, start, length] of [
      ['s', 0, 150_001],
      ['s', 149_999, 2],
      ['s', 150_000, 1],
      ['s', 1_000_000, 5],
      ['nothing', 0, 1],
    ] as const)
      assert.equal(await blobs.readPart(key, start, length), undefined)
  })

  void test(`${name}: a blob is read whole if requested and short enough, and as a stream otherwise`, async (t) => {
    const { blobs } = await open(t)
    const bytes = patterned(150_000)
    await blobs.put('s', bytes, 'durable')
    for (const wholeBytes of [150_000, 200_000]) {
      const blob = await blobs.open('s', { wholeBytes })
      assert.equal(blob?.bytes, 150_000)
      assertBytes(blob.whole, bytes)
      assertBytes(await buffer(blob.stream(7, 149_990)), bytes.subarray(7, 149_991))
      await blob.close()
    }
    for (const wholeBytes of [0, 149_999]) {
      const blob = await blobs.open('s', { wholeBytes })
      assert.deepEqual([blob?.bytes, blob?.whole], [150_000, undefined])
      assertBytes(await buffer(blob?.stream(0, 149_999) ?? assert.fail()), bytes)
    }
    assert.equal(await blobs.open('none', { wholeBytes: 10 }), undefined)
    await blobs.put('empty', new Uint8Array(0), 'durable')
    assert.equal((await blobs.open('empty', { wholeBytes: 10 }))?.whole?.length, 0)
  })

  void test(`${name}: an open blob never mixes old bytes with new`, async (t) => {
    const { blobs } = await open(t)
    const [old, next] = [Buffer.alloc(300_000, 1), Buffer.alloc(300_000, 2)]
    await blobs.put('s', old, 'durable')
    const blob = await blobs.open('s')
    assert.ok(blob)
    await blobs.put('s', next, 'durable')
    const seen = await buffer(blob.stream(0, blob.bytes - 1)).catch(() => undefined)
    if (seen) assertBytes(seen, old)
    assertBytes(await readRange(blobs, 's', 0, 299_999), next)
  })
}

function testManyAtOnce(name: string, open: OpenStore): void {
  void test(`${name}: with many writers of one key a reader sees one complete blob`, async (t) => {
    const { blobs, countStaged } = await open(t)
    const sizes = Array.from({ length: 24 }, (_, writer) => 50_000 + writer * 7_001)
    const isWhole = (bytes: Uint8Array): boolean => {
      const writer = bytes[0] ?? 255
      return bytes.length === sizes[writer] && bytes.every((byte) => byte === writer)
    }
    await blobs.put('hot', Buffer.alloc(sizes[0] ?? 0, 0), 'durable')
    const writing = new AbortController()
    const reader = async (): Promise<{ reads: number; parts: number }> => {
      const seen = { reads: 0, parts: 0 }
      while (!writing.signal.aborted) {
        if (!isWhole((await blobs.read('hot')) ?? Buffer.alloc(0))) seen.parts += 1
        seen.reads += 1
      }
      return seen
    }
    const readers = [reader(), reader(), reader()]
    const writers = sizes.map((size, writer) =>
      blobs.put('hot', Buffer.alloc(size, writer), writer % 2 === 0 ? 'durable' : 'remakeable'),
    )
    await Promise.all(writers).finally(() => writing.abort())
    for (const { reads, parts } of await Promise.all(readers)) {
      assert.ok(reads > 0)
      assert.equal(parts, 0)
    }
    assert.ok(isWhole((await blobs.read('hot')) ?? Buffer.alloc(0)))
    assert.equal(await countStaged(), 0)
  })

  void test(`${name}: the same bytes stored by many at once are there once, complete`, async (t) => {
    const { blobs, countStaged } = await open(t)
    const bytes = patterned(40_000)
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        const staged = await receiveWhole(blobs, bytes)
        await staged.keep('same/same')
        await staged.discard()
      }),
    )
    assertBytes(await blobs.read('same/same'), bytes)
    assert.equal((await listAll(blobs)).length, 1)
    assert.equal(await countStaged(), 0)
  })

  void test(`${name}: no file descriptor stays open, whatever happens to a reader or writer`, async (t) => {
    const { blobs, openFiles = openDescriptors } = await open(t)
    await blobs.put('d', patterned(300_000), 'durable')
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield patterned(10)
      throw new Error('cut')
    }
    const abandon = async (isStarted: boolean): Promise<void> => {
      const stream = (await blobs.open('d'))?.stream(0, 299_999)
      assert.ok(stream)
      if (isStarted) await once(stream, 'readable')
      stream.destroy()
      if (!stream.closed) await once(stream, 'close')
    }
    const before = await openFiles()
    if (before === undefined) return t.diagnostic('this system does not tell open descriptors')
    for (let round = 0; round < 20; round += 1) {
      await (await receiveWhole(blobs, patterned(100))).keep('k')
      await (await receiveWhole(blobs, patterned(100))).discard()
      assert.equal(await blobs.receive(chunks(patterned(100)), 10), undefined)
      await assert.rejects(blobs.receive(failing(), 100))
      await readRange(blobs, 'd', 5, 50)
      await (await blobs.open('d'))?.close()
      await (await blobs.open('d', { wholeBytes: 10 }))?.close()
      await blobs.open('d', { wholeBytes: 300_000 })
      await abandon(false)
      await abandon(true)
    }
    assert.equal(await openFiles(), before)
  })
}

/** Runs these tests with one store. */
export function testReading(name: string, open: OpenStore): void {
  testStreaming(name, open)
  testManyAtOnce(name, open)
}
