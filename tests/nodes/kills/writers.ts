// Clients that write through any running node, and a ledger of what was acknowledged, per client and in order.
import { setTimeout as pause } from 'node:timers/promises'
import { trailId } from '../../faults/harness/installation.ts'
import { smallPng } from '../../faults/harness/pictures.ts'
import { createAsker, isUnknown, type Answer, type Ask } from './ask.ts'

export interface Person {
  readonly accountId: number
  /** Of an admin, who receives the events of every image. Changes from time to time. */
  readonly token: string
}

export type EventType = 'route.created' | 'route.updated' | 'image.uploaded' | 'image.approved'

/** A write that was acknowledged. From then on, it must not be lost. */
export interface Acknowledged {
  readonly type: EventType
  /** Id of the route or image. */
  readonly id: number
  /** The route's new name. */
  readonly name?: string
}

export interface WritersOptions {
  readonly nodeUrls: readonly string[]
  readonly people: readonly Person[]
  readonly clients: number
  /** First number for names and pictures; must differ for each run on the same data. */
  readonly firstSeed?: number
}

/** The writes of each client in turn: many small ones, and some on the history, the queue and the store. */
const cycle: readonly EventType[] = [
  ...Array<EventType>(8).fill('route.created'),
  'route.updated',
  'image.uploaded',
  'image.approved',
  ...Array<EventType>(8).fill('route.created'),
  'route.updated',
]

const retryMs = 30

export interface Client {
  readonly accountId: number
  readonly acknowledged: readonly Acknowledged[]
}

const gpxOf = (seed: number): string =>
  `<gpx version="1.1" creator="waymark" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg><trkpt lat="45.${seed % 1_000}" lon="7"/><trkpt lat="45.5" lon="7.${seed % 997}"/></trkseg></trk></gpx>`

/** Starts the clients immediately. */
export function startWriters({ nodeUrls, people, clients, firstSeed = 0 }: WritersOptions) {
  const asker = createAsker()
  const stopping = new AbortController()
  const faults: string[] = []
  /** Names of routes whose creation is unknown. */
  const unknownNames = new Set<string>()
  let [acknowledgedInAll, unanswered, seed] = [0, 0, firstSeed]

  async function run(at: number, person: Person, acknowledged: Acknowledged[]): Promise<void> {
    const { accountId } = person
    const routes = `/Accounts/${accountId}/Routes`
    let node = at
    const names = new Map<number, string>()
    let imageId: number | undefined

    /** Sends to one node. If the result is unknown, the next write goes to another. */
    async function send(ask: Omit<Ask, 'url' | 'token'> & { readonly path: string }): Promise<Answer> {
      const url = `${nodeUrls[node % nodeUrls.length] ?? ''}${ask.path}`
      const answer = await asker.ask({ ...ask, url, token: person.token })
      if (isUnknown(answer)) {
        unanswered += 1
        node += 1
        await pause(retryMs)
      }
      return answer
    }

    function keep(one: Acknowledged): void {
      acknowledged.push(one)
      acknowledgedInAll += 1
      if (one.name !== undefined) names.set(one.id, one.name)
    }

    const note = (what: string, { status, body }: Answer): void =>
      void faults.push(`${what} was answered ${status}: ${body.slice(0, 200)}`)

    /** A node shows its own acknowledged write immediately. */
    async function readBack(id: number, name: string): Promise<void> {
      const from = node
      const answer = await send({ path: `${routes}/${id}` })
      if (isUnknown(answer) || from !== node) return
      if (answer.status !== 200 || (JSON.parse(answer.body) as { name: string }).name !== name)
        note(`route ${id}, read just after it was acknowledged,`, answer)
    }

    /** Never repeated: a name identifies one request. */
    async function create(): Promise<void> {
      seed += 1
      const own = seed
      const name = `Route ${own}`
      const answer = await send({
        path: routes,
        method: 'POST',
        body: JSON.stringify({ name, gpx: gpxOf(own) }),
      })
      if (answer.status === 201) {
        keep({ type: 'route.created', id: Number(answer.body), name })
        if (own % 8 === 0) await readBack(Number(answer.body), name)
      } else if (isUnknown(answer)) unknownNames.add(name)
      else note('a new route', answer)
    }

    /** Repeated until acknowledged, like any client may do. */
    async function untilKnown(once: () => Promise<Answer>): Promise<Answer | undefined> {
      let answer = await once()
      while (isUnknown(answer) && !stopping.signal.aborted) answer = await once()
      return isUnknown(answer) ? undefined : answer
    }

    async function rename(): Promise<void> {
      const id = [...names.keys()].at(-1)
      if (id === undefined) return
      seed += 1
      const name = `Renamed ${seed}`
      const body = JSON.stringify({ name, gpx: gpxOf(seed) })
      const answer = await untilKnown(() => send({ path: `${routes}/${id}`, method: 'PUT', body }))
      if (answer === undefined) return void names.delete(id) // either name is possible
      if (answer.status >= 200 && answer.status < 300) keep({ type: 'route.updated', id, name })
      else note(`the new name of route ${id}`, answer)
    }

    async function upload(): Promise<void> {
      imageId = undefined
      seed += 1
      const bytes = smallPng(10_000_000 + seed)
      const headers = { 'content-type': 'image/png', 'idempotency-key': `kills-${seed}` }
      const ask = { path: `/Trails/${trailId}/Images`, method: 'POST', body: bytes, headers }
      const answer = await untilKnown(() => send(ask))
      if (answer === undefined) return
      if (![200, 201].includes(answer.status)) return note('an upload', answer)
      imageId = Number(answer.body)
      keep({ type: 'image.uploaded', id: imageId })
    }

    async function approve(): Promise<void> {
      const id = imageId
      if (id === undefined) return
      let tries = 0
      const answer = await untilKnown(() => {
        tries += 1
        return send({ path: `/v2/images/${id}/review`, method: 'POST', body: '{"decision":"approve"}' })
      })
      if (answer === undefined) return
      // After an attempt with a lost response, the decision may already be stored, since nobody else decides on this
      // image.
      if (answer.status === 200 || (answer.status === 409 && tries > 1)) keep({ type: 'image.approved', id })
      else note(`the decision on image ${id}`, answer)
    }

    const does = {
      'route.created': create,
      'route.updated': rename,
      'image.uploaded': upload,
      'image.approved': approve,
    }
    for (let turn = at; !stopping.signal.aborted; turn += 1)
      await does[cycle[turn % cycle.length] ?? 'route.created']()
  }

  const all = Array.from({ length: clients }, (_, at) => {
    const person = people[at % people.length]
    if (person === undefined) throw new Error('nobody writes')
    const acknowledged: Acknowledged[] = []
    return { accountId: person.accountId, acknowledged, running: run(at, person, acknowledged) }
  })
  return {
    clients: all as readonly Client[],
    faults,
    unknownNames,
    acknowledged: (): number => acknowledgedInAll,
    /** Number of requests with an unknown result. */
    unanswered: (): number => unanswered,
    /** Starts no more writes, and waits for those in flight. */
    stop: async (): Promise<void> => {
      stopping.abort()
      await Promise.all(all.map(({ running }) => running))
      asker.end()
    },
  }
}

export type Writers = ReturnType<typeof startWriters>
