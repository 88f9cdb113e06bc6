// Hears what other nodes commit, through LISTEN, so that whatever is remembered here is dropped.
import { randomUUID } from 'node:crypto'
import type { Client } from 'pg'
import type { Change } from '../../commits.ts'
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
  /** Called with what each commit may have changed, on this node and on others. */
  readonly onCommit: (change: Change) => void
}

/** Longer ones PostgreSQL refuses. */
const maxPayloadLength = 7_900
const payloadForm = /^[\w:. -]*$/

/** Who commits, and what: one node's own name, then the tags, or `*` for everything. A node of before 0.3 says its name alone. */
function writePayload(self: string, change: Change): string {
  const tags = change === 'everything' ? '*' : [...change].join(' ')
  const payload = `${self} ${tags}`
  return payload.length <= maxPayloadLength && payloadForm.test(tags) ? payload : `${self} *`
}

function readPayload(payload: string): { readonly by: string; readonly change: Change } {
  const [by = '', ...tags] = payload.split(' ')
  const isEverything = tags.length === 0 || tags.includes('*')
  return { by, change: isEverything ? 'everything' : new Set(tags.filter((tag) => tag !== '')) }
}

export function createCommitWatch({ createClient, prepare, onCommit }: CommitWatchDependencies) {
  const self = randomUUID()
  const listeners = new Set<(by: string) => void>()
  let commits = 0
  let raisedAt = performance.now()
  /** When everything was last dropped. */
  let droppedAt = performance.now()
  let listening: Client | undefined
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
      const { by, change } = readPayload(payload)
      if (by === self) return
      raise(change)
      for (const listener of listeners) listener(by)
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
    notification: (change: Change): string => `notify ${channel}, '${writePayload(self, change)}'`,

    /** Connects; where that fails, it is tried again by itself. */
    start: (): Promise<void> => (connecting ??= connect()),

    /** A commit of this node. */
    committed: raise,

    /** Another number whenever anything may have been committed since; while nobody is heard, another each time. */
    mark: (): number => {
      if (listening === undefined || performance.now() - raisedAt > maxMs) raise()
      return commits
    },

    /** Where something may have been committed that nobody told, drops everything. */
    look: (): void => {
      if (listening === undefined || performance.now() - droppedAt > maxMs) raise()
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
