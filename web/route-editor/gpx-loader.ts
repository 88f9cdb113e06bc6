// The page's side of the worker, which parses files and simplifies lines.
import { gpxLimits } from '../../src/shared/gpx/gpx.ts'
import type { GpxWaypoints } from '../../src/shared/gpx/gpx-document.ts'
import { flattened, lineOfChunk, type Chunks } from './columns.ts'
import { parcelOf, buffersOf, unpacked } from './line-parcel.ts'
import type { RouteMeter } from './route-meter.ts'
import type { Segment, Source } from './route-state.ts'
import type { Asked, ReadFile, WorkerMessage } from './worker-messages.ts'

/** The maximum that the page reads; the server's limit is `gpxLimits`. */
export const maxFileBytes = 256 * 1024 ** 2

export interface Imported {
  readonly name: string
  readonly segments: readonly Segment[]
  readonly waypoints: GpxWaypoints | undefined
  readonly source: Source | undefined
  readonly warnings: readonly string[]
  readonly bytes: number
}

export type LoadOutcome =
  | { readonly ok: true; readonly imported: Imported }
  /** One sentence for people. */
  | { readonly ok: false; readonly detail: string }

const startWorker = (): Worker => new Worker(new URL('gpx-worker.ts', import.meta.url), { type: 'module' })

function importedFrom(file: ReadFile, meter: RouteMeter): Imported {
  const segments = file.lines.map(({ kind, group, name, inSource, ...parcel }): Segment => ({
    kind,
    group,
    name,
    inSource,
    chunks: unpacked(parcel, meter),
  }))
  const { columns, names } = file.waypoints
  const { text, groups, hasPointData } = file
  const waypoints: GpxWaypoints | undefined =
    columns.columns.count === 0
      ? undefined
      : { line: lineOfChunk(flattened(unpacked(columns, meter))), names: new Map(names) }
  return {
    name: file.name,
    segments,
    waypoints,
    source: text === undefined ? undefined : { text, groups, hasPointData, segments, waypoints },
    warnings: file.warnings,
    bytes: file.bytes,
  }
}

interface LoadOptions {
  readonly meter: RouteMeter
  /** From 0 to 1. */
  readonly onProgress?: (share: number) => void
  readonly signal?: AbortSignal | undefined
}

/**
 * @throws the signal's reason, or the browser's error for a worker that it cannot start or a file that it cannot
 * read.
 */
export function loadGpx(file: Blob, { meter, onProgress, signal }: LoadOptions): Promise<LoadOutcome> {
  const worker = startWorker()
  const ask: Asked = { ask: 'read', file, maxBytes: maxFileBytes, maxCachedBytes: gpxLimits.maxBytes }
  return new Promise<LoadOutcome>((resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason as Error))
    worker.addEventListener('error', (event) => reject(new Error(event.message)))
    worker.addEventListener('message', ({ data }: MessageEvent<WorkerMessage>) => {
      if (data.tell === 'progress') onProgress?.(data.share)
      if (data.tell === 'refused') resolve({ ok: false, detail: data.detail })
      if (data.tell === 'read') resolve({ ok: true, imported: importedFrom(data, meter) })
    })
    worker.postMessage(ask)
  }).finally(() => worker.terminate())
}

export interface Simplifier {
  /** How many points each of `tolerancesMetres` leaves. */
  readonly counts: Promise<readonly number[]>
  /** The lines at a tolerance; if there are newer requests, only the last is answered. */
  simplify(toleranceMetres: number): void
  close(): void
}

/** Weighs the points of a route once, then simplifies it to any tolerance. */
export function createSimplifier(
  segments: readonly Segment[],
  meter: RouteMeter,
  onSimplified: (lines: readonly Chunks[], toleranceMetres: number) => void,
): Simplifier {
  const worker = startWorker()
  const lines = segments.map(({ chunks }) => parcelOf(chunks))
  const weigh: Asked = { ask: 'weigh', lines }
  let latest = NaN
  const counts = new Promise<readonly number[]>((resolve, reject) => {
    worker.addEventListener('error', (event) => reject(new Error(event.message)))
    worker.addEventListener('message', ({ data }: MessageEvent<WorkerMessage>) => {
      if (data.tell === 'weighed') resolve(data.counts)
      if (data.tell === 'simplified' && data.toleranceMetres === latest)
        onSimplified(
          data.lines.map((line) => unpacked(line, meter)),
          data.toleranceMetres,
        )
    })
  })
  worker.postMessage(weigh, buffersOf(lines))
  return {
    counts,
    simplify(toleranceMetres) {
      latest = toleranceMetres
      const ask: Asked = { ask: 'simplify', toleranceMetres }
      worker.postMessage(ask)
    },
    close: () => worker.terminate(),
  }
}
