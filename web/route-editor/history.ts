// A single undo stack: past states and undone states. A state shares what it can with the next.

export interface Step<State> {
  readonly state: State
  /** The action that led away from the state, as a label for undo. */
  readonly label: string
  readonly before: Step<State> | undefined
}

export interface History<State> {
  readonly present: State
  /** Latest first; a linked list, so that a step costs the same however many there are. */
  readonly past: Step<State> | undefined
  readonly future: Step<State> | undefined
  /** Groups the latest step: characters typed into one field are one step. */
  readonly group: string | undefined
  readonly groupedAtMs: number
}

/** A longer pause in typing starts a new step. */
const groupMs = 1_500

export function createHistory<State>(present: State): History<State> {
  return { present, past: undefined, future: undefined, group: undefined, groupedAtMs: 0 }
}

export interface Commit {
  readonly label: string
  /** Steps of the same group are merged if each follows the previous one quickly. */
  readonly group?: string
  readonly atMs: number
}

export function commit<State>(
  history: History<State>,
  next: State,
  { label, group, atMs }: Commit,
): History<State> {
  const { present, past } = history
  if (next === present) return history
  const isContinued =
    group !== undefined &&
    group === history.group &&
    atMs - history.groupedAtMs <= groupMs &&
    past !== undefined
  return {
    present: next,
    past: isContinued ? past : { state: present, label, before: past },
    future: undefined,
    group,
    groupedAtMs: atMs,
  }
}

export function undo<State>(history: History<State>): History<State> {
  const { present, past, future } = history
  if (past === undefined) return history
  return {
    present: past.state,
    past: past.before,
    future: { state: present, label: past.label, before: future },
    group: undefined,
    groupedAtMs: 0,
  }
}

export function redo<State>(history: History<State>): History<State> {
  const { present, past, future } = history
  if (future === undefined) return history
  return {
    present: future.state,
    past: { state: present, label: future.label, before: past },
    future: future.before,
    group: undefined,
    groupedAtMs: 0,
  }
}

/** The next step starts a new group: a field lost focus. */
export const endGroup = <State>(history: History<State>): History<State> => ({ ...history, group: undefined })
