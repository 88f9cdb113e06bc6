// Which database the settings name.
import path from 'node:path'

export type DatabasePlace =
  | { readonly engine: 'sqlite'; readonly file: string }
  | {
      readonly engine: 'postgres'
      /** postgres://user:password@host:port/database?sslmode=…, as libpq has it. */
      readonly url: string
      /** For requests, at most. */
      readonly connections?: number
    }

export const standardConnections = 10

/**
 * What a node opens besides the connections for requests, which also count together with other nodes. Whoever adds a
 * connection adds it here: settings, doctor, chart and compose file reckon with the sum.
 */
export const otherConnections = {
  /** Hears of commits, and says that the node serves. */
  listener: 1,
  /** Numbers what transactions side by side have left. */
  sequencer: 1,
  /** Work that takes its time, such as a migration. */
  maintenance: 2,
} as const

/** Everything that a node opens at most. @param requests DATABASE_CONNECTIONS. */
export const connectionsOfNode = (requests: number): number =>
  Object.values(otherConnections).reduce((sum, more) => sum + more, requests)

/** The file of a database that is one. @throws Error of one sentence for any other. */
export function fileOf(place: DatabasePlace): string {
  if (place.engine === 'sqlite') return place.file
  throw new Error('This works only with SQLite, but DATABASE_URL is a PostgreSQL database.')
}

export function databaseUrl(value: string): DatabasePlace {
  if (/^sqlite:./.test(value)) return { engine: 'sqlite', file: path.resolve(value.slice('sqlite:'.length)) }
  const url = /^postgres(?:ql)?:/.test(value) ? URL.parse(value) : null
  if (url === null || url.pathname.length < 2)
    throw new RangeError('must be sqlite:<file>, or a URL such as postgres://user:password@host:5432/waymark')
  return { engine: 'postgres', url: value }
}
