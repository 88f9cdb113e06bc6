// The interface of a blob store, with two implementations: files (fs-blobs.ts) and S3 (s3-blobs.ts).
import type { Readable } from 'node:stream'

/** Bytes as they arrive. */
export interface ByteSource extends AsyncIterable<Uint8Array> {
  /**
   * A store calls it with each chunk that it no longer needs, so that the memory can be freed at once: left to the
   * garbage collector, 64 chunks per photo made it run longer than the rest of an upload took.
   */
  readonly release?: (chunk: Uint8Array) => void
}

/** Bytes received but not yet visible under any key. Either `keep` or `discard` must be called. */
export interface StagedBlob {
  /** SHA-256 of the bytes, hex. */
  readonly sha256: string
  readonly bytes: number
  /** Fills the buffer with the bytes from `from` on. */
  readInto(memory: Buffer, from: number): Promise<void>
  /** Makes the bytes durable, then visible under the key, in one step; when it resolves they survive a power cut. */
  keep(key: string): Promise<void>
  /** Forgets the bytes. Does nothing after `keep`. */
  discard(): Promise<void>
}

export interface OpenBlob {
  readonly bytes: number
  /** All of it, if it was read completely; then there is nothing to close. */
  readonly whole?: Buffer
  /** Streams the bytes from `start` to `end`, both counted from 0 and included; closing the stream frees all. */
  stream(start: number, end: number): Readable
  /** Frees the blob without reading it. */
  close(): Promise<void>
}

export interface OpenOptions {
  /**
   * Says that a blob of up to this size is needed completely and at once. A store may load it when it is opened: one
   * across a network saves a request, and a file is not read in small parts.
   */
  readonly wholeBytes?: number
}

export interface BlobEntry {
  readonly key: string
  readonly bytes: number
  /** When the bytes were last written, in milliseconds since 1970 UTC. */
  readonly writtenAt: number
}

/** A key is lower-case words of `[a-z0-9.]` joined by `/`; `assertKey` enforces this in every store. */
export interface Blobs {
  /**
   * Receives a stream and hashes it.
   * @returns undefined as soon as more than `limitBytes` have arrived; nothing is kept then.
   */
  receive(source: ByteSource, limitBytes: number): Promise<StagedBlob | undefined>
  /**
   * Writes bytes under a key, replacing the old ones; a reader sees the old bytes or the new, never a part.
   * `remakeable` bytes may be lost or damaged by a power cut: their readers verify them.
   */
  put(key: string, bytes: Uint8Array, durability: 'durable' | 'remakeable'): Promise<void>
  /** The whole blob, or undefined if there is none. */
  read(key: string): Promise<Uint8Array | undefined>
  /** This many bytes of the blob from `start` on; undefined if there is no blob, or it ends before. */
  readPart(key: string, start: number, bytes: number): Promise<Uint8Array | undefined>
  open(key: string, options?: OpenOptions): Promise<OpenBlob | undefined>
  has(key: string): Promise<boolean>
  /** The path of a key's file below the folder of the store; only for a store of files. */
  locate?(key: string): string
  /** Deletes the key; succeeds if there is none. */
  remove(key: string): Promise<void>
  /**
   * Deletes the keys, many at once and in any order; succeeds for missing ones.
   * @param mayGoOn is called before each call of the store; if it returns false, no further call is made.
   * @returns the error of each key that may still exist, including those that were not tried.
   */
  removeAll(keys: readonly string[], mayGoOn: () => boolean): Promise<ReadonlyMap<string, Error>>
  /**
   * The blobs whose keys begin with the words of `folder`, such as `original`, or all for `''`, ordered by key.
   * @param after skips keys up to and including this one, which need not exist.
   */
  list(folder: string, after?: string): AsyncIterable<BlobEntry>
  /** Deletes what was received before this time and neither kept nor discarded, as after a crash; returns how many. */
  sweepStaged(before: number): Promise<number>
  /** Checks whether the store can be used, quickly and cheaply. @throws Error of one sentence for the operator. */
  probe(): Promise<void>
  /** Lets go of what the store holds open, such as connections. */
  close(): Promise<void>
}

/** Keys are made by us from hashes and fixed words; this stops a future caller from building one out of input. */
export function assertKey(key: string): string {
  if (!/^[a-z0-9]+(?:[./][a-z0-9]+)*$/.test(key)) throw new Error(`not a blob key: ${JSON.stringify(key)}`)
  return key
}
