// Reads a GPX file of any length in chunks: used by the worker, and by tests without a worker.
import { encodingOf } from '../../src/shared/gpx/gpx-encoding.ts'
import type { Gpx } from '../../src/shared/gpx/gpx-document.ts'
import { readGpx } from '../../src/shared/gpx/gpx.ts'
import { findingPointData } from '../../src/shared/gpx/rewrite/gpx-edit.ts'
import type { Line } from '../../src/shared/geo/points.ts'
import { atOnce } from '../../src/shared/yielding.ts'
import type { Chunk } from './columns.ts'
import { measuredParcel } from './line-parcel.ts'
import type { ReadFile, ReadLine } from './worker-messages.ts'

export interface ReadLimits {
  /** A longer file is refused. */
  readonly maxBytes: number
  /** A longer one is read, but its text is not retained: it could not be saved unchanged. */
  readonly maxCachedBytes: number
}

export type ReadOutcome =
  | { readonly ok: true; readonly file: ReadFile }
  | { readonly ok: false; readonly detail: string }

function columnsOf({ points, first, end }: Line): Chunk {
  const column = (valueAt: (index: number) => number): Float64Array =>
    Float64Array.from({ length: end - first }, (_, index) => valueAt(first + index))
  return {
    count: end - first,
    lats: column(points.lat),
    lons: column(points.lon),
    eles: column(points.ele),
    timesMs: column(points.timeMs),
    origins: Float64Array.from({ length: end - first }, (_, index) => first + index),
  }
}

function linesOf({ routes, tracks }: Gpx): ReadLine[] {
  const lines: ReadLine[] = []
  let group = 0
  let segmentCount = 0
  const add = (kind: ReadLine['kind'], name: string | undefined, line: Line, inSource?: number): void => {
    if (line.end > line.first) lines.push({ kind, group, name, inSource, ...measuredParcel(columnsOf(line)) })
  }
  for (const { name, line } of routes) {
    add('rte', name, line)
    group += 1
  }
  for (const { name, segments } of tracks) {
    for (const segment of segments) {
      add('trk', name, segment, segmentCount)
      segmentCount += 1
    }
    group += 1
  }
  return lines
}

const utf8 = new TextEncoder()

/** @throws the error of `fatal`: the bytes are not valid in that encoding. */
async function* textOf(
  file: Blob,
  decoder: TextDecoder,
  onRead: (bytes: number) => void,
): AsyncGenerator<string, void> {
  let read = 0
  for await (const bytes of file.stream()) {
    read += bytes.length
    onRead(read)
    yield decoder.decode(bytes, { stream: true })
  }
  yield decoder.decode()
}

/** Collects the text that passes through, unless it gets too long. */
function createKeeper(maxBytes: number) {
  let kept: string[] | undefined = []
  let bytes = 0
  return {
    add: (piece: string): void => {
      if (kept === undefined) return
      bytes += utf8.encode(piece).length
      if (bytes > maxBytes) kept = undefined
      else kept.push(piece)
    },
    text: (): string | undefined => kept?.join(''),
  }
}

export async function readGpxFile(
  file: Blob,
  { maxBytes, maxCachedBytes }: ReadLimits,
  onProgress: (share: number) => void,
): Promise<ReadOutcome> {
  if (file.size === 0) return { ok: false, detail: 'The file is empty.' }
  if (file.size > maxBytes)
    return { ok: false, detail: `The file is longer than ${maxBytes / 1024 ** 2} MiB.` }
  const label = encodingOf(new Uint8Array(await file.slice(0, 256).arrayBuffer()))
  const keeper = createKeeper(maxCachedBytes)
  try {
    const decoder = new TextDecoder(label, { fatal: true })
    async function* pieces(): AsyncGenerator<string, void> {
      for await (const piece of textOf(file, decoder, (read) => onProgress(read / file.size))) {
        keeper.add(piece)
        yield piece
      }
    }
    // In UTF-8 it may be longer than in the encoding of the file.
    const reading = await readGpx(pieces(), { maxBytes: maxBytes * 3 })
    if (!reading.ok) return { ok: false, detail: reading.fault.detail }
    const text = keeper.text()
    const hasPointData = text !== undefined && atOnce(findingPointData(text))
    return { ok: true, file: { ...toldOf(reading.value), text, hasPointData, bytes: file.size } }
  } catch (error) {
    if (error instanceof RangeError)
      return { ok: false, detail: `Its encoding, ${label}, is not known here.` }
    if (error instanceof TypeError) return { ok: false, detail: `It is not text in ${label.toUpperCase()}.` }
    throw error
  }
}

function toldOf(gpx: Gpx): Omit<ReadFile, 'text' | 'hasPointData' | 'bytes'> {
  const lines = linesOf(gpx)
  const { line, names } = gpx.waypoints
  return {
    tell: 'read',
    name: gpx.name ?? lines.find(({ name }) => name !== undefined)?.name ?? '',
    lines,
    waypoints: { columns: { columns: columnsOf(line), miles: [], gaps: [] }, names: [...names] },
    groups: gpx.routes.length + gpx.tracks.length,
    warnings: gpx.warnings.map(({ detail }) => detail),
  }
}
