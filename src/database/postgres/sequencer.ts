// The sequencer: numbers what transactions side by side have committed, in batches of one commit each, and tells of it.
//
//   writer:   begin ─ shared right to write, its keys ─ statements ─ leaves a row ─ commit ─ waits ──────────┐
//   numbers:                        asked ─ lock ─ what is left, by id ─ positions, chain, counts ─ commit ─┴─ told
//
// Whichever node has writers that wait takes the lock of numbering, numbers what all nodes have left, and says so in the
// only NOTIFY. There is no leader to elect: the lock is one transaction's, and ends with it or with its connection. Who does
// not get it waits to be told by whoever has it, and tries again.
import { setTimeout as pause } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { Change } from '../../commits.ts'
import { borrow, type Lent } from './connections.ts'
import { endsConnection, inSystemTerms } from './errors.ts'
import { beginNumbering } from './locks.ts'
import { numberingOf, readsForNumbering, resultsOf, unnumberedFrom } from './numbering.ts'

/** A writer whose row nobody could number in this time is told so; the row stays, and is numbered later. */
const maxWaitMs = 2_000
/** A batch that is under way may say why; nobody waits for it longer than this on top. */
const graceMs = 200
const retryMs = 20
/** How often it is looked for rows that nobody waits for. */
const orphansMs = 1_000
/** Whoever is about to commit is waited for, for this share of the time that the last batch took. */
const gatherShare = 0.25
const maxGatherMs = 15

export interface SequencerDependencies {
  /** Of one connection, that nobody else uses. */
  readonly pool: Pool
  /** The statement that tells other nodes, at the end of a batch. */
  readonly notification: (change: Change, ids: readonly number[]) => string
  /** Called with what is numbered, on this node or another, before those are told who wait for it. */
  readonly committed: (change: Change) => void
  /** Called where a batch of this node has numbered what others left. */
  readonly numberedForOthers: () => void
  /** Called where the connection was lost, and whether a batch was committed is not known. */
  readonly unsure: () => void
}

interface Waiter {
  /** The token of its row. Undefined for whoever waits for everything that is committed by now. */
  readonly id: number | undefined
  readonly done: PromiseWithResolvers<void>
  readonly until: number
  readonly alarm: NodeJS.Timeout
  /** Whether a batch that began after its commit was without its row. */
  isSought: boolean
}

const untold = (): Error => new Error('Nobody has told that the write was numbered.')

export interface Expected {
  /**
   * Once it is committed: waits until it is numbered, and durable with all that was committed before it.
   * @throws Error in the terms of the system.
   */
  readonly numbered: () => Promise<void>
  /** It was not committed, for all that is known. */
  readonly giveUp: () => void
}

