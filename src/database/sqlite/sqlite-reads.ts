// SQLite's support for hot-query.ts: reads that do not wait, and whether anything was committed since.
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { ReadAtOnce } from '../database.ts'
import { rowOf } from './sqlite-statements.ts'

/**
 * Counts commits: our own as they happen, those of other programs by SQLite's data version, which is checked once per
 * turn of the event loop. Nearly everything that a turn reads from the network arrived before the check; requests that
 * arrive during it may miss a commit of another program, but none of ours.
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

/** There is one connection: what it reads during a transaction may be rolled back. */
export function createReads(connection: DatabaseSync) {
  function prepare(text: string) {
    const statement = connection.prepare(text)
    const names = statement.columns().map(({ name }) => name)
    statement.setReturnArrays(true) // half the cost of objects, whose keys node:sqlite creates again for each row
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
        return undefined // the ordinary query reports the error in our terms, or waits until the database is free
      }
    }
  }
}
