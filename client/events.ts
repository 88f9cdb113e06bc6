// Events: as a feed in pages, and live as an endless iterator that reconnects by itself.
import { openEventStream } from './event-stream.ts'
import { pagesOf, type Pages } from './paging.ts'
import { isUnreachable, isWaymarkProblem, type KeptEvents } from './problem.ts'
import { backoffMs, failureOf, wait } from './retry.ts'
import type { Transport } from './transport.ts'
import type { EventSet, EventType, WaymarkEvent } from './types.ts'

export interface ChangeFilters {
  /** The last position received; 0 or omitted: from the beginning. */
  readonly since: number
  readonly types: readonly EventType[]
}

export interface ListenOptions {
  readonly signal?: AbortSignal | undefined
  /** Start with the events after this position. Omitted: only new events. */
  readonly lastPosition?: number | undefined
  readonly types?: readonly EventType[] | undefined
  /**
   * Called if the server has deleted events that this reader has not received: events are stored for a limited time.
   * Reload the full lists here; the next events start just before the call. Without it, `events-gone` is thrown.
   */
  readonly onGap?: ((kept: KeptEvents) => void | Promise<void>) | undefined
  /** For a connection indicator: `waiting` while disconnected. */
  readonly onConnection?: ((state: 'open' | 'waiting') => void) | undefined
}

/** Decides what to do after a failed attempt. @throws if a retry cannot help. */
function classify(error: unknown, hadConnection: boolean): 'over' | { readonly askedMs: number } {
  if (isUnreachable(error)) return { askedMs: 0 }
  if (!isWaymarkProblem(error)) throw error
  // The credential expired while listening, so stop. On the first attempt, the caller needs the error instead.
  if (hadConnection && (error.status === 401 || error.status === 403)) return 'over'
  if (failureOf(error) === 'final' && error.status < 500) throw error
  return { askedMs: (error.retryAfterSeconds ?? 0) * 1_000 }
}

/** Undefined for any other error. */
const keptOf = (error: unknown): KeptEvents | undefined =>
  isWaymarkProblem(error) && error.code === 'events-gone' ? error.kept : undefined

async function* listen(transport: Transport, options: ListenOptions): AsyncGenerator<WaymarkEvent, void> {
  const { signal, lastPosition, types, onConnection, onGap } = options
  let position = lastPosition === undefined ? undefined : String(lastPosition)
  let hadConnection = false
  let failures = 0
  let retryMs = 3_000
  for (;;) {
    let askedMs = 0
    let hasEnded = false
    try {
      for await (const frame of openEventStream(transport, { position, types, signal })) {
        if (failures > 0 || !hadConnection) onConnection?.('open')
        hadConnection = true
        failures = 0
        if (frame.id !== '') position = frame.id
        retryMs = frame.retryMs ?? retryMs
        if (frame.data !== undefined) yield JSON.parse(frame.data) as WaymarkEvent
      }
      hasEnded = true
    } catch (error) {
      if (signal?.aborted) return
      const kept = onGap && keptOf(error)
      if (kept !== undefined) {
        position = String(kept.newest)
        await onGap?.(kept)
        continue
      }
      const outcome = classify(error, hadConnection)
      if (outcome === 'over') return
      ;({ askedMs } = outcome)
    }
    if (signal?.aborted) return
    onConnection?.('waiting')
    // A clean end means that the server is shutting down. It sends the retry delay; jitter spreads the reconnects.
    const pauseMs = hasEnded
      ? retryMs * (0.5 + Math.random())
      : backoffMs(failures, transport.rules.firstWaitMs)
    failures += 1
    await wait(Math.max(askedMs, pauseMs), signal).catch(() => {})
    if (signal?.aborted) return
  }
}

export function createEventCalls(transport: Transport) {
  const changes: Pages<ChangeFilters, WaymarkEvent, EventSet> = pagesOf(transport, '/v2/changes')
  return {
    /**
     * The events after a position, oldest first. Store the `position` of a page as the next `since`. If later events
     * have been deleted, the problem `events-gone` says in `kept` where to continue.
     */
    changes,
    /**
     * Endless. After a lost connection it resumes at the same position, so no event is missed. Ends when `signal` is
     * aborted or the credential expires.
     * @throws WaymarkProblem if the first request is refused, `lastPosition` is from another feed, or events were
     * missed and there is no `onGap`.
     */
    events: (options: ListenOptions = {}): AsyncGenerator<WaymarkEvent, void> => listen(transport, options),
  }
}
