// Building blocks of the blob suite: the store under test, and test data.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { TestContext } from 'node:test'
import type { BlobEntry, Blobs, StagedBlob } from '../../src/storage/port.ts'

export interface StoreUnderTest {
  readonly blobs: Blobs
  /** Number of received but unsettled blobs. */
  countStaged(): Promise<number>
  /** The same store, reopened as by a new process. */
  reopen(): Promise<Blobs>
  /** Number of open files, for stores whose descriptors are not keep-alive connections. */
  openFiles?(): Promise<number | undefined>
}

/** Opens a new, empty store. */
export type OpenStore = (t: TestContext) => Promise<StoreUnderTest>

export async function* chunks(...all: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* all
}

export const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Compares hashes, since printing a difference of large buffers takes minutes. */
export function assertBytes(actual: Uint8Array | undefined, expected: Uint8Array): void {
  assert.ok(actual)
  assert.deepEqual([actual.length, sha256Of(actual)], [expected.length, sha256Of(expected)])
}

/** Bytes without repetition, so that a wrong offset is noticed. */
export const patterned = (length: number): Buffer =>
  Buffer.from(Array.from({ length }, (_, at) => (at * 31 + (at >> 8)) % 251))

export async function listAll(blobs: Blobs): Promise<BlobEntry[]> {
  const entries = await Array.fromAsync(blobs.list(''))
  return entries.toSorted((a, b) => (a.key < b.key ? -1 : 1))
}

export async function readStaged(staged: StagedBlob): Promise<Buffer> {
  const whole = Buffer.alloc(staged.bytes)
  await staged.readInto(whole, 0)
  return whole
}

export async function receiveWhole(blobs: Blobs, bytes: Uint8Array) {
  const staged = await blobs.receive(chunks(bytes), bytes.length)
  assert.ok(staged)
  return staged
}