export function createSequencer(dependencies: SequencerDependencies) {
  const { pool, notification, committed, numberedForOthers, unsure } = dependencies
  const waiting = new Set<Waiter>()
  /** What is told of a row whose commit has not been heard of yet, by token. */
  const expected = new Map<number, () => void>()
  /** Transactions side by side of this node that have begun. */
  let atWork = 0
  let whenIdle: (() => void) | undefined
  let wake: ((isForeign: boolean) => void) | undefined
  let lastMs = 0
  let running: Promise<void> | undefined
  let isClosed = false
  /** Why the last batch came to nothing. */
  let failure: unknown
  let orphans: NodeJS.Timeout | undefined

  function resolve(waiter: Waiter): void {
    waiting.delete(waiter)
    clearTimeout(waiter.alarm)
    waiter.done.resolve()
  }

  function refuse(waiter: Waiter, error: unknown): void {
    waiting.delete(waiter)
    clearTimeout(waiter.alarm)
    waiter.done.reject(inSystemTerms(error))
  }

  function end(ids: ReadonlySet<number>): void {
    for (const id of ids) expected.get(id)?.()
    for (const waiter of waiting) if (waiter.id !== undefined && ids.has(waiter.id)) resolve(waiter)
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

  /** @returns whether it could, and nobody else is at it. */
  async function batchOn({ client }: Lent, asked: readonly Waiter[]): Promise<boolean> {
    const results = resultsOf(await client.query(beginNumbering + readsForNumbering), 4)
    if ((results[0]?.rows[0] as { readonly hasLock: unknown } | undefined)?.hasLock !== 1) {
      await client.query('commit')
      return false
    }
    const unnumbered = unnumberedFrom(results.slice(1))
    const numbering = numberingOf(unnumbered)
    const own = new Set(asked.map(({ id }) => id))
    if (numbering) {
      const { text, change, ids } = numbering
      await client.query(`${text}; ${notification(change, ids)}; commit`)
      committed(change)
      end(new Set(ids))
      if (ids.some((id) => !own.has(id))) numberedForOthers()
    } else await client.query('commit')
    // A row that is not there is no proof: another node has numbered it and tells so, or it was lost with its server.
    for (const waiter of asked) {
      waiter.isSought = true
      if (waiter.id === undefined && unnumbered.isAll) resolve(waiter)
    }
    return true
  }

  /** Those that wait are in it: their rows were committed before it begins. */
  async function batch(): Promise<boolean> {
    const asked = [...waiting]
    const since = performance.now()
    const lent = await borrow(pool)
    let isBroken = true
    try {
      const isDone = await batchOn(lent, asked)
      isBroken = false
      if (isDone) lastMs = performance.now() - since
      return isDone
    } catch (error) {
      if (endsConnection(error)) unsure()
      throw error
    } finally {
      lent.giveBack(isBroken)
    }
  }

  /** Where the connection broke, what others had committed may be lost: nobody who found it may acknowledge it. */
  function refuseLate(error: unknown, isBroken = false): void {
    for (const waiter of waiting)
      if (isClosed || performance.now() > waiter.until || (isBroken && waiter.id === undefined))
        refuse(waiter, error)
  }

  /** Until another node tells, or somebody new comes to be numbered; the news may be lost. */
  async function untilWoken(by: 'anybody' | 'another node'): Promise<void> {
    const woken = new AbortController()
    const isFresh = by === 'anybody'
    wake = (isForeign) => {
      if (isForeign || isFresh) woken.abort()
    }
    await pause(retryMs, undefined, { signal: woken.signal }).catch(() => undefined)
    wake = undefined
  }

  async function run(): Promise<void> {
    while (waiting.size > 0) {
      await gather()
      try {
        const isDone = await batch()
        failure = undefined
        refuseLate(untold())
        if (waiting.size === 0) break
        if (!isDone) await untilWoken('another node')
        else if (waiting.values().every(({ isSought }) => isSought)) await untilWoken('anybody')
      } catch (error) {
        failure = error
        refuseLate(error, endsConnection(error))
        if (waiting.size > 0) await pause(retryMs)
      }
    }
    running = undefined
  }

  function wait(id: number | undefined): Promise<void> {
    const done = Promise.withResolvers<void>()
    const until = performance.now() + maxWaitMs
    // A server that is silent keeps a batch for longer than a request may take.
    const alarm = setTimeout(() => refuse(waiter, failure ?? untold()), maxWaitMs + graceMs)
    const waiter: Waiter = { id, done, until, alarm, isSought: false }
    waiting.add(waiter)
    wake?.(false)
    running ??= run()
    return done.promise
  }

  async function numberOrphans(): Promise<void> {
    if (running) return
    const { rows } = await pool.query('select 1 from outbox_pending limit 1')
    if (rows.length > 0) await wait(undefined)
  }

  return {
    /** A transaction side by side begins. @returns what says that it has committed, or never will. */
    enter: (): (() => void) => {
      atWork += 1
      return () => {
        atWork -= 1
        if (atWork === 0) whenIdle?.()
      }
    },

    /** To be called before the row with this token is committed: from then on somebody may number it. */
    expect: (token: number): Expected => {
      let isTold = false
      expected.set(token, () => (isTold = true))
      const giveUp = (): void => void expected.delete(token)
      return {
        giveUp,
        numbered: async () => {
          giveUp()
          if (!isTold) await wait(token)
        },
      }
    },

    /** Waits until all is numbered, and durable, that was committed before this was called. */
    settled: (): Promise<void> => wait(undefined),

    /** Called with what others have numbered, once what they changed is told. */
    tell: (ids: ReadonlySet<number>): void => {
      end(ids)
      wake?.(true)
    },

    /** Whether a writer of this node waits for the number of any of these. */
    isAwaited: (ids: ReadonlySet<number>): boolean =>
      waiting.values().some(({ id }) => id !== undefined && ids.has(id)),

    /** From now on what nobody waits for any more is numbered too: its writer has died, or was told that it takes long. */
    watch: (): void => {
      orphans ??= setInterval(() => void numberOrphans().catch(() => undefined), orphansMs).unref()
    },

    close: async (): Promise<void> => {
      isClosed = true
      clearInterval(orphans)
      await running
    },
  }
}

export type Sequencer = ReturnType<typeof createSequencer>
