// The sequencer: numbers what parallel transactions have committed, in batches of one commit each, and announces it.
//
//   writer:     begin ─ shared write lock, its keys ─ statements ─ pending row ─ commit ─ waits ───────────────┐
//   sequencer:                    asked ─ lock ─ pending rows, by id ─ positions, chain, counts ─ commit ─ notify
//
// A node with waiting writers takes the numbering lock, numbers the pending rows of all nodes, and announces them in the
// only NOTIFY. There is no leader to elect: the lock ends with its transaction or its connection. A node that does not get
// it waits for the announcement of the node that has it, and tries again.
import { setTimeout as pause } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { Change } from '../../commits.ts'
import { borrow, type Lent } from './connections.ts'
import { endsConnection, inSystemTerms } from './errors.ts'
import { createGathering } from './gathering.ts'
import { numberingLocks, type NamedStatement } from './locks.ts'
import { ask } from './messages.ts'
import { numberingOf, readsForNumbering, storeStatement, unnumberedFrom } from './numbering.ts'

/** A write that has not been numbered in this time is refused; its row stays, and is numbered later. */
const maxWaitMs = 2_000
/** A batch that is under way may say why; nobody waits for it longer than this on top. */
const graceMs = 200
const retryMs = 20
/** How often to look for rows that no writer waits for. */
const orphansMs = 1_000
/** How long to wait for the next batch of a node that goes on, in durations of the last batch of this one. */
const followShare = 3
const [minFollowMs, maxFollowMs] = [10, 200]

export interface SequencerDependencies {
  /** With one connection, for the sequencer alone. */
  readonly pool: Pool
  /** What the notification of a batch says. */
  readonly payload: (change: Change, ids: readonly number[], goesOn: boolean) => string
  /** Called with what a batch of this node has changed, before the waiting writers are resolved. */
  readonly committed: (change: Change) => void
  /** Called if a batch of this node has numbered rows of others. */
  readonly numberedForOthers: () => void
  /** Called where the connection was lost, and whether a batch was committed is not known. */
  readonly unsure: () => void
}

interface Waiter {
  /** The token of its row. Undefined if it waits for everything that is committed by now. */
  readonly id: number | undefined
  readonly done: PromiseWithResolvers<void>
  readonly until: number
  readonly alarm: NodeJS.Timeout
  /** Whether a batch that began after its commit did not find its row. */
  isSought: boolean
}

export interface Expected {
  /**
   * To be called once the row is committed. Waits until it is numbered, and durable with everything committed before it.
   * @throws Error in the terms of the system.
   */
  readonly numbered: () => Promise<void>
  /** To be called if the row was not committed, as far as is known. */
  readonly giveUp: () => void
}

const untold = (): Error => new Error('The write was stored, but its event was not numbered in time.')

