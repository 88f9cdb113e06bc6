// Extracts the tiles of a bounding box from an archive: reads the directories, downloads the tiles in a resumable
// way, and puts the finished archive in place atomically.
import { open, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { makeFolderDurably, syncFolder } from '../../storage/durable-folders.ts'
import type { Entries } from './entries.ts'
import { fetchTiles } from './fetch-tiles.ts'
import { firstBytes, headerBytes, readHeader, writeHeader, type Box, type Header } from './header.ts'
import { layOut, type Layout } from './layout.ts'
import { readMetadata } from './metadata.ts'
import { order, type Ordered } from './order.ts'
import {
  beginProgress,
  findProgress,
  forgetProgress,
  type Plan,
  type Progress,
  type Wanted,
} from './progress-file.ts'
import { isSameState, readRange, type ArchiveSource } from './source.ts'
import { rangesOfBox } from './tile-ids.ts'
import { walk, type WalkProgress } from './walk.ts'
import { wrongArchive } from './wrong-archive.ts'

export interface ExtractTold {
  /** While directories are read. */
  readonly onLook?: ((progress: WalkProgress) => void) | undefined
  /** When the size of the download is known. @throws to cancel the extract. */
  readonly onPlan?: ((sizes: Plan['sizes'], doneBytes: number) => Promise<void> | void) | undefined
  readonly onProgress?: ((doneBytes: number, allBytes: number) => void) | undefined
}

export interface ExtractWish extends ExtractTold {
  readonly source: ArchiveSource
  readonly wanted: Wanted
  readonly target: string
  /** Discards an earlier unfinished run. */
  readonly isAnew: boolean
  /** @throws if the archive is not of the required kind. */
  readonly check: (header: Header, metadata: Readonly<Record<string, unknown>>) => void
}

export interface Extracted {
  readonly sizes: Plan['sizes']
  readonly header: Header
}

/** The intersection of the box and the source; the full width if either crosses the antimeridian. */
function boundsOf(box: Box, { bounds }: Header): Box {
  const spans = box.west <= box.east
  return {
    west: spans ? Math.max(box.west, bounds.west) : -180,
    east: spans ? Math.min(box.east, bounds.east) : 180,
    south: Math.max(box.south, bounds.south),
    north: Math.min(box.north, bounds.north),
  }
}

function centerOf(bounds: Box, box: Box, zoom: number): Header['center'] {
  const middle = (bounds.west + bounds.east) / 2
  const across = (box.west + box.east + 360) / 2
  const longitude = box.west <= box.east ? middle : across > 180 ? across - 360 : across
  return { zoom, longitude, latitude: (bounds.south + bounds.north) / 2 }
}

interface Found {
  readonly source: Header
  readonly entries: Entries
  readonly ordered: Ordered
  readonly layout: Layout
  readonly directoryBytes: number
}

function headerOf({ source, entries, ordered, layout }: Found, { box, minZoom, maxZoom }: Wanted): Header {
  const zooms = { minZoom: Math.max(minZoom, source.minZoom), maxZoom: Math.min(maxZoom, source.maxZoom) }
  const bounds = boundsOf(box, source)
  const { root, metadata, leaves, tilesAt } = layout
  let addressed = 0
  for (let index = 0; index < entries.count; index += 1) addressed += entries.runs[index] ?? 0
  return {
    root,
    metadata,
    leaves,
    tiles: { offset: tilesAt, bytes: ordered.tileBytes },
    counts: { addressed, entries: entries.count, contents: ordered.contents },
    internal: 'gzip',
    tileCompression: source.tileCompression,
    tileType: source.tileType,
    ...zooms,
    bounds,
    center: centerOf(bounds, box, Math.min(zooms.maxZoom, Math.max(zooms.minZoom, source.center.zoom))),
  }
}

function planOf(found: Found, { source, wanted }: ExtractWish): Plan {
  const header = headerOf(found, wanted)
  const { ordered, layout, directoryBytes } = found
  return {
    wanted,
    source: source.validator,
    sourceTilesAt: found.source.tiles.offset,
    tilesAt: layout.tilesAt,
    header: writeHeader(header).toString('base64'),
    sizes: {
      tiles: header.counts.addressed,
      contents: ordered.contents,
      tileBytes: ordered.tileBytes,
      fetchBytes: ordered.fetchBytes,
      directoryBytes,
      archiveBytes: layout.tilesAt + ordered.tileBytes,
    },
  }
}

/** Everything except the tiles, which is little: the entries of the box, and their locations. */
async function look(wish: ExtractWish): Promise<Found> {
  const { source, wanted, check, onLook } = wish
  const { validator } = source
  const first = await readRange(source, 0, Math.min(firstBytes, validator.bytes))
  const header = readHeader(first, validator.bytes)
  const { metadata, packed } = await readMetadata(source, header)
  check(header, metadata)
  const ranges = rangesOfBox(wanted.box, wanted.minZoom, Math.min(wanted.maxZoom, header.maxZoom))
  let directoryBytes = first.length + packed.length
  const root = first.subarray(header.root.offset, header.root.offset + header.root.bytes)
  const entries = await walk(source, header, root, {
    ranges,
    onRead: (progress) => {
      directoryBytes = first.length + packed.length + progress.directoryBytes
      onLook?.(progress)
    },
  })
  if (entries.count === 0) throw wrongArchive('The archive has no tiles in this box at these zoom levels.')
  const ordered = order(entries)
  return { source: header, entries, ordered, layout: await layOut(entries, packed), directoryBytes }
}

const partOf = (target: string): string => `${target}.part`
const progressFileOf = (target: string): string => `${target}.part.state`

async function begin(wish: ExtractWish): Promise<Progress> {
  const { target, onPlan } = wish
  const found = await look(wish)
  const plan = planOf(found, wish)
  await onPlan?.(plan.sizes, 0)
  await makeFolderDurably(path.dirname(target))
  await forgetProgress(progressFileOf(target))
  const part = await open(partOf(target), 'w', 0o600)
  try {
    let at = headerBytes
    for (const bytes of found.layout.parts) {
      await part.write(bytes, 0, bytes.length, at)
      at += bytes.length
    }
    await part.truncate(plan.sizes.archiveBytes)
    await part.sync()
  } finally {
    await part.close()
  }
  const { copies, requests } = found.ordered
  return beginProgress(progressFileOf(target), { plan, copies, requests })
}

const sameWish = (one: Wanted, other: Wanted): boolean => JSON.stringify(one) === JSON.stringify(other)

/** The state of an earlier run of the same request. @throws Error with one sentence if it was a different request. */
async function resumed({ source, wanted, target, isAnew }: ExtractWish): Promise<Progress | undefined> {
  if (isAnew) return undefined
  const progress = await findProgress(progressFileOf(target))
  if (progress === undefined) return undefined
  const { plan } = progress
  const refuse = async (sentence: string): Promise<never> => {
    await progress.close()
    throw wrongArchive(sentence)
  }
  const part = await stat(partOf(target)).catch(() => undefined)
  if (part?.size !== plan.sizes.archiveBytes) {
    await progress.close()
    return undefined
  }
  if (!sameWish(plan.wanted, wanted))
    return refuse(
      `${partOf(target)} was begun with another source, box or zoom. Use the same ones to resume, or --start-over.`,
    )
  if (!isSameState(plan.source, source.validator))
    return refuse(
      `The source has changed since ${partOf(target)} was begun. Run the command again with --start-over.`,
    )
  return progress
}

const doneBytesOf = ({ isDone, plan }: Progress): number => {
  const done = isDone.reduce((sum, one) => sum + one, 0)
  return Math.round((plan.sizes.fetchBytes * done) / Math.max(1, isDone.length))
}

/** The request of an interrupted run; undefined if there is none. */
export async function unfinishedOf(target: string): Promise<Wanted | undefined> {
  const progress = await findProgress(progressFileOf(target))
  await progress?.close()
  return progress?.plan.wanted
}

/** What would be downloaded. Nothing is written. */
export async function lookOnly(wish: ExtractWish): Promise<Extracted> {
  const plan = planOf(await look(wish), wish)
  return {
    sizes: plan.sizes,
    header: readHeader(Buffer.from(plan.header, 'base64'), plan.sizes.archiveBytes),
  }
}

/** @throws Error with one sentence; downloaded data stays, and the same request continues from there. */
export async function extract(wish: ExtractWish): Promise<Extracted> {
  const { source, target, onPlan, onProgress } = wish
  const before = await resumed(wish)
  if (before) await onPlan?.(before.plan.sizes, doneBytesOf(before))
  const progress = before ?? (await begin(wish))
  const { sizes } = progress.plan
  const header = Buffer.from(progress.plan.header, 'base64')
  const part = await open(partOf(target), 'r+')
  try {
    let doneBytes = doneBytesOf(progress)
    await fetchTiles({
      source,
      target: part,
      progress,
      onDone: (bytes) => {
        doneBytes += bytes
        onProgress?.(Math.min(doneBytes, sizes.fetchBytes), sizes.fetchBytes)
      },
    })
    await part.write(header, 0, header.length, 0)
    await part.sync()
  } finally {
    await part.close()
    await progress.close()
  }
  await rename(partOf(target), target)
  await syncFolder(path.dirname(target))
  await forgetProgress(progressFileOf(target))
  await rm(`${progressFileOf(target)}.new`, { force: true })
  return { sizes, header: readHeader(header, sizes.archiveBytes) }
}
