// The remainder of an upload besides size lg: together they give the upload bit for bit, whatever was removed or changed.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { findRemoved, rebuild, rebuildInPieces } from '../../../src/images/storage/removed-bytes.ts'
import { inspect } from '../../helpers/imaging.ts'
import { jpegPicture } from '../../helpers/pictures.ts'

const rebuilt = (large: Uint8Array, removed: Uint8Array): Buffer => Buffer.concat(rebuild(large, removed))

void test('an upload is rebuilt exactly from any other bytes, or no remainder is found', () => {
  const edit = fc.record({
    at: fc.nat(20_000),
    removed: fc.nat(3_000),
    added: fc.uint8Array({ maxLength: 600 }),
  })
  const upload = fc.oneof(
    fc.uint8Array({ maxLength: 20_000, minLength: 1 }),
    fc.nat(20_000).map((length) => new Uint8Array(randomBytes(length + 1))),
    fc.nat(20_000).map((length) => new Uint8Array(length + 1).fill(7)), // all bytes are equal
  )
  fc.assert(
    fc.property(upload, fc.array(edit, { maxLength: 12 }), (bytes, edits) => {
      let large = Buffer.from(bytes)
      for (const { at, removed, added } of edits)
        large = Buffer.concat([large.subarray(0, at), added, large.subarray(at + removed)])
      const found = findRemoved(bytes, large)
      if (found === undefined) return
      assert.ok(found.length < bytes.length)
      assert.ok(rebuilt(large, found).equals(bytes))
    }),
    { numRuns: 2_000 },
  )
})

void test('a photo with metadata and a tail is stored once: beside lg, only what lg leaves out is stored', async () => {
  const photo = await jpegPicture({ width: 1_200, height: 900 })
  const privately = randomBytes(40_000)
  const segment = Buffer.concat([Buffer.from([0xff, 0xe1, 0x9c, 0x48]), Buffer.from('Exif\0\0'), privately])
  const upload = Buffer.concat([photo.subarray(0, 2), segment, photo.subarray(2), randomBytes(10_000)])
  const { large } = await inspect(upload)
  assert.equal(Buffer.from(large).indexOf(privately.subarray(0, 16)), -1)
  const removed = findRemoved(upload, large)
  assert.ok(removed !== undefined && removed.length < upload.length - large.length + 200)
  assert.ok(rebuilt(large, removed).equals(upload))
})

void test('a size lg read in chunks gives the same result, and its stream is closed however reading ends', async () => {
  let closed = 0
  async function* inPieces(bytes: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
    try {
      for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
    } finally {
      closed += 1
    }
  }
  const upload = randomBytes(9_000)
  const large = Buffer.concat([
    upload.subarray(0, 900),
    upload.subarray(1_000, 4_000),
    randomBytes(77),
    upload.subarray(4_000, 8_500),
    randomBytes(50),
  ])
  const removed = findRemoved(upload, large)
  assert.ok(removed && removed.length < 1_000)
  const lengths = [1, 7, 100, 899, 900, 901, 3_000, 10_000]
  for (const length of lengths) {
    const pieces: Uint8Array[] = await Array.fromAsync(rebuildInPieces(inPieces(large, length), removed))
    assert.ok(Buffer.concat(pieces).equals(upload), `in pieces of ${length}`)
  }
  assert.equal(closed, lengths.length)
  for await (const piece of rebuildInPieces(inPieces(large, 100), removed)) if (piece.length > 0) break
  const cut = Buffer.concat(
    await Array.fromAsync(rebuildInPieces(inPieces(large.subarray(0, 2_000), 64), removed)),
  )
  assert.ok(cut.length < upload.length && upload.subarray(0, cut.length).equals(cut))
  assert.equal(closed, lengths.length + 2)
})

void test('no remainder is found for bytes that have nothing in common', () => {
  assert.equal(findRemoved(randomBytes(5_000), randomBytes(5_000)), undefined)
})

void test('identical bytes need a remainder of only a few bytes', () => {
  const bytes = randomBytes(300_000)
  const removed = findRemoved(bytes, bytes)
  assert.ok(removed !== undefined && removed.length < 20)
  assert.ok(rebuilt(bytes, removed).equals(bytes))
})

void test('a damaged remainder is detected or gives a different upload, and takes no longer to process', () => {
  const bytes = randomBytes(2_000)
  const large = Buffer.concat([bytes.subarray(0, 500), bytes.subarray(700)])
  const removed = findRemoved(bytes, large) ?? Buffer.alloc(0)
  for (let at = 0; at < 40; at += 1) {
    for (const value of [0, 0x7f, 0x80, 0xff]) {
      const damaged = Buffer.from(removed)
      damaged[at] = value
      try {
        assert.ok(rebuild(large, damaged).length < 100)
      } catch (error) {
        assert.match(String(error), /damaged/)
      }
    }
  }
  for (let length = 0; length < removed.length; length += 1) {
    try {
      assert.ok(!rebuilt(large, removed.subarray(0, length)).equals(bytes))
    } catch (error) {
      assert.match(String(error), /damaged/)
    }
  }
})
