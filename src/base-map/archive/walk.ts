// Walks the directories of an archive to find the tiles within ranges of IDs, reading only relevant directories.
import { readDirectory, type Directory } from './directory.ts'
import { createEntries, type Entries } from './entries.ts'
import type { Header } from './header.ts'
import { readRange, type ArchiveSource } from './source.ts'
import { rangeAfter, type IdRanges } from './tile-ids.ts'
import { wrongArchive } from './wrong-archive.ts'

/** The same depth as browser clients; it also stops directories that refer to themselves. */
const maxDepth = 4
/** Compressed; archives of the whole earth have about 200 kB. */
const maxLeafBytes = 2 * 1024 ** 2
/** Adjacent leaves are read in one request. */
const maxReadBytes = 2 * 1024 ** 2
const maxLeaves = 200_000
/** Number of reads ahead of the current one. */
const ahead = 3

interface Leaf {
  readonly offset: number
  readonly bytes: number
  /** Its IDs are from here up to but excluding `end`. */
  readonly start: number
  readonly end: number
}

export interface WalkProgress {
  readonly directoryBytes: number
  readonly entries: number
}

interface WalkOptions {
  readonly ranges: IdRanges
  readonly onRead: (progress: WalkProgress) => void
}

/** Adjacent leaves, as one read. */
function batchesOf(leaves: readonly Leaf[]): Leaf[][] {
  const batches: Leaf[][] = []
  let bytes = 0
  for (const leaf of leaves) {
    const batch = batches.at(-1)
    const before = batch?.at(-1)
    if (
      batch &&
      before &&
      before.offset + before.bytes === leaf.offset &&
      bytes + leaf.bytes <= maxReadBytes
    ) {
      batch.push(leaf)
      bytes += leaf.bytes
    } else {
      batches.push([leaf])
      bytes = leaf.bytes
    }
  }
  return batches
}

/** @throws Error with one sentence if the archive is damaged, or the result does not fit. */
export async function walk(
  source: ArchiveSource,
  header: Header,
  root: Buffer,
  { ranges, onRead }: WalkOptions,
): Promise<Entries> {
  const entries = createEntries()
  let directoryBytes = 0
  let leavesRead = 0

  function addTile(id: number, run: number, length: number, offset: number): void {
    if (offset + length > header.tiles.bytes)
      throw wrongArchive('The archive is damaged: it names tiles beyond its end.')
    for (let at = rangeAfter(ranges, id); at < ranges.starts.length; at += 1) {
      const start = Math.max(id, ranges.starts[at] ?? 0)
      const end = Math.min(id + run, ranges.ends[at] ?? 0)
      if (start >= end) return
      entries.add(start, end - start, length, offset)
    }
  }

  const isWanted = (start: number, end: number): boolean => {
    const at = rangeAfter(ranges, start)
    return at < ranges.starts.length && (ranges.starts[at] ?? 0) < end
  }

  async function read(batch: readonly Leaf[]): Promise<Buffer> {
    const [first] = batch
    const bytes = batch.reduce((sum, leaf) => sum + leaf.bytes, 0)
    directoryBytes += bytes
    return readRange(source, header.leaves.offset + (first?.offset ?? 0), bytes)
  }

  async function visitLeaves(leaves: readonly Leaf[], depth: number): Promise<void> {
    if (leaves.length > 0 && depth > maxDepth)
      throw wrongArchive(
        'The archive is damaged: its directories are nested too deeply, or lead to themselves.',
      )
    leavesRead += leaves.length
    if (leavesRead > maxLeaves)
      throw wrongArchive('The archive has too many directories for this box: choose a smaller one.')
    const batches = batchesOf(leaves)
    const reading: Promise<Buffer>[] = []
    for (const [index, batch] of batches.entries()) {
      for (const next of batches.slice(index + reading.length, index + ahead)) {
        const read_ = read(next)
        read_.catch(() => undefined) // reported when it is awaited
        reading.push(read_)
      }
      const bytes = (await reading.shift()) ?? Buffer.alloc(0)
      const [first] = batch
      for (const leaf of batch) {
        const from = leaf.offset - (first?.offset ?? 0)
        const packed = bytes.subarray(from, from + leaf.bytes)
        const directory = await readDirectory(packed, header.internal)
        await visit(directory, leaf.start, leaf.end, depth)
      }
      onRead({ directoryBytes, entries: entries.done().count })
    }
  }

  /** Entries in order; if there are leaves between them, the entries before a leaf are added first. */
  async function visit(directory: Directory, from: number, to: number, depth: number): Promise<void> {
    const { count, ids, runs, lengths, offsets } = directory
    if ((ids[0] ?? 0) < from || (ids[count - 1] ?? 0) + Math.max(1, runs[count - 1] ?? 0) > to)
      throw wrongArchive(
        'The archive is damaged: a directory names tiles that belong to another, or leads to itself.',
      )
    let leaves: Leaf[] = []
    for (let index = 0; index < count; index += 1) {
      const start = ids[index] ?? 0
      const [length, offset] = [lengths[index] ?? 0, offsets[index] ?? 0]
      if (runs[index] === 0) {
        const end = ids[index + 1] ?? to
        if (!isWanted(start, end)) continue
        if (offset + length > header.leaves.bytes || length > maxLeafBytes)
          throw wrongArchive('The archive is damaged: it names directories beyond their part of the file.')
        leaves.push({ offset, bytes: length, start, end })
        continue
      }
      if (leaves.length > 0) await visitLeaves(leaves, depth + 1)
      leaves = []
      addTile(start, runs[index] ?? 0, length, offset)
    }
    await visitLeaves(leaves, depth + 1)
  }

  await visit(await readDirectory(root, header.internal), 0, Number.MAX_SAFE_INTEGER, 1)
  return entries.done()
}
