// Hears what other nodes commit, through LISTEN, so that whatever is remembered here is dropped.
import { randomUUID } from 'node:crypto'
import type { Client } from 'pg'
import type { Change } from '../../commits.ts'
import { endClient } from './connections.ts'

const channel = 'waymark_commit'
/** A notification may be lost with its connection, unnoticed: nothing is remembered for longer than this. */
const maxMs = 5_000
const retryMs = 500
/** A commit whose answer was lost comes true within this time or never. */
const unsureMs = 60_000

export interface CommitWatchDependencies {
  /** A new connection of its own, not yet connected. */
  readonly createClient: () => Client
  /** Called on each connection that listens, before it is trusted. */
  readonly prepare: (client: Client) => Promise<void>
  /** Called with what each commit may have changed, on this node and on others. */
  readonly onCommit: (change: Change) => void
  /** Whether somebody on this node waits to hear of any of them. */
  readonly isAwaited: (ids: ReadonlySet<number>) => boolean
  /** Called after that with what another node has numbered. */
  readonly onNumbered: (ids: ReadonlySet<number>) => void
}

/** Longer ones PostgreSQL refuses. */
const maxPayloadLength = 7_900
const payloadForm = /^[\w:. -]*$/

/**
 * Who commits, and what: one node's own name, the tags, or `*` for everything, and then what was numbered (`#12`). A node of
 * before 0.3 says its name alone, and takes a number for a tag that nothing depends on.
 */
function writePayload(self: string, change: Change, ids: readonly number[]): string {
  const tags = change === 'everything' ? '*' : [...change].join(' ')
  const numbered = ids.map((id) => ` #${id}`).join('')
  const isShort = self.length + 1 + tags.length + numbered.length <= maxPayloadLength
  const told = isShort && payloadForm.test(tags) ? tags : '*'
  return `${self} ${told}${numbered.length < maxPayloadLength / 2 ? numbered : ''}` // else they look for themselves
}

/** The statement that tells all other nodes, to be sent before a commit. */
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
    /** The statement that tells all other nodes, to be sent before a commit. */
    notification: (change: Change, ids: readonly number[] = []): string => notificationOf(self, change, ids),

    /** Connects; where that fails, it is tried again by itself. */
    start: (): Promise<void> => (connecting ??= connect()),

    /** A commit of this node. */
    committed: raise,

    /** The answer to a commit of this node was lost: it has come true, or may yet. */
    unsure: (): void => {
      unsureUntil = performance.now() + unsureMs
      raise()
    },

    /** Where this node has numbered what others committed. */
    numberedForOthers: (): void => {
      for (const listener of listeners) listener(self)
    },

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
