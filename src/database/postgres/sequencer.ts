// The sequencer: numbers what parallel transactions have committed, in batches of one commit each, and announces it.
//
//   writer:     begin ─ shared write lock, its keys ─ statements ─ pending row ─ commit ─ waits ───────────────┐
//   sequencer:                    asked ─ lock ─ pending rows, by id ─ positions, chain, counts ─ commit ─ notify
//
// A node with waiting writers takes the numbering lock, numbers the pending rows of all nodes, and announces them in the
// only NOTIFY. There is no leader to elect: the lock ends with its transaction or its connection. If two nodes ask for it,
// one waits for the other and then finds nothing to do.
import { setTimeout as pause } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { Change } from '../../commits.ts'
import { borrow, type Lent } from './connections.ts'
import { endsConnection, inSystemTerms } from './errors.ts'
import { beginNumbering } from './locks.ts'
import { numberingOf, readsForNumbering, resultsOf, unnumberedFrom } from './numbering.ts'

/** A write that has not been numbered in this time is refused; its row stays, and is numbered later. */
const maxWaitMs = 2_000
const retryMs = 20
/** How often to look for rows that no writer waits for. */
const orphansMs = 1_000
/** Waits for transactions that are about to commit, for this share of the duration of the last batch. */
const gatherShare = 0.25
const maxGatherMs = 15

export interface SequencerDependencies {
  /** With one connection, for the sequencer alone. */
  readonly pool: Pool
  /** The statement that notifies other nodes, at the end of a batch. */
  readonly notification: (change: Change, ids: readonly number[]) => string
  /** Called with what a batch of this node has changed, before the waiting writers are resolved. */
  readonly committed: (change: Change) => void
  /** Called if a batch of this node has numbered rows of others. */
  readonly numberedForOthers: () => void
}

interface Waiter {
  /** The token of its row. Undefined if it waits for everything that is committed by now. */
  readonly id: number | undefined
  readonly done: PromiseWithResolvers<void>
  readonly until: number
  /** Whether a batch that began after its commit did not find its row. */
  isSought: boolean
}

export function createSequencer(dependencies: SequencerDependencies) {
  const { pool, notification, committed, numberedForOthers } = dependencies
  const waiting = new Set<Waiter>()
  /** Number of parallel transactions of this node that have begun. */
  let atWork = 0
  let whenIdle: (() => void) | undefined
  let wake: (() => void) | undefined
  let lastMs = 0
  let isRunning = false
  let isClosed = false
  let orphans: NodeJS.Timeout | undefined

  function end(waiter: Waiter): void {
    waiting.delete(waiter)
    waiter.done.resolve()
  }

  function tell(ids: ReadonlySet<number>): void {
    for (const waiter of waiting) if (waiter.id !== undefined && ids.has(waiter.id)) end(waiter)
  }

  /** A larger batch costs little more than a small one. */
  async function gather(): Promise<void> {
    const ms = Math.min(lastMs * gatherShare, maxGatherMs)
    if (atWork === 0 || ms < 0.2) return
    const idle = new AbortController()
    whenIdle = () => idle.abort()
    await pause(ms, undefined, { signal: idle.signal }).catch(() => undefined)
    whenIdle = undefined
  }

  async function batchOn({ client }: Lent, asked: readonly Waiter[]): Promise<void> {
    const unnumbered = unnumberedFrom(resultsOf(await client.query(beginNumbering + readsForNumbering)))
    const numbering = numberingOf(unnumbered)
    const own = new Set(asked.map(({ id }) => id))
    if (numbering) {
      const { text, change, ids } = numbering
      await client.query(`${text}; ${notification(change, ids)}; commit`)
      committed(change)
      tell(new Set(ids))
      if (ids.some((id) => !own.has(id))) numberedForOthers()
    } else await client.query('commit')
    // A missing row proves nothing: either another node has numbered it and will announce it, or it was lost with its server.
    for (const waiter of asked) {
      waiter.isSought = true
      if (waiter.id === undefined && unnumbered.isAll) end(waiter)
    }
  }

  /** The batch includes all that wait now: their rows were committed before it begins. */
  async function batch(): Promise<void> {
    const asked = [...waiting]
    const since = performance.now()
    const lent = await borrow(pool)
    let isBroken = true
    try {
      await batchOn(lent, asked)
      isBroken = false
    } finally {
      lent.giveBack(isBroken)
    }
    lastMs = performance.now() - since
  }

  /** If the connection broke, commits of others may be lost, so requests that have read them must not acknowledge them. */
  function refuseLate(error: unknown, isBroken = false): void {
    for (const waiter of waiting)
      if (isClosed || performance.now() > waiter.until || (isBroken && waiter.id === undefined)) {
        waiting.delete(waiter)
        waiter.done.reject(inSystemTerms(error))
      }
  }

  /** The rest will be announced by another node, unless a new writer comes first. */
  async function untilWoken(): Promise<void> {
    const woken = new AbortController()
    wake = () => woken.abort()
    await pause(retryMs, undefined, { signal: woken.signal }).catch(() => undefined)
    wake = undefined
  }

  async function run(): Promise<void> {
    isRunning = true
    while (waiting.size > 0) {
      await gather()
      try {
        await batch()
        refuseLate(new Error('Nobody has told that the write was numbered.'))
        if (waiting.size > 0 && [...waiting].every(({ isSought }) => isSought)) await untilWoken()
      } catch (error) {
        refuseLate(error, endsConnection(error))
        if (waiting.size > 0) await pause(retryMs)
      }
    }
    isRunning = false
  }

  function wait(id: number | undefined): Promise<void> {
    const done = Promise.withResolvers<void>()
    waiting.add({ id, done, until: performance.now() + maxWaitMs, isSought: false })
    wake?.()
    if (!isRunning) void run()
    return done.promise
  }

  async function numberOrphans(): Promise<void> {
    if (isRunning) return
    const { rows } = await pool.query('select 1 from outbox_pending limit 1')
    if (rows.length > 0) await wait(undefined)
  }

  return {
    /** Begins a parallel transaction. @returns a function to call once it has committed or rolled back. */
    enter: (): (() => void) => {
      atWork += 1
      return () => {
        atWork -= 1
        if (atWork === 0) whenIdle?.()
      }
    },

    /**
     * Waits until the row with this token is numbered, and durable together with everything committed before it.
     * @throws Error in the terms of the system.
     */
    numbered: (id: number): Promise<void> => wait(id),

    /** Waits until everything committed before this call is numbered and durable. */
    settled: (): Promise<void> => wait(undefined),

    /** Resolves the writers with these tokens, which others have numbered and whose changes were reported. */
    tell,

    /** From now on, rows that no writer waits for are numbered too: the writer has crashed, or its request was refused. */
    watch: (): void => {
      orphans ??= setInterval(() => void numberOrphans().catch(() => undefined), orphansMs).unref()
    },

    close: async (): Promise<void> => {
      isClosed = true
      clearInterval(orphans)
      while (isRunning) await pause(retryMs)
    },
  }
}

export type Sequencer = ReturnType<typeof createSequencer>
