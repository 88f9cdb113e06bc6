// Readers of the feed that go on at their position through another node, and say where they were told anything out of order.
import http from 'node:http'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { createAsker, isUnknown } from './ask.ts'
import type { Person } from './writers.ts'

export interface FeedReader {
  /** Positions in the order in which they were told. */
  readonly positions: readonly number[]
  /** Up to where it has heard, whether or not it may hear of what is there. */
  position(): number
  readonly faults: readonly string[]
  stop(): Promise<void>
}

export interface ReaderOptions {
  readonly nodeUrls: readonly string[]
  readonly person: Person
  /** At which node it begins. */
  readonly first: number
}

const pauseMs = 20
/** A comment comes every 15 s: a stream without any is dead. */
const silentMs = 20_000

interface Page {
  readonly items: readonly { readonly position: number }[]
  readonly position: number
}

/** What both have in common: where they are, and whether each step goes on from there. */
function createPlace() {
  const positions: number[] = []
  const faults: string[] = []
  let position = 0
  return {
    positions,
    faults,
    position: () => position,
    /** Of one event. */
    hear: (told: number): void => {
      if (told <= position) faults.push(`${told} was told after ${position}`)
      positions.push(told)
      position = told
    },
    /** Of the end of a page, or of a comment. */
    reach: (told: number): void => {
      if (told < position) faults.push(`the feed went back from ${position} to ${told}`)
      position = Math.max(position, told)
    },
  }
}

/** Asks page after page, each at another node. */
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

/** Hears the live stream, and resumes it after the last event at another node. */
export function startStreamReader({ nodeUrls, person, first }: ReaderOptions): FeedReader {
  const place = createPlace()
  const stopping = new AbortController()

  /** Nothing counts before the empty line at its end: a node may die in the middle of it. */
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
    request.on('error', () => undefined) // the end of the lines tells
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
