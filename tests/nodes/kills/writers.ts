// Clients that write through whichever node lives, and the ledger of what was acknowledged, in the order of each client.
import { setTimeout as pause } from 'node:timers/promises'
import { trailId } from '../../faults/harness/installation.ts'
import { smallPng } from '../../faults/harness/pictures.ts'
import { createAsker, isUnknown, type Answer, type Ask } from './ask.ts'

export interface Person {
  readonly accountId: number
  /** Of an admin, who hears of every image; another after some time. */
  readonly token: string
}

export type EventType = 'route.created' | 'route.updated' | 'image.uploaded' | 'image.approved'

/** One write that was answered as done: from that moment the nodes owe it, whatever happens. */
export interface Acknowledged {
  readonly type: EventType
  /** Of the route or image. */
  readonly id: number
  /** What the route is called since. */
  readonly name?: string
}

export interface WritersOptions {
  readonly nodeUrls: readonly string[]
  readonly people: readonly Person[]
  readonly clients: number
  /** Where the numbers in names and pictures begin; another for each that runs on the same data. */
  readonly firstSeed?: number
}

/** Each client makes these in turn: many small writes, and some that touch the history, the queue and the store. */
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

/** Starts the clients at once. */
export function startWriters({ nodeUrls, people, clients, firstSeed = 0 }: WritersOptions) {
  const asker = createAsker()
  const stopping = new AbortController()
  const faults: string[] = []
  /** Names of routes whose request had no answer that tells whether they were made. */
  const unknownNames = new Set<string>()
  let [acknowledgedInAll, unanswered, seed] = [0, 0, firstSeed]

  async function run(at: number, person: Person, acknowledged: Acknowledged[]): Promise<void> {
    const { accountId } = person
    const routes = `/Accounts/${accountId}/Routes`
    let node = at
    const names = new Map<number, string>()
    let imageId: number | undefined

    /** At one node; where that did not say what became of it, the next write goes to another. */
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

    /** What the node itself has just acknowledged it shows at once. */
    async function readBack(id: number, name: string): Promise<void> {
      const from = node
      const answer = await send({ path: `${routes}/${id}` })
      if (isUnknown(answer) || from !== node) return
      if (answer.status !== 200 || (JSON.parse(answer.body) as { name: string }).name !== name)
        note(`route ${id}, read just after it was acknowledged,`, answer)
    }

    /** Never sent again: a name stands for one request. */
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

    /** Sent again until it is acknowledged, as any client may. */
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
      if (answer === undefined) return void names.delete(id) // either name
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
      // After an attempt whose answer was lost, the decision may be there already: nobody else decides on this one.
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
    /** Requests whose answer did not tell. */
    unanswered: (): number => unanswered,
    /** Begins no further write, and waits for those under way. */
    stop: async (): Promise<void> => {
      stopping.abort()
      await Promise.all(all.map(({ running }) => running))
      asker.end()
    },
  }
}

export type Writers = ReturnType<typeof startWriters>
