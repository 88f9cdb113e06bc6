// Reads GPX files into one track for placing photos: its fixes with their times, and its name.
import type { Line } from '../../src/shared/geo/points.ts'
import { linesOf } from '../../src/shared/gpx/gpx-document.ts'
import { decodeGpx } from '../../src/shared/gpx/gpx-encoding.ts'
import { readGpx } from '../../src/shared/gpx/gpx.ts'
import { trackLimits, trackOf, type Track } from '../../src/shared/placing/track.ts'

/** A chosen file, or the GPX of a route. */
export interface TrackSource {
  readonly name: string
  readonly gpx: Blob
}

export interface NamedTrack {
  readonly name: string
  readonly track: Track
}

/** Why a source gave nothing; `detail` is one sentence in English, or empty. */
export interface TrackFault {
  readonly name: string
  readonly why: 'no-times' | 'unreadable'
  readonly detail: string
}

export interface TrackReading {
  /** Of all sources that could be read; undefined where none could. */
  readonly track: NamedTrack | undefined
  readonly faults: readonly TrackFault[]
}

type LinesReading =
  | { readonly ok: true; readonly name: string; readonly lines: readonly Line[] }
  | { readonly ok: false; readonly fault: TrackFault }

async function readLines({ name, gpx }: TrackSource): Promise<LinesReading> {
  const fault = (why: TrackFault['why'], detail = ''): LinesReading => ({
    ok: false,
    fault: { name, why, detail },
  })
  if (gpx.size > trackLimits.maxBytes)
    return fault('unreadable', `It is larger than ${trackLimits.maxBytes / 1024 ** 2} MiB.`)
  try {
    const text = decodeGpx(new Uint8Array(await gpx.arrayBuffer()))
    if (!text.ok) return fault('unreadable', text.fault.detail)
    const reading = await readGpx([text.value], trackLimits)
    if (!reading.ok) return fault('unreadable', reading.fault.detail)
    const lines = linesOf(reading.value)
    if (!trackOf(lines).ok) return fault('no-times')
    const names = [reading.value.name, ...reading.value.tracks.map((track) => track.name)]
    const own = names.find((one) => one !== undefined && one.trim() !== '')
    return { ok: true, name: own ?? name.replace(/\.gpx$/i, ''), lines }
  } catch {
    // It was moved or deleted after it was chosen.
    return fault('unreadable')
  }
}

/** Never rejects; lets everything else have its turn meanwhile. */
export async function readTrackFiles(sources: readonly TrackSource[]): Promise<TrackReading> {
  const readings: LinesReading[] = []
  // One after the other: each may take many times its size in memory while it is read.
  for (const source of sources) readings.push(await readLines(source))
  const read = readings.flatMap((reading) => (reading.ok ? [reading] : []))
  const faults = readings.flatMap((reading) => (reading.ok ? [] : [reading.fault]))
  const track = read.length === 0 ? undefined : trackOf(read.flatMap(({ lines }) => lines))
  if (!track?.ok) return { track: undefined, faults }
  return { track: { name: read.map(({ name }) => name).join(', '), track: track.value }, faults }
}
