// Compares the database after all kills with what was acknowledged, read and delivered.
import { Client } from 'pg'
import type { Client as Writer, EventType, Writers } from './writers.ts'

export interface StoredEvent {
  readonly position: number
  readonly type: EventType
  readonly accountId: number | null
  readonly imageId: number | null
  readonly data: string
}

export interface Stored {
  readonly events: readonly StoredEvent[]
  /** Position of the newest event, according to the counter. */
  readonly newest: number
  readonly routes: readonly { readonly id: number; readonly name: string }[]
  /** Committed events without a number. */
  readonly pending: number
  readonly deliveries: readonly { readonly id: string; readonly position: number; readonly state: string }[]
}

/** Read directly from PostgreSQL, bypassing the caches of nodes. */
export async function readStored(databaseUrl: string): Promise<Stored> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  const ask = async <Row>(text: string): Promise<Row[]> => (await client.query<Row & object>(text)).rows
  try {
    const [counter] = await ask<{ value: string }>(`select value from counter where name = 'outbox'`)
    const [table] = await ask<{ name: string | null }>(`select to_regclass('outbox_pending')::text as name`)
    const pending =
      table?.name === null ? [] : await ask<{ count: string }>('select count(*) from outbox_pending')
    const events = await ask<Record<'position' | 'accountId' | 'imageId' | 'type' | 'data', string | null>>(
      `select position, type, account_id as "accountId", image_id as "imageId", data from outbox order by position`,
    )
    const numberOf = (text: string | null): number | null => (text === null ? null : Number(text))
    return {
      newest: Number(counter?.value ?? 0),
      pending: Number(pending[0]?.count ?? 0),
      events: events.map(({ position, type, accountId, imageId, data }) => ({
        position: Number(position),
        type: type as EventType,
        accountId: numberOf(accountId),
        imageId: numberOf(imageId),
        data: data ?? '{}',
      })),
      routes: (await ask<{ id: string; name: string }>('select id, name from route')).map(({ id, name }) => ({
        id: Number(id),
        name,
      })),
      deliveries: (
        await ask<{ id: string; position: string; state: string }>(
          'select id, position, state from delivery where position is not null',
        )
      ).map(({ id, position, state }) => ({ id, position: Number(position), state })),
    }
  } finally {
    await client.end()
  }
}

/** The image or route of an event. */
const subjectOf = ({ imageId, data }: StoredEvent): number =>
  imageId ?? Number((JSON.parse(data) as { routeID?: number }).routeID)

/** Positions of events, by image or route. */
function positionsOf(events: readonly StoredEvent[]): Map<string, number[]> {
  const found = new Map<string, number[]>()
  for (const event of events) {
    const key = `${event.type} ${subjectOf(event)}`
    found.set(key, [...(found.get(key) ?? []), event.position])
  }
  return found
}

/** The sequential writes of a client have ascending positions, without gaps or duplicates. */
function faultsOfClient(
  { acknowledged }: Writer,
  positions: ReadonlyMap<string, readonly number[]>,
): string[] {
  const faults: string[] = []
  let last = 0
  for (const { type, id } of acknowledged) {
    const found = positions.get(`${type} ${id}`) ?? []
    if (found.length === 0) faults.push(`${type} of ${id} is not in the feed`)
    if (type !== 'route.updated' && found.length > 1)
      faults.push(`${type} of ${id} is in the feed ${found.length} times`)
    const next = found.find((position) => position > last)
    if (found.length > 0 && next === undefined)
      faults.push(`${type} of ${id} is at ${found.join(', ')}, before the client's last write at ${last}`)
    last = next ?? last
  }
  return faults
}

/** Faults of the feed itself: gaps in positions, a wrong counter, or events waiting for a number. */
export function findGaps({ events, newest, pending }: Stored): string[] {
  const faults = events.flatMap(({ position }, at) =>
    position === at + 1 ? [] : [`position ${at + 1} is ${position}`],
  )
  if (newest !== events.length) faults.push(`the counter says ${newest} of ${events.length} events`)
  if (pending > 0) faults.push(`${pending} events never had a number`)
  return faults
}

/** Acknowledged writes that are missing from the feed, duplicated, or in the wrong order. */
export function findLostEvents({ events }: Stored, { clients }: Writers): string[] {
  const positions = positionsOf(events)
  return clients.flatMap((client) => faultsOfClient(client, positions))
}

/** All of these, and stored data that differs from what was acknowledged, was never sent, or is duplicated. */
export function findFaults(stored: Stored, writers: Writers): string[] {
  const { events, routes } = stored
  const faults = [...findGaps(stored), ...findLostEvents(stored, writers)]
  const positions = positionsOf(events)
  const names = new Map(routes.map(({ id, name }) => [id, name]))
  const last = new Map<number, string>()
  for (const { acknowledged } of writers.clients)
    for (const { id, name } of acknowledged) if (name !== undefined) last.set(id, name)
  for (const [id, name] of last) {
    const found = names.get(id)
    // A name that was sent when the writers stopped, without a response, may be stored or not.
    if (found === undefined || (found !== name && !found.startsWith('Renamed')))
      faults.push(`route ${id} should be ${name} and is ${found ?? 'gone'}`)
  }
  for (const { id, name } of routes) {
    if (!last.has(id) && !writers.unknownNames.has(name)) faults.push(`nobody made route ${id}, ${name}`)
    const times = positions.get(`route.created ${id}`)?.length ?? 0
    if (times !== 1) faults.push(`route ${id} was made ${times} times, as the feed tells it`)
  }
  const twice = routes.map(({ name }) => name).filter((name, at, all) => all.indexOf(name) !== at)
  for (const name of twice) faults.push(`${name} is there twice`)
  return faults
}

/** Events that a reader of this account should have received: all of images, and of its own routes. */
export const heardBy = ({ events }: Stored, accountId: number): StoredEvent[] =>
  events.filter((event) => event.accountId === null || event.accountId === accountId)
