// Listens for commits of other nodes (LISTEN), so that cached data can be dropped.
import { randomUUID } from 'node:crypto'
import type { Client } from 'pg'
import type { Change } from '../../commits.ts'
import { commitChannel, notificationOf, readPayload, writePayload } from './commit-payload.ts'
import { endClient } from './connections.ts'

/** A notification may be lost unnoticed with its connection, so nothing is cached for longer than this. */
const maxMs = 5_000
const retryMs = 500
/** A commit whose answer was lost comes true within this time or never. */
const unsureMs = 60_000

export interface CommitWatchDependencies {
  /** A new connection of its own, not yet connected. */
  readonly createClient: () => Client
  /** Called on each new listening connection, before it is trusted. */
  readonly prepare: (client: Client) => Promise<void>
  /** Called with what each commit may have changed, on this node and on others. */
  readonly onCommit: (change: Change) => void
  /** Whether somebody on this node waits to hear of any of them. */
  readonly isAwaited: (ids: ReadonlySet<number>) => boolean
  /** Called after that with what another node has numbered, and whether it begins its next batch at once. */
  readonly onNumbered: (ids: ReadonlySet<number>, goesOn: boolean) => void
}

export function createCommitWatch({
  createClient,
  prepare,
  onCommit,
  isAwaited,
  onNumbered,
}: CommitWatchDependencies) {
  const self = randomUUID()
  const listeners = new Set<(by: string) => void>()
  let commits = 0
  let raisedAt = performance.now()
  /** When everything was last dropped. */
  let droppedAt = performance.now()
  let listening: Client | undefined
  /** Until then what this node tells is heard by itself too. */
  let unsureUntil = 0
  let isClosed = false
  let retry: NodeJS.Timeout | undefined
  let connecting: Promise<void> | undefined

  function raise(change: Change = 'everything'): void {
    commits += 1
    raisedAt = performance.now()
    if (change === 'everything') droppedAt = raisedAt
    onCommit(change)
  }

  function connectAgain(): void {
    listening = undefined
    raise() // commits in the meantime were missed
    if (isClosed) return
    clearTimeout(retry)
    retry = setTimeout(() => {
      connecting = connect()
    }, retryMs).unref()
  }

  async function connect(): Promise<void> {
    const client = createClient()
    let isLost = false
    const lose = (): void => {
      if (isLost) return
      isLost = true
      void endClient(client)
      connectAgain()
    }
    client.on('error', lose)
    client.on('end', lose)
    client.on('notification', ({ payload = '' }) => {
      const { by, change, ids, goesOn } = readPayload(payload)
      // The answer to a commit of this node may be lost with its connection: then this is how it is heard.
      if (by === self && performance.now() > unsureUntil && !isAwaited(ids)) return
      raise(change)
      if (ids.size > 0) onNumbered(ids, goesOn && by !== self)
      for (const listener of listeners) listener(by)
    })
    try {
      await client.connect()
      await client.query(`listen ${commitChannel}`)
      await prepare(client)
      if (isLost || isClosed) return lose()
      listening = client
      raise()
    } catch {
      lose()
    }
  }

  return {
    /** What the notification of a commit says. */
    payload: (change: Change, ids: readonly number[], goesOn = false): string =>
      writePayload(self, change, ids, goesOn),

    /** The statement that notifies all other nodes, to be sent before a commit. */
    notification: (change: Change): string => notificationOf(self, change),

    /** Connects, and retries if that fails. */
    start: (): Promise<void> => (connecting ??= connect()),

    /** A commit of this node. */
    committed: raise,

    /** The answer to a commit of this node was lost: it has come true, or may yet. */
    unsure: (): void => {
      unsureUntil = performance.now() + unsureMs
      raise()
    },

    /** To be called when this node has numbered commits of others. */
    numberedForOthers: (): void => {
      for (const listener of listeners) listener(self)
    },

    /** Returns a new number if anything may have been committed since the last call; always, if the connection is lost. */
    mark: (): number => {
      if (listening === undefined || performance.now() - raisedAt > maxMs) raise()
      return commits
    },

    /** Drops everything if a commit may have been missed. */
    look: (): void => {
      if (listening === undefined || performance.now() - droppedAt > maxMs) raise()
    },

    /** Runs work on the listening connection, if there is one now. */
    onListener: async (work: (client: Client) => Promise<unknown>): Promise<void> => {
      if (listening) await work(listening)
    },

    onForeignCommit: (listener: (by: string) => void): void => {
      listeners.add(listener)
    },

    close: async (): Promise<void> => {
      isClosed = true
      clearTimeout(retry)
      await connecting
      if (listening) await endClient(listening)
    },
  }
}
