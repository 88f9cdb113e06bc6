// Prepared statements of SQLite, cached by their text; failures are reported with the codes of the file system.
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { QueryResult } from 'kysely'
import { remembering } from '../../shared/bounded-cache.ts'
import type { StorageFaults } from '../../storage/storage-faults.ts'

/** Maximum number of prepared statements. Apart from lists of values, queries have a fixed set of texts. */
const statementsKept = 500

/** Result codes that callers get as file system codes, the same for both engines. */
const systemErrors: Readonly<Record<number, { readonly code: string; readonly message: string }>> = {
  5: { code: 'EBUSY', message: 'The database is in use by another program.' },
  7: { code: 'ENOMEM', message: 'The database is out of memory.' },
  8: { code: 'EROFS', message: 'The database is not writable.' },
  10: { code: 'EIO', message: 'The disk of the database reports an error.' },
  11: { code: 'EIO', message: 'The database is damaged.' },
  13: { code: 'ENOSPC', message: 'The disk of the database is full.' },
  14: { code: 'EMFILE', message: 'A database file cannot be opened.' },
  26: { code: 'EIO', message: 'The file is not a database.' },
}

/** Extended codes of a failed fsync, of a file and of a folder. */
const lostWrites: ReadonlySet<number> = new Set([1_034, 1_290])

/** SQLite's own, with its extension; 0 for any other error. */
export function resultCodeOf(error: unknown): number {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0
}

export function inSystemTerms<T>(faults: StorageFaults, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const code = resultCodeOf(error)
    if (error instanceof Error && lostWrites.has(code)) faults.reportLoss(error)
    const known = systemErrors[code & 0xff]
    if (known === undefined) throw error
    const translated = new Error(known.message, { cause: error })
    throw Object.assign(translated, { code: known.code, syscall: 'sqlite', errcode: code })
  }
}

export interface Statement {
  /** False only if it can do nothing but read. */
  readonly mayWrite: boolean
  run(parameters: readonly unknown[]): QueryResult<unknown>
}

/** Finds the statement of a text, or prepares it. */
export type Statements = (text: string) => Statement

/** An object of one shape for all rows of a statement. */
export function rowOf(names: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  for (let index = 0; index < names.length; index += 1) row[names[index] ?? ''] = values[index]
  return row
}

export function createStatements(connection: DatabaseSync, faults: StorageFaults): Statements {
  function prepare(text: string): Statement {
    const statement = connection.prepare(text)
    const mayWrite = !/^\s*select\b/i.test(text)
    // A statement with result columns is executed as a query; it may still write (`returning`).
    const namesNow = (): string[] => statement.columns().map(({ name }) => name)
    let names = namesNow()
    if (names.length > 0) {
      statement.setReturnArrays(true) // half the cost of objects, whose keys node:sqlite creates again for each row
      return {
        mayWrite,
        run: (values) => {
          const found: unknown = inSystemTerms(faults, () => statement.all(...(values as SQLInputValue[])))
          const rows = found as readonly (readonly unknown[])[]
          if (rows[0] !== undefined && rows[0].length !== names.length) names = namesNow() // a migration added columns
          return { rows: rows.map((row) => rowOf(names, row)) }
        },
      }
    }
    return {
      mayWrite,
      run: (values) => {
        const done = inSystemTerms(faults, () => statement.run(...(values as SQLInputValue[])))
        return {
          rows: [],
          numAffectedRows: BigInt(done.changes),
          insertId: BigInt(done.lastInsertRowid),
        }
      },
    }
  }

  return remembering(statementsKept, prepare)
}
