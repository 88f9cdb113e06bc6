// Copies tables out of PostgreSQL as fast as it sends them: COPY in its binary format, each table into a file.
import { closeSync, openSync, writeSync } from 'node:fs'
import path from 'node:path'
import { DEFAULT_MIGRATION_TABLE } from 'kysely/migration'
import { Client, escapeIdentifier, type Connection } from 'pg'
import type { TableLayout } from '../layout.ts'
import { clientConfig, endClient } from './connections.ts'
import { beginSnapshot } from './snapshot.ts'

const writeBytes = 1024 * 1024

export interface CopiedTable {
  readonly table: TableLayout
  readonly file: string
  /** As PostgreSQL counted them. */
  readonly rows: number
  /** Types of the columns, in the order of the layout, as format_type names them. */
  readonly types: readonly string[]
}

/** Collects rows of about 100 bytes into writes of 1 MB. Writes synchronously: only a backup does this, in its own process. */
function createFile(file: string) {
  const descriptor = openSync(file, 'wx', 0o600)
  const gathered = Buffer.allocUnsafe(writeBytes)
  let length = 0
  const writeAll = (bytes: Uint8Array): void => {
    for (let offset = 0; offset < bytes.length;) offset += writeSync(descriptor, bytes, offset)
  }
  const flush = (): void => {
    writeAll(gathered.subarray(0, length))
    length = 0
  }
  return {
    add: (bytes: Uint8Array): void => {
      if (length + bytes.length > writeBytes) flush()
      if (bytes.length > writeBytes) return writeAll(bytes)
      gathered.set(bytes, length)
      length += bytes.length
    },
    flush,
    close: (): void => closeSync(descriptor),
  }
}

/** Runs a COPY … TO STDOUT; pg only passes its messages on. @returns the number of rows. */
function copyInto(client: Client, text: string, add: (bytes: Uint8Array) => void): Promise<number> {
  return new Promise((resolve, reject) => {
    let rows = 0
    client.query({
      submit: (connection: Connection) => connection.query(text),
      handleCopyData: ({ chunk }: { readonly chunk: Uint8Array }, connection: Connection) => {
        try {
          add(chunk)
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error))) // a full disk
          connection.stream.destroy() // the rest is useless
        }
      },
      handleCommandComplete: ({ text: tag }: { readonly text: string }) => {
        rows = Number(tag.split(' ').at(-1)) // COPY 200000
      },
      handleReadyForQuery: () => resolve(rows),
      handleError: reject,
    })
  })
}

interface TypeFact {
  readonly table: string
  readonly column: string
  readonly type: string
}

async function readTypes(client: Client): Promise<(table: string, column: string) => string> {
  const { rows } = await client.query<TypeFact>(`select t.relname as "table", c.attname as "column",
      format_type(c.atttypid, null) as "type"
    from pg_class t join pg_attribute c on c.attrelid = t.oid and c.attnum > 0 and not c.attisdropped
    where t.relkind in ('r', 'p') and t.relnamespace = current_schema()::regnamespace`)
  const byName = new Map(rows.map(({ table, column, type }) => [`${table}.${column}`, type]))
  return (table, column) => byName.get(`${table}.${column}`) ?? 'missing'
}

/** A migration after the schema was read and before the snapshot would yield rows for which the copy has no columns. */
async function requireSchema(client: Client, schema: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select name from ${DEFAULT_MIGRATION_TABLE} order by name desc limit 1`,
  )
  if (rows[0]?.name !== schema)
    throw new Error('The database was migrated to another version just now: start the backup again.')
}

export interface CopyOutOptions {
  readonly url: string
  /** The newest migration of the database. */
  readonly schema: string
  readonly tables: readonly TableLayout[]
  /** An empty folder for the files. */
  readonly folder: string
}

/**
 * Copies all tables from one snapshot. PostgreSQL keeps every row of it until the last table is written, so nothing else is
 * done in the meantime. @throws Error of one sentence if the schema was migrated after it was read.
 */
export async function copyOut({ url, schema, tables, folder }: CopyOutOptions): Promise<CopiedTable[]> {
  const client = new Client(clientConfig({ url, name: 'waymark backup', isPatient: true }))
  client.on('error', () => undefined) // reported by the running statement
  await client.connect()
  try {
    await beginSnapshot(client)
    await requireSchema(client, schema)
    const typeOf = await readTypes(client)
    const copied: CopiedTable[] = []
    for (const table of tables) {
      const file = path.join(folder, table.name)
      const columns = table.columns.map(escapeIdentifier).join(', ')
      const text = `copy ${escapeIdentifier(table.name)} (${columns}) to stdout (format binary)`
      const out = createFile(file)
      try {
        const rows = await copyInto(client, text, out.add)
        out.flush()
        copied.push({ table, file, rows, types: table.columns.map((column) => typeOf(table.name, column)) })
      } finally {
        out.close()
      }
    }
    await client.query('commit')
    return copied
  } finally {
    await endClient(client)
  }
}
