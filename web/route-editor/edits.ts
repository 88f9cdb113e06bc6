// All changes of the line, as functions from one state of the route to the next; an impossible change returns the
// same state.
import type { Position } from '../../src/shared/geo/points.ts'
import {
  chunkOf,
  countOf,
  originIn,
  positionIn,
  reversed,
  sliced,
  spliced,
  withoutOrigins,
  type Chunks,
} from './columns.ts'
import { pointAt, wrappedLon, type PointRef, type RouteState, type Segment } from './route-state.ts'

export interface Edited {
  readonly state: RouteState
  /** The selection afterwards; undefined for none. */
  readonly selected: PointRef | undefined
}

const unchanged = (state: RouteState, selected?: PointRef): Edited => ({ state, selected })

function withSegment(
  state: RouteState,
  at: number,
  replace: (segment: Segment) => readonly Segment[],
): RouteState {
  const segment = state.segments[at]
  if (segment === undefined) return state
  return { ...state, segments: state.segments.toSpliced(at, 1, ...replace(segment)) }
}

const withChunks = ({ kind, group, name, inSource }: Segment, chunks: Chunks): Segment => ({
  kind,
  group,
  name,
  inSource,
  chunks,
})

/** A group that no line uses, nor any of the imported document. */
const nextGroup = ({ segments, source }: RouteState): number =>
  segments.reduce((max, { group }) => Math.max(max, group + 1), source?.groups ?? 0)

/** Adds a point to the end of a line, or to its beginning if that is selected; creates a line if there is none. */
export function addPoint(state: RouteState, place: Position, selected: PointRef | undefined): Edited {
  const position = { ...place, lon: wrappedLon(place.lon) }
  const at = selected?.segment ?? state.segments.length - 1
  const segment = state.segments[at]
  if (segment === undefined) return beginLine(state, position)
  const count = countOf(segment.chunks)
  const isStart = selected?.index === 0 && count > 1
  const index = isStart ? 0 : count
  const chunks = spliced(segment.chunks, index, 0, [position])
  return {
    state: withSegment(state, at, () => [{ ...segment, chunks }]),
    selected: { segment: at, index },
  }
}

/** Starts a new line, with a gap after the previous one. */
export function beginLine(state: RouteState, position: Position): Edited {
  const segment: Segment = {
    kind: 'trk',
    group: nextGroup(state),
    name: undefined,
    inSource: undefined,
    chunks: [chunkOf([{ ...position, lon: wrappedLon(position.lon) }])],
  }
  return {
    state: { ...state, segments: [...state.segments, segment] },
    selected: { segment: state.segments.length, index: 0 },
  }
}

/** Changes position or elevation of a point; omitted values stay. Null removes the elevation. */
export function changePoint(
  state: RouteState,
  ref: PointRef,
  change: { readonly lat?: number; readonly lon?: number; readonly ele?: number | null },
): Edited {
  const before = pointAt(state, ref)
  if (before === undefined) return unchanged(state)
  const { ele = before.ele, lat = before.lat, lon = before.lon } = change
  const after: Position = {
    lat,
    lon: wrappedLon(lon),
    ...(ele === undefined || ele === null ? {} : { ele }),
    ...(before.timeMs === undefined ? {} : { timeMs: before.timeMs }),
  }
  if (after.lat === before.lat && after.lon === before.lon && after.ele === before.ele)
    return unchanged(state, ref)
  const isMoved = after.lat !== before.lat || after.lon !== before.lon
  const replace = (segment: Segment) => {
    const origins = isMoved ? [] : [originIn(segment.chunks, ref.index)]
    return [{ ...segment, chunks: spliced(segment.chunks, ref.index, 1, [after], origins) }]
  }
  return { state: withSegment(state, ref.segment, replace), selected: ref }
}

/** A centimetre: pointing is no more accurate, and the file gets a third shorter. */
const decimals = 1e7
export const roundedDegrees = (degrees: number): number => Math.round(degrees * decimals) / decimals

/**
 * The midpoint, the shorter way around; with an elevation if both have one, without a time, since none was recorded.
 */
function between(one: Position, other: Position): Position {
  let gap = other.lon - one.lon
  if (gap > 180) gap -= 360
  if (gap < -180) gap += 360
  return {
    lat: roundedDegrees((one.lat + other.lat) / 2),
    lon: roundedDegrees(wrappedLon(one.lon + gap / 2)),
    ...(one.ele === undefined || other.ele === undefined ? {} : { ele: (one.ele + other.ele) / 2 }),
  }
}

/**
 * Inserts a point after another: midway to the next, unless a position is given. Not possible after the last point.
 */
export function insertAfter(state: RouteState, ref: PointRef, place?: Position): Edited {
  const one = pointAt(state, ref)
  const other = pointAt(state, { ...ref, index: ref.index + 1 })
  if (one === undefined || other === undefined) return unchanged(state, ref)
  const half = between(one, other)
  const middle = place === undefined ? half : { ...half, lat: place.lat, lon: wrappedLon(place.lon) }
  const replace = (segment: Segment) => [
    { ...segment, chunks: spliced(segment.chunks, ref.index + 1, 0, [middle]) },
  ]
  return {
    state: withSegment(state, ref.segment, replace),
    selected: { segment: ref.segment, index: ref.index + 1 },
  }
}

