// The live streams of events: each delivers what its actor may see at that time, and ends when access ends.
//
// A stream reads only as fast as its client: the generator below is asked for more when there is room. So at most one
// batch per slow client waits in memory, and a client that reads nothing for longer than a heartbeat is disconnected;
// it reconnects with its last position.
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type { AccountActor } from '../auth/guard.ts'
import type { Db } from '../database/database.ts'
import { refuse } from '../errors.ts'
import { inEach } from '../texts/texts.ts'
import { createSemaphores } from '../shared/semaphore.ts'
import { singleFlight } from '../shared/single-flight.ts'
import { isReceivedBy, writeEvent } from './feed.ts'
import { readEventsAfter, type FeedEvent } from './feed-table.ts'
import { readFloor } from './outbox-floor.ts'
import type { EventNotifier } from './event-notifier.ts'

/** The reconnection delay sent to clients. */
const retryMs = 3_000
const rowsAtOnce = 200
/** With many streams, events are delivered in batches: checking every stream for each single event would take all CPU. */
const maxPauseMs = 250
/** How long a client may take to read the rest while the server stops. */
const lingerMs = 1_000

export interface StreamsDependencies {
  readonly db: Db
  readonly eventNotifier: EventNotifier
  readonly heartbeatMs: number
  readonly maxPerAccount: number
  readonly onFault: (error: unknown) => void
}

export interface Listener {
  readonly actor: AccountActor
  /** The actor now; undefined if the credential is no longer valid. */
  readonly recheck: () => Promise<AccountActor | undefined>
  /** The last position seen. */
  readonly after: number
  readonly types: ReadonlySet<string> | undefined
  readonly response: ServerResponse
}

/** A reconnecting client sends its position, which may be that of a heartbeat, so that nothing is examined twice. */
const heartbeat = (position: number): string => `:\nid: ${position}\n\n`

const frame = (event: FeedEvent): string =>
  `id: ${event.position}\nevent: ${event.type}\ndata: ${writeEvent(event)}\n\n`

export function createStreams(dependencies: StreamsDependencies) {
  const { db, eventNotifier, heartbeatMs, maxPerAccount, onFault } = dependencies
  const open = new Map<ServerResponse, AbortController>()
  const placesOf = createSemaphores(maxPerAccount)
  /** Streams that are woken together read once. */
  const readTogether = singleFlight((position: number) => readEventsAfter(db, position, rowsAtOnce))

  /** Whether events were deleted that a reader has not seen yet. No reader is so slow, but a clock may jump. */
  const hasGap = async (position: number, [first]: readonly FeedEvent[]): Promise<boolean> =>
    first !== undefined && first.position > position + 1 && (await readFloor(db)) > position

  async function* tell(
    { recheck, after, types }: Listener,
    signal: AbortSignal,
  ): AsyncGenerator<string, void> {
    let position = after
    let beatAt = performance.now() + heartbeatMs
    yield `retry: ${retryMs}\nid: ${position}\n\n`
    while (!signal.aborted) {
      const events = await readTogether(position)
      if (await hasGap(position, events)) return // a reader that reconnects gets the error from the endpoint
      if (events.length === 0) {
        const maxMs = Math.max(0, beatAt - performance.now())
        if (await eventNotifier.wait(position, { maxMs, signal })) return // the client reconnects and gets the reason
        if (performance.now() < beatAt) continue
      }
      // Checked after reading, so that nobody receives events from after they lost access.
      const actor = await recheck()
      if (actor === undefined || signal.aborted) return
      position = events.at(-1)?.position ?? position
      const received = events.filter(isReceivedBy(actor, { types }))
      if (received.length > 0 || performance.now() >= beatAt) {
        beatAt = performance.now() + heartbeatMs
        yield received.length > 0 ? received.map(frame).join('') : heartbeat(position)
      }
      await pause(Math.min(open.size, maxPauseMs), undefined, { ref: false })
    }
  }

  async function* guarded(
    listener: Listener,
    { signal }: AbortController,
    onWait: (isWaiting: boolean) => void,
  ): AsyncGenerator<string, void> {
    try {
      for await (const text of tell(listener, signal)) {
        onWait(true)
        yield text
        onWait(false)
      }
    } catch (error) {
      onFault(error) // the client reconnects and continues at its position
    }
  }

  return {
    /** Begins a stream. @returns its text. @throws refusal `too-many-requests`. */
    open: (listener: Listener): Readable => {
      const { response, actor } = listener
      if (response.closed) return Readable.from([]) // the client is gone
      const leave = placesOf(actor.accountId).tryAcquire()
      if (!leave) {
        throw refuse('too-many-requests', {
          detail: inEach(({ limits }) => limits.streams(maxPerAccount)),
          headers: { 'Retry-After': String(Math.ceil(heartbeatMs / 1_000)) },
        })
      }
      const ending = new AbortController()
      let waitingSince: number | undefined
      const text = Readable.from(
        guarded(listener, ending, (isWaiting) => {
          waitingSince = isWaiting ? performance.now() : undefined
        }),
        { objectMode: false },
      )
      const watch = setInterval(() => {
        const isStuck = waitingSince !== undefined && performance.now() - waitingSince > heartbeatMs
        if (isStuck && response.writableLength > 0) response.destroy()
      }, heartbeatMs).unref()
      open.set(response, ending)
      response.once('close', () => {
        clearInterval(watch)
        open.delete(response)
        leave()
        ending.abort()
      })
      return text
    },

    /** How many are open. */
    count: (): number => open.size,

    /** Ends every stream; clients that do not read the end soon are disconnected. */
    close: (): void => {
      for (const [response, ending] of open) {
        ending.abort()
        setTimeout(() => response.destroy(), lingerMs).unref()
      }
    },
  }
}

export type Streams = ReturnType<typeof createStreams>
