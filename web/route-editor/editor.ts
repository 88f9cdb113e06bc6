// The editor without its UI: the route, its undo stack, the selection, and every action as a function.
import type { GpxWaypoints } from '../../src/shared/gpx/gpx-document.ts'
import type { Position } from '../../src/shared/geo/points.ts'
import { countOf } from './columns.ts'
import * as edits from './edits.ts'
import { commit, createHistory, endGroup, redo, undo, type History } from './history.ts'
import { createRouteMeter, type RouteMeasures } from './route-meter.ts'
import {
  emptyRoute,
  ordinalOf,
  pointAt,
  pointCount,
  refAt,
  type PointRef,
  type RouteState,
  type Segment,
} from './route-state.ts'
import { editorStrings } from '../strings/route-editor.ts'

const { steps } = editorStrings

export type EditorMode = 'draw' | 'select'

/** The state for the UI; a new object after every change. */
export interface EditorView {
  /** Includes the current position of a dragged point. */
  readonly state: RouteState
  readonly mode: EditorMode
  readonly selected: PointRef | undefined
  readonly hovered: PointRef | undefined
  /** Labels of the next undo and redo; undefined if there is none. */
  readonly undoLabel: string | undefined
  readonly redoLabel: string | undefined
  readonly isDragging: boolean
  /** Increases when the line should be brought into view: after an import. */
  readonly fitKey: number
}

export interface EditorDependencies {
  readonly initial?: RouteState
  readonly now?: () => number
}

