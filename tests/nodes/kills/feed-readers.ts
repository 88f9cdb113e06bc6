// Feed readers that resume at their position on another node, and report anything out of order.
import http from 'node:http'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { createAsker, isUnknown } from './ask.ts'
import type { Person } from './writers.ts'

export interface FeedReader {
  /** Positions in the order received. */
  readonly positions: readonly number[]
  /** The position it has reached, even if it may not see the events there. */
  position(): number
  readonly faults: readonly string[]
  stop(): Promise<void>
}

export interface ReaderOptions {
  readonly nodeUrls: readonly string[]
  readonly person: Person
  /** Index of its first node. */
  readonly first: number
}

const pauseMs = 20
/** A comment arrives every 15 s, so a silent stream is dead. */
const silentMs = 20_000

interface Page {
  readonly items: readonly { readonly position: number }[]
  readonly position: number
}

/** Shared by both readers: the position, and a check of each step. */
function createPlace() {
  const positions: number[] = []
  const faults: string[] = []
  let position = 0
  return {
    positions,
    faults,
    position: () => position,
    /** For one event. */
    hear: (reported: number): void => {
      if (reported <= position) faults.push(`${reported} was told after ${position}`)
      positions.push(reported)
      position = reported
    },
    /** For the end of a page, or a comment. */
    reach: (reported: number): void => {
      if (reported < position) faults.push(`the feed went back from ${position} to ${reported}`)
      position = Math.max(position, reported)
    },
  }
}

/** Requests page after page, each from another node. */
export function startPageReader({ nodeUrls, person, first }: ReaderOptions): FeedReader {
  const asker = createAsker()
  const stopping = new AbortController()
  const place = createPlace()

  async function go(): Promise<void> {
    for (let at = first; !stopping.signal.aborted; at += 1) {
      const url = `${nodeUrls[at % nodeUrls.length] ?? ''}/v2/changes?since=${place.position()}&limit=200`
      const answer = await asker.ask({ url, token: person.token })
      if (answer.status === 200) {
        const { items, position } = JSON.parse(answer.body) as Page
        for (const item of items) place.hear(item.position)
        place.reach(position)
      } else if (!isUnknown(answer))
        place.faults.push(`the feed answered ${answer.status}: ${answer.body.slice(0, 200)}`)
      await pause(pauseMs)
    }
  }

  const running = go()
  return {
    positions: place.positions,
    position: place.position,
    faults: place.faults,
    stop: async () => {
      stopping.abort()
      await running
      asker.end()
    },
  }
}

/** Reads the live stream, and resumes on another node after the last event. */
export function startStreamReader({ nodeUrls, person, first }: ReaderOptions): FeedReader {
  const place = createPlace()
  const stopping = new AbortController()

  /** An event counts only with the empty line at its end, since a node may die in the middle. */
  function createFrames(): (line: string) => void {
    let id: string | undefined
    let isEvent = false
    return (line) => {
      if (line === '') {
        if (id !== undefined) (isEvent ? place.hear : place.reach)(Number(id))
        id = undefined
        isEvent = false
      }
      id = /^id: (\d+)$/.exec(line)?.[1] ?? id
      isEvent ||= line.startsWith('event: ')
    }
  }

  async function listen(url: string): Promise<void> {
    const headers = { authorization: `Bearer ${person.token}`, 'last-event-id': String(place.position()) }
    const request = http.get(`${url}/v2/events`, { headers, agent: false, signal: stopping.signal })
    const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
      request.once('response', resolve)
      request.once('error', reject)
    })
    request.setTimeout(silentMs, () => request.destroy())
    request.on('error', () => undefined) // reported by the end of the lines
    if (response.statusCode !== 200) {
      response.resume()
      if (!isUnknown({ status: response.statusCode ?? 0, body: '' }))
        place.faults.push(`the stream answered ${response.statusCode}`)
      return
    }
    const read = createFrames()
    for await (const line of createInterface({ input: response })) read(line)
  }

  async function go(): Promise<void> {
    for (let at = first; !stopping.signal.aborted; at += 1) {
      await listen(nodeUrls[at % nodeUrls.length] ?? '').catch(() => undefined)
      await pause(pauseMs)
    }
  }

  const running = go()
  return {
    positions: place.positions,
    position: place.position,
    faults: place.faults,
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}