/**
 * Deletes a point; its line is deleted with its last one. The neighbour is selected, so that the key can be pressed
 * again.
 */
export function deletePoint(state: RouteState, ref: PointRef): Edited {
  const segment = state.segments[ref.segment]
  if (segment === undefined || pointAt(state, ref) === undefined) return unchanged(state)
  const chunks = spliced(segment.chunks, ref.index, 1, [])
  const count = countOf(chunks)
  if (count === 0) return unchanged(withSegment(state, ref.segment, () => []))
  return {
    state: withSegment(state, ref.segment, () => [{ ...segment, chunks }]),
    selected: { segment: ref.segment, index: Math.min(ref.index, count - 1) },
  }
}

/** Reverses the whole route: its lines, and the points of each. */
export function reverse(state: RouteState): Edited {
  if (state.segments.length === 0) return unchanged(state)
  const segments = state.segments.toReversed().map((segment) => withChunks(segment, reversed(segment.chunks)))
  return { state: { ...state, segments }, selected: undefined }
}

/** Removes everything before the point, in its own line and in earlier ones. */
export function trimBefore(state: RouteState, { segment: at, index }: PointRef): Edited {
  const segment = state.segments[at]
  if (segment === undefined || (at === 0 && index === 0)) return unchanged(state, { segment: at, index })
  const chunks = sliced(segment.chunks, index, countOf(segment.chunks))
  const segments = [{ ...segment, chunks }, ...state.segments.slice(at + 1)]
  return { state: { ...state, segments }, selected: { segment: 0, index: 0 } }
}

/** Removes everything after the point. */
export function trimAfter(state: RouteState, ref: PointRef): Edited {
  const segment = state.segments[ref.segment]
  if (segment === undefined) return unchanged(state)
  const isLast = ref.segment === state.segments.length - 1 && ref.index === countOf(segment.chunks) - 1
  if (isLast) return unchanged(state, ref)
  const chunks = sliced(segment.chunks, 0, ref.index + 1)
  const segments = [...state.segments.slice(0, ref.segment), { ...segment, chunks }]
  return { state: { ...state, segments }, selected: ref }
}

/** Splits a line, with a gap between the point and the next one. */
export function split(state: RouteState, ref: PointRef): Edited {
  const segment = state.segments[ref.segment]
  const count = segment === undefined ? 0 : countOf(segment.chunks)
  if (segment === undefined || ref.index >= count - 1) return unchanged(state, ref)
  const halves = [sliced(segment.chunks, 0, ref.index + 1), sliced(segment.chunks, ref.index + 1, count)]
  return {
    state: withSegment(state, ref.segment, () =>
      halves.map((chunks, half) =>
        withChunks(half === 0 ? segment : { ...segment, inSource: undefined }, chunks),
      ),
    ),
    selected: ref,
  }
}

/** Joins the line and the next one; the gap becomes part of the line. */
export function joinNext(state: RouteState, at: number): Edited {
  const [segment, next] = [state.segments[at], state.segments[at + 1]]
  if (segment === undefined || next === undefined) return unchanged(state)
  const joined = { ...segment, chunks: [...segment.chunks, ...next.chunks] }
  return {
    state: { ...state, segments: state.segments.toSpliced(at, 2, joined) },
    selected: { segment: at, index: countOf(segment.chunks) - 1 },
  }
}

/** The last line returns the way it came. */
export function outAndBack(state: RouteState): Edited {
  const at = state.segments.length - 1
  const segment = state.segments[at]
  if (segment === undefined) return unchanged(state)
  const count = countOf(segment.chunks)
  if (count < 2) return unchanged(state)
  const back = withoutOrigins(reversed(sliced(segment.chunks, 0, count - 1)))
  return {
    state: withSegment(state, at, () => [{ ...segment, chunks: [...segment.chunks, ...back] }]),
    selected: undefined,
  }
}

/** Replaces each line with a simplified one. */
export function replaceLines(state: RouteState, lines: readonly Chunks[]): Edited {
  const segments = state.segments.map((segment, at) => withChunks(segment, lines[at] ?? segment.chunks))
  return { state: { ...state, segments }, selected: undefined }
}

/** Whether the line ends where it begins, within about a metre. */
export function isLoop({ segments }: RouteState): boolean {
  const [first, last] = [segments[0], segments.at(-1)]
  if (first === undefined || last === undefined) return false
  const [start, end] = [positionIn(first.chunks, 0), positionIn(last.chunks, countOf(last.chunks) - 1)]
  const count = segments.reduce((sum, { chunks }) => sum + countOf(chunks), 0)
  return count > 2 && start?.lat === end?.lat && start?.lon === end?.lon
}

/** Back to the start of the last line. */
export function closeLoop(state: RouteState): Edited {
  const at = state.segments.length - 1
  const segment = state.segments[at]
  const start = segment && positionIn(segment.chunks, 0)
  if (segment === undefined || start === undefined || countOf(segment.chunks) < 3 || isLoop(state))
    return unchanged(state)
  const { lat, lon, ele } = start
  const chunks = [...segment.chunks, chunkOf([{ lat, lon, ...(ele === undefined ? {} : { ele }) }])]
  return {
    state: withSegment(state, at, () => [{ ...segment, chunks }]),
    selected: { segment: at, index: countOf(segment.chunks) },
  }
}
