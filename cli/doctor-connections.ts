// What `waymark doctor` says of the connections to PostgreSQL: whether all nodes together may open more than it has.
import type { ConnectionBudget } from '../src/database/database.ts'
import { openDatabase } from '../src/database/open-database.ts'
import type { Config } from '../src/settings/config.ts'
import { connectionsOfNode } from '../src/settings/database-settings.ts'
import { good, warning, type Verdict } from './doctor-verdicts.ts'
import { counted } from './output.ts'

/** @param requests DATABASE_CONNECTIONS, taken to be the same on all nodes. */
export function judgeConnections({ available, nodes }: ConnectionBudget, requests: number): Verdict {
  const each = connectionsOfNode(requests)
  const all = nodes * each
  const which = nodes === 0 ? 'No node is running' : `${counted(nodes, 'node')} may open ${all} connections`
  if (all <= available && each <= available)
    return good(`${which}; PostgreSQL has ${available}, and a node needs at most ${each}.`)
  const room = Math.floor(available / Math.max(nodes, 1)) - connectionsOfNode(0)
  const lower = room >= 1 ? `lower DATABASE_CONNECTIONS from ${requests} to ${room}, ` : ''
  return warning(
    `${counted(Math.max(nodes, 1), 'node')} may open ${Math.max(all, each)} connections to PostgreSQL, but it has ${available}: ${lower}raise max_connections, or run fewer nodes.`,
  )
}

/** Of a PostgreSQL alone. */
export async function checkConnections(config: Config): Promise<Verdict> {
  const database = await openDatabase(config.databasePlace)
  try {
    const budget = await database.connectionBudget?.()
    return judgeConnections(budget ?? { available: 0, nodes: 0 }, config.databaseConnections)
  } finally {
    await database.close()
  }
}
