// The original of a content: stored as it came, or rebuilt from size lg and from what lg lacks of it.
import { createHash } from 'node:crypto'
import type { Blobs, OpenBlob } from '../../storage/port.ts'
import { isOfOriginal, isRemovedName, originalKey, removedName, renditionKey } from './blob-keys.ts'
import { digestOf, type NamedBytes } from './named-bytes.ts'
import type { StoredRendition } from './rendition-table.ts'
import { findRemoved, rebuild as rebuildPieces, rebuildInPieces } from './removed-bytes.ts'
import { digestInTurns, takeWhole, wantedOf, wholeOf, type BlobFault } from './whole-blob.ts'

/** @returns undefined where the two do not belong together; where they do, the pieces may be those of another original. */
function piecesOf(large: Uint8Array, removed: Uint8Array): Uint8Array[] | undefined {
  try {
    return rebuildPieces(large, removed)
  } catch {
    return undefined
  }
}

function digestOfPieces(pieces: readonly Uint8Array[]): string {
  const digest = createHash('sha256')
  for (const piece of pieces) digest.update(piece)
  return digest.digest('hex')
}

/**
 * What has to be kept besides size lg, so that the original need not be.
 * @param sha256 of the upload, hex.
 * @returns undefined where the original has to be kept: it was rebuilt here, and was not the same.
 */
export function removedFrom(sha256: string, upload: Uint8Array, large: NamedBytes): NamedBytes | undefined {
  const bytes = findRemoved(upload, large.bytes)
  if (bytes === undefined) return undefined
  const pieces = piecesOf(large.bytes, bytes)
  if (pieces === undefined || digestOfPieces(pieces) !== sha256) return undefined
  return { name: removedName(large.digest), bytes, digest: digestOf(bytes) }
}

export interface WantedOriginal {
  readonly sha256: string
  readonly bytes: number
}

/** Far above what any upload could leave: what is longer is none of ours. */
const maxBlobBytes = 64 * 1024 ** 2

type Chunks = AsyncIterable<Uint8Array>

const streamOf = (blob: OpenBlob): Chunks => blob.stream(0, blob.bytes - 1) as Chunks

/** @returns undefined where there is none. @throws where the store does not answer. */
export async function readStored(blobs: Pick<Blobs, 'open'>, key: string): Promise<Buffer | undefined> {
  const blob = await blobs.open(key, { wholeBytes: maxBlobBytes })
  if (!blob) return undefined
  if (blob.bytes === 0 || blob.bytes > maxBlobBytes) {
    await blob.close()
    return undefined
  }
  return wholeOf(blob)
}

/** A blob that was read, as a row would tell of it. */
export interface SeenBlob {
  readonly bytes: number
  /** SHA-256, hex. */
  readonly digest: string
}

interface Rebuilt {
  readonly whole: Buffer
  readonly removed: Buffer
  readonly large: SeenBlob
}

/** @throws where the store does not answer. */
async function readRebuilt(blobs: Pick<Blobs, 'open'>, sha256: string): Promise<Rebuilt | undefined> {
  const large = await readStored(blobs, renditionKey(sha256, 'lg'))
  if (!large) return undefined
  const seen = { bytes: large.length, digest: await digestInTurns([large]) }
  const removed = await readStored(blobs, renditionKey(sha256, removedName(seen.digest)))
  const pieces = removed && piecesOf(large, removed)
  if (!pieces || (await digestInTurns(pieces)) !== sha256) return undefined
  return { whole: Buffer.concat(pieces), removed, large: seen }
}

/**
 * The original as it is rebuilt from what is stored; undefined where it cannot be.
 * @throws where the store does not answer.
 */
export const rebuildStored = async (
  blobs: Pick<Blobs, 'open'>,
  sha256: string,
): Promise<Buffer | undefined> => (await readRebuilt(blobs, sha256))?.whole

/** The name of what the size lg that is there lacks of the original; undefined where none is. */
export async function findRemovedName(
  blobs: Pick<Blobs, 'open'>,
  sha256: string,
): Promise<string | undefined> {
  const large = await readStored(blobs, renditionKey(sha256, 'lg'))
  return large && removedName(digestOf(large))
}