export function createSequencer(dependencies: SequencerDependencies) {
  const { pool, payload, committed, numberedForOthers, unsure } = dependencies
  const waiting = new Set<Waiter>()
  /** By token: called if a row is numbered before the response to its commit has arrived. */
  const expected = new Map<number, () => void>()
  const gathering = createGathering(() => waiting.size)
  let wake: ((isForeign: boolean) => void) | undefined
  let running: Promise<void> | undefined
  let isClosed = false
  /** Why the last batch came to nothing. */
  let failure: unknown
  let orphans: NodeJS.Timeout | undefined
  /** Another node goes on to number, and what waits here is in its next batch, which is to be announced before this. */
  let followUntil = 0

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

  /** @returns false if another node has the lock. */
  async function batchOn({ client }: Lent, asked: readonly Waiter[]): Promise<boolean> {
    const send = ({ text, values }: NamedStatement, name: string) => ask(client, { text, values, name })
    const say = (text: 'begin' | 'commit') => send({ text, values: [] }, text)
    const [, { rows: locks }, { rows }] = await Promise.all([
      say('begin'),
      send({ text: numberingLocks, values: [] }, 'locks'),
      send({ text: readsForNumbering, values: [] }, 'reads'),
    ])
    if ((locks[0] as { readonly hasLock: unknown } | undefined)?.hasLock !== 1) {
      await say('commit')
      return false
    }
    const unnumbered = unnumberedFrom(rows)
    const numbering = numberingOf(unnumbered)
    const own = new Set(asked.map(({ id }) => id))
    if (numbering) {
      const { change, ids } = numbering
      const goesOn = gathering.isAnyAtWork() || waiting.size > asked.length
      const stored = send(storeStatement(numbering, payload(change, ids, goesOn)), 'stores')
      await Promise.all([stored, say('commit')])
      committed(change)
      end(new Set(ids))
      if (ids.some((id) => !own.has(id))) numberedForOthers()
    } else await say('commit')
    // A missing row proves nothing: either another node has numbered it and will announce it, or it was lost with its server.
    for (const waiter of asked) {
      waiter.isSought = true
      if (waiter.id === undefined && unnumbered.isAll) resolve(waiter)
    }
    return true
  }

  /** The batch includes all that wait now: their rows were committed before it begins. */
  async function batch(): Promise<boolean> {
    const asked = [...waiting]
    const since = performance.now()
    const lent = await borrow(pool)
    let isBroken = true
    try {
      const isDone = await batchOn(lent, asked)
      isBroken = false
      if (isDone) gathering.done({ ms: performance.now() - since, writers: asked.length })
      return isDone
    } catch (error) {
      if (endsConnection(error)) unsure()
      throw error
    } finally {
      lent.release(isBroken)
    }
  }

  /** If the connection broke, commits of others may be lost, so requests that have read them must not acknowledge them. */
  function refuseLate(error: unknown, isBroken = false): void {
    for (const waiter of waiting)
      if (isClosed || performance.now() > waiter.until || (isBroken && waiter.id === undefined))
        refuse(waiter, error)
  }

  /** Waits for an announcement of another node or for a new writer, but not for long, since announcements may be lost. */
  async function untilWoken(by: 'anybody' | 'another node', ms = retryMs): Promise<void> {
    const woken = new AbortController()
    const isFresh = by === 'anybody'
    wake = (isForeign) => {
      if (isForeign || isFresh) woken.abort()
    }
    await pause(ms, undefined, { signal: woken.signal }).catch(() => undefined)
    wake = undefined
  }

  /**
   * Of several nodes that number in turn, each has batches of its own, which cost all of them more than larger batches of one.
   * Who waits for everything (`settled`) needs a batch of this node.
   */
  async function follow(): Promise<void> {
    for (;;) {
      const ms = followUntil - performance.now()
      if (ms <= 0 || isClosed || waiting.size === 0 || waiting.values().some(({ id }) => id === undefined))
        return
      await untilWoken('another node', ms)
    }
  }

  async function run(): Promise<void> {
    while (waiting.size > 0) {
      await follow()
      if (waiting.size === 0) break
      await gathering.gather()
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
    gathering.came()
    wake?.(id === undefined)
    running ??= run()
    return done.promise
  }

  async function numberOrphans(): Promise<void> {
    if (running) return
    const { rows } = await pool.query('select 1 from outbox_pending limit 1')
    if (rows.length > 0) await wait(undefined)
  }

  return {
    /** Begins a parallel transaction. @returns a function to call once it has committed or rolled back. */
    enter: gathering.enter,

    /** To be called before the row with this token is committed: from then on, any node may number it. */
    expect: (token: number): Expected => {
      let isNotified = false
      expected.set(token, () => (isNotified = true))
      const giveUp = (): void => void expected.delete(token)
      return {
        giveUp,
        numbered: async () => {
          giveUp()
          if (!isNotified) await wait(token)
        },
      }
    },

    /** Waits until everything committed before this call is numbered and durable. */
    settled: (): Promise<void> => wait(undefined),

    /** Resolves the writers with these tokens, which others have numbered and whose changes were reported. */
    tell: (ids: ReadonlySet<number>, goesOn: boolean): void => {
      end(ids)
      const ms = Math.min(Math.max(gathering.lastMs() * followShare, minFollowMs), maxFollowMs)
      followUntil = goesOn ? performance.now() + ms : 0
      wake?.(true)
    },

    /** Whether a writer of this node waits for the number of any of these. */
    isAwaited: (ids: ReadonlySet<number>): boolean =>
      waiting.values().some(({ id }) => id !== undefined && ids.has(id)),

    /** From now on, rows that no writer waits for are numbered too: the writer has crashed, or its request was refused. */
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
