// A list in chunks: each has the images of one range of the trail's sequence, and their texts as they appear in the
// list.
//
// The ranges are fixed, so that chunks, and with them the ETag, are the same on every node and after any history, and a
// change affects one chunk. A chunk is replaced, never changed; texts derived from it may be evicted and made again.
import { hash } from 'node:crypto'
import type { ListedForm } from '../present.ts'
import type { DeflatedPiece } from './joined-gzip.ts'
import type { ListedRow } from './list-table.ts'

/** Of the sequence: photos that arrived one after the other take one to three positions each. */
const span = 512

export const pieceOf = (seq: number): number => Math.floor(seq / span)
export const firstSeqOf = (piece: number): number => piece * span

/** The texts of a chunk in one form, each with the separator before it. */
export interface PieceBody {
  /** Undefined if there was no room for it. */
  bytes: Buffer | undefined
  /** The end of each image's text. */
  readonly ends: Uint32Array
  readonly length: number
  /** Made when first needed; see `digestOf`. */
  digest: Buffer | undefined
  /** Its gzip form, which differs for the first chunk of a list. */
  deflated: (DeflatedPiece & { readonly isFirst: boolean }) | undefined
}

export interface Piece {
  readonly number: number
  /** Of its images, in list order. */
  readonly ids: readonly number[]
  readonly seqs: readonly number[]
  readonly submitterIds: readonly number[]
  readonly bodies: Map<ListedForm, PieceBody>
}

/** An image's text in the list, with the separator before it. */
export type WriteListed = (row: ListedRow, form: ListedForm) => Buffer

function bodyFrom(texts: readonly Uint8Array[], ends: Uint32Array): PieceBody {
  const bytes = Buffer.concat(texts)
  return { bytes, ends, length: bytes.length, digest: undefined, deflated: undefined }
}

export function newPiece(
  number: number,
  rows: readonly ListedRow[],
  bodies: Map<ListedForm, PieceBody>,
): Piece {
  return {
    number,
    ids: rows.map(({ id }) => id),
    seqs: rows.map(({ seq }) => seq),
    submitterIds: rows.map(({ submitterId }) => submitterId),
    bodies,
  }
}

export function writePiece(rows: readonly ListedRow[], form: ListedForm, write: WriteListed): PieceBody {
  const texts = rows.map((row) => write(row, form))
  let end = 0
  return bodyFrom(
    texts,
    Uint32Array.from(texts, ({ length }) => (end += length)),
  )
}

/** Only of a body whose bytes are there, or whose digest was made while they were. */
export function digestOf(body: PieceBody): Buffer {
  body.digest ??= hash('sha256', body.bytes ?? '', 'buffer')
  return body.digest
}

/** The source of an image in the new chunk: its index in the old one, or its row. */
type Source = number | ListedRow

function sourcesOf(piece: Piece, gone: ReadonlySet<number>, rows: readonly ListedRow[]): Source[] {
  const sources: Source[] = []
  let next = 0
  for (const [place, seq] of piece.seqs.entries()) {
    for (let row = rows[next]; row !== undefined && row.seq < seq; row = rows[next]) {
      sources.push(row)
      next += 1
    }
    if (!gone.has(piece.ids[place] ?? 0)) sources.push(place)
  }
  return [...sources, ...rows.slice(next)]
}

function rewrite(
  { bytes = Buffer.alloc(0), ends }: PieceBody,
  sources: readonly Source[],
  write: (row: ListedRow) => Buffer,
): PieceBody {
  const texts: Uint8Array[] = []
  let end = 0
  const newEnds = Uint32Array.from(sources, (source) => {
    const text =
      typeof source === 'number' ? bytes.subarray(ends[source - 1] ?? 0, ends[source]) : write(source)
    texts.push(text)
    return (end += text.length)
  })
  return bodyFrom(texts, newEnds)
}

/**
 * @param gone images that were changed or are no longer listed.
 * @param rows those that are in this chunk now, in list order.
 */
export function replaceInPiece(
  piece: Piece,
  gone: ReadonlySet<number>,
  rows: readonly ListedRow[],
  write: WriteListed,
): Piece {
  const sources = sourcesOf(piece, gone, rows)
  const bodies = new Map<ListedForm, PieceBody>()
  for (const [form, body] of piece.bodies)
    if (body.bytes !== undefined)
      bodies.set(
        form,
        rewrite(body, sources, (row) => write(row, form)),
      )
  const valuesOf = (old: readonly number[], ofRow: (row: ListedRow) => number): number[] =>
    sources.map((source) => (typeof source === 'number' ? (old[source] ?? 0) : ofRow(source)))
  return {
    number: piece.number,
    ids: valuesOf(piece.ids, ({ id }) => id),
    seqs: valuesOf(piece.seqs, ({ seq }) => seq),
    submitterIds: valuesOf(piece.submitterIds, ({ submitterId }) => submitterId),
    bodies,
  }
}

/** Three numbers of each image. */
const imageBytes = 24
/** The objects around it. */
const overheadBytes = 500

/** Estimated memory. */
export function bytesOfPiece({ ids, bodies }: Piece): number {
  let bytes = overheadBytes + imageBytes * ids.length
  for (const body of bodies.values())
    bytes += 4 * ids.length + overheadBytes + (body.bytes?.length ?? 0) + (body.deflated?.bytes.length ?? 0)
  return bytes
}
