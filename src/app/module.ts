// The module system of the app: modules start in the order of their list and close in reverse.

/** What a module provides to later ones, and how it ends. */
export interface Started<Gives> {
  readonly gives: Gives
  /** Called once the app is complete: starts background jobs. */
  readonly begin?: () => void
  /** The process will stop: long jobs end at a point where they can continue. */
  readonly beginStop?: () => void
  readonly close?: () => Promise<void> | void
}

/** A part of the app. The compiler checks that earlier modules provide what it needs. */
export interface Module<Needs, Gives> {
  readonly name: string
  start(needs: Needs): Promise<Started<Gives>> | Started<Gives>
}

export interface Running<Parts> {
  readonly parts: Parts
  begin(): void
  beginStop(): void
  /** In reverse order, each after the previous one has ended. */
  close(): Promise<void>
}

export interface Composition<Parts> {
  add<Gives>(module: Module<Parts, Gives>): Composition<Parts & Gives>
  /** Starts them in sequence; if one fails, those before it are closed. */
  start(): Promise<Running<Parts>>
}

type Unstarted = Module<never, unknown>

async function closeAll(started: readonly Started<unknown>[]): Promise<void> {
  for (const { close } of started.toReversed()) await close?.()
}

async function startAll<Parts>(
  given: object,
  modules: readonly Module<object, unknown>[],
): Promise<Running<Parts>> {
  const started: Started<unknown>[] = []
  const parts = { ...given }
  try {
    for (const module of modules) {
      const one = await module.start(parts)
      started.push(one)
      Object.assign(parts, one.gives)
    }
  } catch (error) {
    await closeAll(started)
    throw error
  }
  return {
    parts: parts as Parts,
    begin: () => started.forEach(({ begin }) => begin?.()),
    beginStop: () => started.forEach(({ beginStop }) => beginStop?.()),
    close: () => closeAll(started),
  }
}

/** @param given the parameters, available to the first module. */
export function compose<Parts extends object>(
  given: object & Parts,
  modules: readonly Unstarted[] = [],
): Composition<Parts> {
  return {
    add: <Gives>(module: Module<Parts, Gives>) =>
      compose<Parts & Gives>(given as Parts & Gives, [...modules, module]),
    start: () => startAll<Parts>(given, modules),
  }
}
