// Hears what other nodes commit, through LISTEN, so that whatever is remembered here is dropped.
import { randomUUID } from 'node:crypto'
import type { Client } from 'pg'
import { endClient } from './connections.ts'

const channel = 'waymark_commit'
/** A notification may be lost with its connection, unnoticed: nothing is remembered for longer than this. */
const maxMs = 5_000
const retryMs = 500

export interface CommitWatchDependencies {
  /** A new connection of its own, not yet connected. */
  readonly createClient: () => Client
  /** Called on each connection that listens, before it is trusted. */
  readonly prepare: (client: Client) => Promise<void>
}

export function createCommitWatch({ createClient, prepare }: CommitWatchDependencies) {
  const self = randomUUID()
  const listeners = new Set<(by: string) => void>()
  let commits = 0
  let raisedAt = performance.now()
  let listening: Client | undefined
  let isClosed = false
  let retry: NodeJS.Timeout | undefined
  let connecting: Promise<void> | undefined

  function raise(): void {
    commits += 1
    raisedAt = performance.now()
  }

  function connectAgain(): void {
    listening = undefined
    raise() // what was committed meanwhile, nobody told
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
      if (payload === self) return
      raise()
      for (const listener of listeners) listener(payload)
    })
    try {
      await client.connect()
      await client.query(`listen ${channel}`)
      await prepare(client)
      if (isLost || isClosed) return lose()
      listening = client
      raise()
    } catch {
      lose()
    }
  }

  return {
    /** The statement that tells all other nodes, to be sent before a commit. */
    notification: `notify ${channel}, '${self}'`,

    /** Connects; where that fails, it is tried again by itself. */
    start: (): Promise<void> => (connecting ??= connect()),

    /** A commit of this node. */
    committed: raise,

    /** Another number whenever anything may have been committed since; while nobody is heard, another each time. */
    mark: (): number => {
      if (listening === undefined || performance.now() - raisedAt > maxMs) raise()
      return commits
    },

    /** Does something on the connection that listens, where there is one now. */
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

export type CommitWatch = ReturnType<typeof createCommitWatch>
