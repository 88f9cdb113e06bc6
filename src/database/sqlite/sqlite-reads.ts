// What SQLite gives hot-query.ts: reads that wait for nobody, and whether anything was committed since.
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { ReadAtOnce } from '../database.ts'
import { rowOf } from './sqlite-statements.ts'

/**
 * Counts commits: our own as they are made, those of other programs by SQLite's data version, which is looked at once in a
 * turn of the event loop. Nearly all that a turn reads from the network came before it looked; what came in its very course
 * may miss what another program committed meanwhile, and nothing of our own.
 */
export function createCommitWatch(connection: DatabaseSync, onForeignCommit: () => void) {
  const version = connection.prepare('pragma data_version')
  version.setReturnArrays(true)
  const look = (): unknown => (version.get() as unknown as readonly unknown[] | undefined)?.[0]
  let commits = 0
  let seen = look()
  let isSeenThisTurn = false
  return {
    committed: (): void => {
      commits += 1
    },
    mark: (): number => {
      if (isSeenThisTurn) return commits
      const found = look()
      if (found !== seen) {
        commits += 1
        seen = found
        onForeignCommit()
      }
      isSeenThisTurn = true
      setImmediate(() => {
        isSeenThisTurn = false
      })
      return commits
    },
  }
}

/** There is one connection: what it reads while it is in a transaction may never come to be, and its owner comes first. */
export function createReads(connection: DatabaseSync) {
  function prepare(text: string) {
    const statement = connection.prepare(text)
    const names = statement.columns().map(({ name }) => name)
    statement.setReturnArrays(true) // half the work of objects, whose keys node:sqlite makes anew for each row
    return { statement, names }
  }

  return (text: string): ReadAtOnce => {
    let prepared: ReturnType<typeof prepare> | undefined
    return (parameters) => {
      if (connection.isTransaction) return undefined
      try {
        prepared ??= prepare(text)
        const { statement, names } = prepared
        const values: unknown = statement.get(...(parameters as readonly SQLInputValue[]))
        if (!Array.isArray(values)) return null
        return rowOf(names, values)
      } catch {
        return undefined // asked again, it tells in our terms, or waits for who keeps it busy
      }
    }
  }
}
