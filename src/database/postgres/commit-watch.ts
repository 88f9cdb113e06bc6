// Listens for commits of other nodes (LISTEN), so that cached data can be dropped.
import { randomUUID } from 'node:crypto'
import type { Client } from 'pg'
import type { Change } from '../../commits.ts'
import { endClient } from './connections.ts'

const channel = 'waymark_commit'
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
  /** Called after that with what another node has numbered. */
  readonly onNumbered: (ids: ReadonlySet<number>) => void
}

/** PostgreSQL refuses longer ones. */
const maxPayloadLength = 7_900
const payloadForm = /^[\w:. -]*$/

/**
 * Who committed what: the name of the node, the tags (or `*` for everything), and the tokens that were numbered (`#12`). Nodes
 * before 0.3 send only their name, and treat a token as a tag that nothing depends on.
 */
function writePayload(self: string, change: Change, ids: readonly number[]): string {
  const tags = change === 'everything' ? '*' : [...change].join(' ')
  const numbered = ids.map((id) => ` #${id}`).join('')
  const isShort = self.length + 1 + tags.length + numbered.length <= maxPayloadLength
  const told = isShort && payloadForm.test(tags) ? tags : '*'
  return `${self} ${told}${numbered.length < maxPayloadLength / 2 ? numbered : ''}` // otherwise they find out by themselves
}

/** The statement that notifies all other nodes, to be sent before a commit. */
export const notificationOf = (self: string, change: Change, ids: readonly number[]): string =>
  `notify ${channel}, '${writePayload(self, change, ids)}'`

interface Payload {
  readonly by: string
  readonly change: Change
  /** What was numbered. */
  readonly ids: ReadonlySet<number>
}

function readPayload(payload: string): Payload {
  const [by = '', ...words] = payload.split(' ')
  const tags = words.filter((word) => word !== '' && !word.startsWith('#'))
  const ids = new Set(words.filter((word) => word.startsWith('#')).map((word) => Number(word.slice(1))))
  const isEverything = words.length === 0 || tags.includes('*')
  return { by, change: isEverything ? 'everything' : new Set(tags), ids }
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
      const { by, change, ids } = readPayload(payload)
      // The answer to a commit of this node may be lost with its connection: then this is how it is heard.
      if (by === self && performance.now() > unsureUntil && !isAwaited(ids)) return
      raise(change)
      if (ids.size > 0) onNumbered(ids)
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
    /** The statement that notifies all other nodes, to be sent before a commit. */
    notification: (change: Change, ids: readonly number[] = []): string => notificationOf(self, change, ids),

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

export type CommitWatch = ReturnType<typeof createCommitWatch>