export function createEditor({
  initial = emptyRoute,
  now = () => performance.now(),
}: EditorDependencies = {}) {
  const meter = createRouteMeter()
  const listeners = new Set<() => void>()
  let history: History<RouteState> = createHistory(initial)
  let dragged: edits.Edited | undefined
  let mode: EditorMode = 'select'
  let selected: PointRef | undefined
  let hovered: PointRef | undefined
  let fitKey = 0
  let view = viewNow()
  let measured: { readonly segments: readonly Segment[]; readonly measures: RouteMeasures } | undefined

  function viewNow(): EditorView {
    const { present, past, future } = history
    return {
      state: dragged?.state ?? present,
      mode,
      selected: dragged?.selected ?? selected,
      hovered,
      undoLabel: past?.label,
      redoLabel: future?.label,
      isDragging: dragged !== undefined,
      fitKey,
    }
  }

  function changed(): void {
    view = viewNow()
    for (const listener of listeners) listener()
  }

  /** Clears references to points that no longer exist. */
  function keepRefs(): void {
    if (selected && pointAt(history.present, selected) === undefined) selected = undefined
    if (hovered && pointAt(history.present, hovered) === undefined) hovered = undefined
  }

  function put(next: RouteState, label: string, group?: string): void {
    history = commit(history, next, { label, atMs: now(), ...(group === undefined ? {} : { group }) })
    keepRefs()
    changed()
  }

  function edit(edited: edits.Edited, label: string): void {
    ;({ selected } = edited)
    put(edited.state, label)
  }

  const onSelected = (label: string, change: (ref: PointRef) => edits.Edited) => (): void => {
    if (selected !== undefined) edit(change(selected), label)
  }

  function select(ref: PointRef | undefined): void {
    selected = ref
    keepRefs()
    changed()
  }

  return {
    meter,
    view: (): EditorView => view,
    subscribe: (listener: () => void): (() => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    /** Measures the current route, including a drag in progress. */
    measures: (): RouteMeasures => {
      const { segments } = view.state
      if (measured?.segments !== segments) measured = { segments, measures: meter.measure(segments) }
      return measured.measures
    },

    undo: (): void => {
      dragged = undefined
      history = undo(history)
      keepRefs()
      changed()
    },
    redo: (): void => {
      dragged = undefined
      history = redo(history)
      keepRefs()
      changed()
    },

    setMode: (next: EditorMode): void => {
      mode = next
      changed()
    },
    select,
    hover: (ref: PointRef | undefined): void => {
      if (ref?.segment === hovered?.segment && ref?.index === hovered?.index) return
      hovered = ref
      changed()
    },
    /** Moves the selection by this many points, through all lines; to the first point if none is selected. */
    selectNext: (step: number): void => {
      const { present } = history
      const last = pointCount(present) - 1
      const from = selected === undefined ? (step > 0 ? -1 : last + 1) : ordinalOf(present, selected)
      select(refAt(present, Math.min(last, Math.max(0, from + step))))
    },

    addPoint: (position: Position): void =>
      edit(edits.addPoint(history.present, position, selected), steps.addPoint),
    beginLine: (position: Position): void =>
      edit(edits.beginLine(history.present, position), steps.beginLine),
    changePoint: (
      ref: PointRef,
      change: Parameters<typeof edits.changePoint>[2],
      label = steps.movePoint,
    ): void => edit(edits.changePoint(history.present, ref, change), label),
    /** In degrees, for keys; consecutive presses are one step. */
    nudge: (lat: number, lon: number): void => {
      const before = selected && pointAt(history.present, selected)
      if (selected === undefined || before === undefined) return
      const moved = {
        lat: edits.roundedDegrees(Math.min(90, Math.max(-90, before.lat + lat))),
        lon: edits.roundedDegrees(before.lon + lon),
      }
      const { state } = edits.changePoint(history.present, selected, moved)
      put(state, steps.movePoint, `nudge ${selected.segment} ${selected.index}`)
    },
    insertAfter: (ref: PointRef, place?: Position): void =>
      edit(edits.insertAfter(history.present, ref, place), steps.insertPoint),
    insertAfterSelected: onSelected(steps.insertPoint, (ref) => {
      const segment = history.present.segments[ref.segment]
      // After the last point there is no gap to insert into, so insert before it.
      const isLast = segment !== undefined && ref.index === countOf(segment.chunks) - 1 && ref.index > 0
      return edits.insertAfter(history.present, isLast ? { ...ref, index: ref.index - 1 } : ref)
    }),
    deletePoint: (ref: PointRef): void => edit(edits.deletePoint(history.present, ref), steps.deletePoint),
    deleteSelected: onSelected(steps.deletePoint, (ref) => edits.deletePoint(history.present, ref)),

    /** A dragged point is shown at its current position, and becomes one step when it is dropped. */
    drag: (edited: edits.Edited | undefined): void => {
      dragged = edited
      changed()
    },
    drop: (label: string): void => {
      const edited = dragged
      dragged = undefined
      if (edited) edit(edited, label)
      else changed()
    },
    /** The route without the drag in progress. */
    settled: (): RouteState => history.present,

    reverse: (): void => edit(edits.reverse(history.present), steps.reverse),
    trimBefore: onSelected(steps.trimStart, (ref) => edits.trimBefore(history.present, ref)),
    trimAfter: onSelected(steps.trimEnd, (ref) => edits.trimAfter(history.present, ref)),
    split: onSelected(steps.split, (ref) => edits.split(history.present, ref)),
    join: (segment: number): void => edit(edits.joinNext(history.present, segment), steps.join),
    outAndBack: (): void => edit(edits.outAndBack(history.present), steps.outAndBack),
    closeLoop: (): void => edit(edits.closeLoop(history.present), steps.closeLoop),
    simplify: (lines: Parameters<typeof edits.replaceLines>[1]): void =>
      edit(edits.replaceLines(history.present, lines), steps.simplify),
    clear: (): void => {
      selected = undefined
      put({ ...history.present, segments: [], waypoints: undefined, source: undefined }, steps.clear)
    },

    /** Replaces the line; the texts of the file are used where there are none yet. */
    importRoute: (imported: {
      readonly name: string
      readonly segments: readonly Segment[]
      readonly waypoints: GpxWaypoints | undefined
      readonly source: RouteState['source']
    }): void => {
      const { present } = history
      const { segments, waypoints, source } = imported
      const name = present.name === '' ? imported.name : present.name
      ;[selected, mode, fitKey] = [undefined, 'select', fitKey + 1]
      put({ ...present, name, segments, waypoints, source }, steps.import)
    },

    setTexts: (
      change: Partial<Pick<RouteState, 'name' | 'description' | 'visibility' | 'shares' | 'statedMiles'>>,
      label: string,
    ): void => put({ ...history.present, ...change }, label, label),
    endGroup: (): void => {
      history = endGroup(history)
    },

    /**
     * Replaces the whole route as a step that can be undone: by a version saved elsewhere, or when the draft is
     * discarded.
     */
    replace: (state: RouteState, label: string): void => {
      ;[selected, fitKey] = [undefined, fitKey + 1]
      put(state, label)
    },
    /** The initial route: nothing before it can be undone. */
    reset: (state: RouteState): void => {
      ;[history, selected, hovered, dragged] = [createHistory(state), undefined, undefined, undefined]
      fitKey += 1
      changed()
    },
  }
}

export type Editor = ReturnType<typeof createEditor>
