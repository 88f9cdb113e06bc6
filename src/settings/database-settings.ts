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
 * What a node opens in addition to the connections for requests, which also serve the counts shared with other nodes. New
 * connections must be added here: settings, doctor, chart and compose file use the sum.
 */
export const otherConnections = {
  /** Listens for commits, and shows that the node is running. */
  listener: 1,
  /** Numbers the pending rows of parallel transactions. */
  sequencer: 1,
  /** Long work, such as a migration. */
  maintenance: 2,
} as const

/** The maximum that a node opens. @param requests DATABASE_CONNECTIONS. */
export const connectionsOfNode = (requests: number): number =>
  Object.values(otherConnections).reduce((sum, more) => sum + more, requests)

/** The file of a database that is one. @throws Error of one sentence for any other. */
export function fileOf(place: DatabasePlace): string {
  if (place.engine === 'sqlite') return place.file
  throw new Error('This works only with SQLite, but DATABASE_URL is a PostgreSQL database.')
}

/** As libpq takes them. A password may have a comma too, but in front of the @. */
function namesSeveralHosts(value: string): boolean {
  const authority = /^postgres(?:ql)?:\/\/([^/?#]*)/.exec(value)?.[1] ?? ''
  const hosts = authority.slice(authority.lastIndexOf('@') + 1)
  return hosts.includes(',') || /[?&]host=[^&]*(?:,|%2C)/i.test(value)
}

export function databaseUrl(value: string): DatabasePlace {
  if (/^sqlite:./.test(value)) return { engine: 'sqlite', file: path.resolve(value.slice('sqlite:'.length)) }
  const url = /^postgres(?:ql)?:/.test(value) ? URL.parse(value) : null
  if (namesSeveralHosts(value))
    throw new RangeError(
      'must name one host, since several are not supported: use an address that always leads to the primary',
    )
  if (url === null || url.pathname.length < 2)
    throw new RangeError('must be sqlite:<file>, or a URL such as postgres://user:password@host:5432/waymark')
  return { engine: 'postgres', url: value }
}
