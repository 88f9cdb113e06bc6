// What `waymark doctor` reports about connections to PostgreSQL: whether all nodes together may open more than it allows.
import { describeShortage } from '../src/database/connection-shortage.ts'
import type { ConnectionBudget } from '../src/database/database.ts'
import { openDatabase } from '../src/database/open-database.ts'
import type { Config } from '../src/settings/config.ts'
import { connectionsOfNode } from '../src/settings/database-settings.ts'
import { failure, good, type Verdict } from './doctor-verdicts.ts'
import { counted } from './output.ts'

export function judgeConnections(budget: ConnectionBudget, requests: number): Verdict {
  const shortage = describeShortage(budget, requests)
  if (shortage !== undefined) return failure(shortage)
  const { available, nodes } = budget
  const each = connectionsOfNode(requests)
  const which =
    nodes === 0 ? 'No node is running' : `${counted(nodes, 'node')} may open ${nodes * each} connections`
  return good(`${which}; PostgreSQL allows ${available}, and a node needs at most ${each}.`)
}

/** For PostgreSQL only. */
export async function checkConnections(config: Config): Promise<Verdict> {
  const database = await openDatabase(config.databasePlace)
  try {
    const budget = await database.connectionBudget?.()
    return judgeConnections(budget ?? { available: 0, nodes: 0 }, config.databaseConnections)
  } finally {
    await database.close()
  }
}
