// One undo stack for everything: states that were, states that were undone. A state shares what it can with the next.

export interface Step<State> {
  readonly state: State
  /** What was done to leave the state, for who is asked whether to undo it. */
  readonly label: string
  readonly before: Step<State> | undefined
}

export interface History<State> {
  readonly present: State
  /** The latest first; a chain, so that a step costs the same however many there are. */
  readonly past: Step<State> | undefined
  readonly future: Step<State> | undefined
  /** What the latest step belongs to: letters typed into one field are one step. */
  readonly group: string | undefined
  readonly groupedAtMs: number
}

/** A pause in typing, longer than this, begins another step. */
const groupMs = 1_500

export function createHistory<State>(present: State): History<State> {
  return { present, past: undefined, future: undefined, group: undefined, groupedAtMs: 0 }
}

export interface Commit {
  readonly label: string
  /** Steps of the same group are one, while none follows the other by more than a moment. */
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

/** What comes next belongs to no step before: a field was left. */
export const endGroup = <State>(history: History<State>): History<State> => ({ ...history, group: undefined })
