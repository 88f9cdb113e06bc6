// Reads the rows that COPY has written in PostgreSQL's binary format (PostgreSQL, "COPY", File Formats).
import { createReadStream } from 'node:fs'
import type { LoadedRow, LoadedValue } from '../sqlite/load-rows.ts'

const signature = Buffer.from('PGCOPY\n\xFF\r\n\0', 'latin1')
/** The signature, flags, and the length of the header extension, which is empty. */
const headerBytes = signature.length + 8
const readBytes = 1024 * 1024
const end = -1
const isNull = -1

type Decode = (bytes: Buffer, at: number, length: number) => LoadedValue

const asText: Decode = (bytes, at, length) => bytes.toString('utf8', at, at + length)

/** The column types that Waymark uses, decoded for SQLite. */
const decoders: Readonly<Record<string, Decode>> = {
  // All our numbers are exact in 53 bits, and so is the sum.
  bigint: (bytes, at) => bytes.readInt32BE(at) * 0x1_0000_0000 + bytes.readUInt32BE(at + 4),
  integer: (bytes, at) => bytes.readInt32BE(at),
  'double precision': (bytes, at) => bytes.readDoubleBE(at),
  text: asText,
  'character varying': asText,
  bytea: (bytes, at, length) => Uint8Array.prototype.slice.call(bytes, at, at + length),
}

function decoderOf(type: string): Decode {
  const decode = decoders[type]
  if (decode === undefined) throw new Error(`A column has the type ${type}, which cannot be copied.`)
  return decode
}

interface Cursor {
  bytes: Buffer
  at: number
}

/** The next row or the end; undefined if it is incomplete. Advances only past what it returns. */
function readRow(cursor: Cursor, decode: readonly Decode[]): LoadedRow | typeof end | undefined {
  const { bytes } = cursor
  let { at } = cursor
  if (at + 2 > bytes.length) return undefined
  const count = bytes.readInt16BE(at)
  at += 2
  if (count === end) {
    cursor.at = at
    return end
  }
  if (count !== decode.length) throw new Error(`A copied row has ${count} of ${decode.length} columns.`)
  const row: LoadedValue[] = []
  for (const each of decode) {
    if (at + 4 > bytes.length) return undefined
    const length = bytes.readInt32BE(at)
    at += 4
    if (at + length > bytes.length) return undefined
    row.push(length === isNull ? null : each(bytes, at, length))
    at += Math.max(0, length)
  }
  cursor.at = at
  return row
}

/** The rows of a file, some thousand at a time. @throws Error of one sentence if the file is truncated. */
export async function* readCopiedRows(file: string, types: readonly string[]): AsyncGenerator<LoadedRow[]> {
  const decode = types.map(decoderOf)
  const cursor: Cursor = { bytes: Buffer.alloc(0), at: 0 }
  let hasHeader = false
  let hasEnded = false
  for await (const chunk of createReadStream(file, { highWaterMark: readBytes }) as AsyncIterable<Buffer>) {
    cursor.bytes = Buffer.concat([cursor.bytes.subarray(cursor.at), chunk])
    cursor.at = 0
    if (!hasHeader && cursor.bytes.length >= headerBytes) {
      hasHeader = signature.equals(cursor.bytes.subarray(0, signature.length))
      if (!hasHeader) throw new Error(`${file} is not a copy of a table.`)
      cursor.at = headerBytes
    }
    if (!hasHeader) continue
    const rows: LoadedRow[] = []
    for (;;) {
      const row = hasEnded ? undefined : readRow(cursor, decode)
      if (row === undefined) break
      if (row === end) hasEnded = true
      else rows.push(row)
    }
    if (rows.length > 0) yield rows
  }
  if (!hasEnded) throw new Error(`${file} is truncated.`)
}
