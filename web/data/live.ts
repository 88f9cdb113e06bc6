// Server-sent events: one tab listens for all tabs of the browser, and each invalidates what changed.
import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { Waymark } from '../../client/client.ts'
import { basePath } from './base.ts'
import { keys } from './keys.ts'
import { useViewer } from './site.ts'
import { useWaymark } from './waymark.tsx'

export interface LiveEvent {
  readonly type: string
  readonly data: unknown
}

/** Two servers may be mounted under one host. */
const channelName = `waymark.live${basePath}`
/** Many decisions at once, as a bulk makes, become one fetch. */
const gatherMs = 250

/** Events were missed: the browser slept for longer than the server keeps them. Servers never send this type. */
const gap: LiveEvent = { type: 'gap', data: {} }

async function listen(
  waymark: Waymark,
  signal: AbortSignal,
  onEvent: (event: LiveEvent) => void,
): Promise<void> {
  const onGap = (): void => onEvent(gap)
  try {
    for await (const { type, data } of waymark.events({ signal, onGap })) onEvent({ type, data })
  } catch {
    // The SDK has given up reconnecting, or the session has expired: pages are as fresh as when they were loaded.
  }
}

/** A browser opens six connections to a site over HTTP/1.1: whichever tab has the lock holds the one stream. */
function listenForAllTabs(waymark: Waymark, signal: AbortSignal, onEvent: (event: LiveEvent) => void): void {
  const channel = new BroadcastChannel(channelName)
  channel.addEventListener('message', ({ data }: MessageEvent<LiveEvent>) => onEvent(data))
  signal.addEventListener('abort', () => channel.close())
  const lead = () =>
    listen(waymark, signal, (event) => {
      onEvent(event)
      channel.postMessage(event)
    })
  // Locks are for pages over TLS or from loopback; elsewhere each tab listens for itself.
  if (!('locks' in navigator)) void lead()
  else void navigator.locks.request(channelName, { signal }, lead).catch(() => undefined)
}

const listeners = new Set<(event: LiveEvent) => void>()

/** Receives every event of this tab, for pages that can do better than fetch everything again. */
export function useLiveEvents(listener: (event: LiveEvent) => void): void {
  const latest = useRef(listener)
  useEffect(() => {
    latest.current = listener
  })
  useEffect(() => {
    const receive = (event: LiveEvent): void => latest.current(event)
    listeners.add(receive)
    return () => {
      listeners.delete(receive)
    }
  }, [])
}

function createGatherer(queries: QueryClient) {
  let stale = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  return (type: string): void => {
    if (type.startsWith('image.')) for (const [key] of [keys.images, keys.queue]) stale.add(key)
    if (type.startsWith('route.')) stale.add(keys.routes[0])
    timer ??= setTimeout(() => {
      timer = undefined
      for (const key of stale) void queries.invalidateQueries({ queryKey: [key] })
      stale = new Set()
    }, gatherMs)
  }
}

/** An open gallery updates only the photo, and is fresh then; one that was left is fetched when it is opened again. */
function forgetListed(queries: QueryClient, { type, data }: LiveEvent): void {
  const { trailID } = data as { readonly trailID?: number }
  if (type.startsWith('image.') && trailID !== undefined)
    void queries.invalidateQueries({ queryKey: keys.listed(trailID), refetchType: 'none' })
}

/** Keeps what is shown up to date while somebody is signed in. */
export function useLive(): void {
  const waymark = useWaymark()
  const queries = useQueryClient()
  const accountId = useViewer()?.acctID
  useEffect(() => {
    if (accountId === undefined) return undefined
    const stop = new AbortController()
    const gather = createGatherer(queries)
    listenForAllTabs(waymark, stop.signal, (event) => {
      if (event.type === gap.type) void queries.invalidateQueries()
      gather(event.type)
      forgetListed(queries, event)
      for (const listener of listeners) listener(event)
    })
    return () => stop.abort()
  }, [waymark, queries, accountId])
}
