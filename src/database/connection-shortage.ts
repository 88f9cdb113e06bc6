// Warns if the nodes of a database together may open more connections than PostgreSQL allows.
import { connectionsOfNode } from '../settings/database-settings.ts'
import type { ConnectionBudget } from './database.ts'

/**
 * @param requests DATABASE_CONNECTIONS, assumed to be the same on all nodes.
 * @returns one sentence that says what to do, or undefined if they fit.
 */
export function describeShortage(
  { available, nodes: running }: ConnectionBudget,
  requests: number,
): string | undefined {
  const nodes = Math.max(running, 1) // this node, which is about to start
  const all = nodes * connectionsOfNode(requests)
  if (all <= available) return undefined
  const room = Math.floor(available / nodes) - connectionsOfNode(0)
  const lower = room >= 1 ? `lower DATABASE_CONNECTIONS from ${requests} to ${room}, ` : ''
  const who = nodes === 1 ? '1 node' : `${nodes} nodes`
  return `${who} may open ${all} connections to PostgreSQL, but it has ${available}: ${lower}raise max_connections, or run fewer nodes.`
}
