// A client of feed and stream: pages through the feed, and parses the stream like browsers.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import type { Waymark } from '../helpers/waymark.ts'

export interface ReceivedEvent {
  readonly position: number
  readonly type: string
  readonly at: string
  readonly data: Readonly<Record<string, unknown>>
}

export interface Feed {
  readonly items: ReceivedEvent[]
  readonly next: string | null
  readonly position: number
}

type Headers = Readonly<Record<string, string>>

export const bearer = ({ token }: { readonly token: string }): Headers => ({
  authorization: `Bearer ${token}`,
})

/** One answer of the feed. */
export async function askFeed(waymark: Waymark, headers: Headers, query = ''): Promise<Feed> {
  const answer = await waymark.fetch(`/v2/changes${query}`, { headers: { ...headers } })
  assert.equal(answer.status, 200, await answer.clone().text())
  return (await answer.json()) as Feed
}

/** Everything from the start, page by page, like a poller that follows `position`. */
export async function receiveAll(waymark: Waymark, headers: Headers, query = ''): Promise<ReceivedEvent[]> {
  const received: ReceivedEvent[] = []
  let since = 0
  for (;;) {
    const page = await askFeed(waymark, headers, `?since=${since}${query}`)
    received.push(...page.items)
    since = page.position
    if (page.next === null) return received
  }
}

/** One frame of a stream; an event if it has data. */
export interface Frame {
  readonly id: string | undefined
  readonly event: string | undefined
  readonly data: string | undefined
}

function frameOf(text: string): Frame {
  const lines = text.split('\n')
  const field = (name: string): string | undefined =>
    lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
  return { id: field('id'), event: field('event'), data: field('data') }
}

export async function openStream(
  waymark: Pick<Waymark, 'url'>,
  { headers, query = '' }: { readonly headers: Headers; readonly query?: string },
) {
  const request = http.get(`${waymark.url}/v2/events${query}`, { agent: false, headers: { ...headers } })
  const [answer] = (await once(request, 'response')) as [http.IncomingMessage]
  const frames: Frame[] = []
  const wakers = new Set<() => void>()
  let rest = ''
  let hasEnded = false
  const wakeAll = (): void => wakers.forEach((wake) => wake())
  answer.setEncoding('utf8').on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\n\n')
    rest = parts.pop() ?? ''
    frames.push(...parts.map(frameOf))
    wakeAll()
  })
  answer.once('close', () => {
    hasEnded = true
    wakeAll()
  })
  answer.on('error', () => undefined)
  request.on('error', () => undefined)

  async function until(isThere: () => boolean, what: string, maxMs = 10_000): Promise<void> {
    const givenUpAt = performance.now() + maxMs
    while (!isThere()) {
      const leftMs = givenUpAt - performance.now()
      if (leftMs <= 0) throw new Error(`waited in vain for ${what}: ${JSON.stringify(frames)}`)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(done, leftMs)
        function done(): void {
          clearTimeout(timer)
          wakers.delete(done)
          resolve()
        }
        wakers.add(done)
      })
    }
  }

  const events = (): ReceivedEvent[] =>
    frames.flatMap(({ data }) => (data === undefined ? [] : [JSON.parse(data) as ReceivedEvent]))

  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    frames,
    events,
    until,
    answer,
    /** Waits for this many events. */
    receives: (count: number) => until(() => events().length >= count, `${count} events`),
    /** Waits until the server ends it. */
    ends: () => until(() => hasEnded, 'the end'),
    /** Waits until it has reached this position. */
    reaches: (position: number) => until(() => Number(frames.at(-1)?.id) >= position, `position ${position}`),
    text: async (): Promise<string> => {
      await until(() => hasEnded, 'the end')
      return rest
    },
    close: async (): Promise<void> => {
      request.destroy()
      await until(() => hasEnded, 'the close')
    },
  }
}

export type Stream = Awaited<ReturnType<typeof openStream>>
