// What Waymark asks of a place that keeps bytes. Two plugs: files (fs-blobs.ts) and S3 (s3-blobs.ts).
import type { Readable } from 'node:stream'

/** Bytes as they come. */
export interface ByteSource extends AsyncIterable<Uint8Array> {
  /**
   * A store calls it with each piece that it will not look at again, so that the memory can be freed at once: 64 pieces of
   * each photo, left to the garbage collector, made it run for longer than all the rest of an upload took.
   */
  readonly release?: (chunk: Uint8Array) => void
}

/** Bytes received but not yet visible under any key. Either `keep` or `discard` must be called. */
export interface StagedBlob {
  /** SHA-256 of the bytes, hex. */
  readonly sha256: string
  readonly bytes: number
  /** Fills the memory with what stands from `from` on. */
  readInto(memory: Buffer, from: number): Promise<void>
  /** Makes the bytes durable, then visible under the key, in one step; when it resolves they survive a power cut. */
  keep(key: string): Promise<void>
  /** Forgets the bytes. Does nothing after `keep`. */
  discard(): Promise<void>
}

export interface OpenBlob {
  readonly bytes: number
  /** All of it, where it was brought whole; then there is nothing to close. */
  readonly whole?: Buffer
  /** Streams the bytes from `start` to `end`, both counted from 0 and included; closing the stream frees all. */
  stream(start: number, end: number): Readable
  /** Frees the blob without reading it. */
  close(): Promise<void>
}

export interface OpenOptions {
  /**
   * A blob of up to so many bytes is wanted whole and at once. A store may bring it into memory when it is opened: one a
   * network away is not asked a second time, and a file is not read in small pieces.
   */
  readonly wholeBytes?: number
}

export interface BlobEntry {
  readonly key: string
  readonly bytes: number
  /** Milliseconds since 1970 UTC at which the bytes were last put there. */
  readonly writtenAt: number
}

/** A key is lower-case words of `[a-z0-9.]` joined by `/`; `assertKey` holds every store to that. */
export interface Blobs {
  /**
   * Takes in a stream, hashing as it comes.
   * @returns undefined as soon as more than `limitBytes` have come; nothing of them is kept.
   */
  receive(source: ByteSource, limitBytes: number): Promise<StagedBlob | undefined>
  /**
   * Writes bytes under a key, replacing what was there; a reader sees the old bytes or the new, never a part.
   * `remakeable` bytes may be lost or damaged by a power cut: whoever reads them checks them.
   */
  put(key: string, bytes: Uint8Array, durability: 'durable' | 'remakeable'): Promise<void>
  /** The whole blob, or undefined where the key holds none. */
  read(key: string): Promise<Uint8Array | undefined>
  /** So many bytes of the blob from `start` on; undefined where the key holds none, or fewer. */
  readPart(key: string, start: number, bytes: number): Promise<Uint8Array | undefined>
  open(key: string, options?: OpenOptions): Promise<OpenBlob | undefined>
  has(key: string): Promise<boolean>
  /** Where the file of a key lies, below the folder of the store's files; only a store of files has it. */
  locate?(key: string): string
  /** Removes the key; it is no failure where there is none. */
  remove(key: string): Promise<void>
  /**
   * Removes the keys, many at once and in no order; it is no failure where there is none.
   * @param mayGoOn is asked before each call of the store; where it says no, nothing more is begun.
   * @returns why, of each key that is not known to be gone, those that were not begun too.
   */
  removeAll(keys: readonly string[], mayGoOn: () => boolean): Promise<ReadonlyMap<string, Error>>
  /**
   * The blobs whose keys begin with the words of `folder`, such as `original`, or all for `''`; in the order of keys.
   * @param after leaves out, unlisted, what comes before it in that order, and itself; it need be no key that there is.
   */
  list(folder: string, after?: string): AsyncIterable<BlobEntry>
  /** Removes what was received before the moment and neither kept nor discarded, as after a crash; says how many. */
  sweepStaged(before: number): Promise<number>
  /** Asks whether the store can be used now, soon and cheaply. @throws Error of one sentence for the operator. */
  probe(): Promise<void>
  /** Lets go of what the store holds open, such as connections. */
  close(): Promise<void>
}

/** Keys are made by us from hashes and fixed words; this stops a future caller from building one out of input. */
export function assertKey(key: string): string {
  if (!/^[a-z0-9]+(?:[./][a-z0-9]+)*$/.test(key)) throw new Error(`not a blob key: ${JSON.stringify(key)}`)
  return key
}