/** Of the blobs that the original is rebuilt from, what is wrong with the first that is not as its row says. */
async function findFault(
  blobs: Pick<Blobs, 'open'>,
  sha256: string,
  renditions: readonly StoredRendition[],
): Promise<BlobFault> {
  for (const rendition of renditions.filter(({ name }) => isOfOriginal(name))) {
    const taken = await takeWhole(blobs, wantedOf(sha256, rendition))
    if ('fault' in taken) return taken
  }
  return { fault: 'cannot be rebuilt from what is stored' }
}

export type TakenOriginal =
  | {
      readonly bytes: Buffer
      /** The size lg that it was rebuilt from; undefined where it is stored as it came. */
      readonly large?: SeenBlob
    }
  | BlobFault

/**
 * The original, whole and only as its hash says.
 * @param renditions the rows of the content, which tell how it is stored. Where they are older than what is there, it is
 *   found all the same.
 */
export async function takeOriginal(
  blobs: Pick<Blobs, 'open'>,
  { sha256, bytes }: WantedOriginal,
  renditions: readonly StoredRendition[],
): Promise<TakenOriginal> {
  const isRebuilt = renditions.some(({ name }) => isRemovedName(name))
  // Where the store does not answer, whatever is asked next tells.
  const rebuild = () => readRebuilt(blobs, sha256).catch(() => undefined)
  const first = isRebuilt ? await rebuild() : undefined
  if (first) return { bytes: first.whole, large: first.large }
  const taken = await takeWhole(blobs, { key: originalKey(sha256), bytes, digest: sha256 })
  if ('bytes' in taken) return taken
  // Another size lg may have taken the place of the one that was being read, or that of the original.
  const second = await rebuild()
  if (second) return { bytes: second.whole, large: second.large }
  return isRebuilt ? findFault(blobs, sha256, renditions) : taken
}

/** An original to read twice: now as a whole, and then as slowly as somebody takes it. */
export interface OpenOriginal {
  readonly whole: Buffer
  /** The same bytes from where they are stored, which holds hardly any of them in memory. Closes what was opened. */
  readonly stream: () => Chunks
  /** Instead of `stream`. */
  readonly close: () => Promise<void>
}

const inMemory = (whole: Buffer): OpenOriginal => ({
  whole,
  stream: async function* () {
    yield whole
  },
  close: () => Promise.resolve(),
})

// Apart from where the whole is, which what they close over would else keep in memory.
const storedStream = (blob: OpenBlob) => (): Chunks => streamOf(blob)
const rebuiltStream = (large: OpenBlob, removed: Buffer) =>
  async function* (): AsyncGenerator<Uint8Array> {
    const stream = large.stream(0, large.bytes - 1)
    try {
      yield* rebuildInPieces(stream as AsyncIterable<Uint8Array>, removed)
    } finally {
      stream.destroy() // an iterator that never began would leave it open, as where the range is of what lg lacks
    }
  }

/**
 * As `takeOriginal`. What is streamed from is open before anything is read: whoever deletes the photo meanwhile takes away
 * names and not bytes.
 */
export async function openOriginal(
  blobs: Pick<Blobs, 'open'>,
  wanted: WantedOriginal,
  renditions: readonly StoredRendition[],
): Promise<OpenOriginal | BlobFault> {
  const isRebuilt = renditions.some(({ name }) => isRemovedName(name))
  const key = isRebuilt ? renditionKey(wanted.sha256, 'lg') : originalKey(wanted.sha256)
  const opened = await blobs.open(key).catch(() => undefined)
  const rebuilt =
    opened && isRebuilt ? await readRebuilt(blobs, wanted.sha256).catch(() => undefined) : undefined
  if (opened && rebuilt) {
    const { whole, removed } = rebuilt
    return { whole, stream: rebuiltStream(opened, removed), close: () => opened.close() }
  }
  const taken = await takeOriginal(blobs, wanted, renditions)
  if ('bytes' in taken && opened && !isRebuilt && opened.bytes === wanted.bytes)
    return { whole: taken.bytes, stream: storedStream(opened), close: () => opened.close() }
  await opened?.close()
  return 'bytes' in taken ? inMemory(taken.bytes) : taken
}
