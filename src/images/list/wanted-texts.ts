// What a caller needs of a cached list: which texts in which form, what is missing, and what is then taken for sending.
import type { ListedForm } from '../present.ts'
import type { DeflatedPiece } from './joined-gzip.ts'
import type { Piece, PieceBody } from './list-pieces.ts'
import type { CachedList, Layer, ListContents } from './cached-list.ts'

/** Up to this length a list is assembled and sent as a whole; longer ones in chunks. */
export const maxWholeBytes = 2 * 1024 ** 2

export interface Want {
  readonly form: ListedForm
  /** The form for a long list. */
  readonly coding: 'identity' | 'gzip'
  /** Whose own images show an address: these are wanted in the form with it, too. */
  readonly ownerId: number | undefined
}

export const nameOf = ({ form, coding, ownerId }: Want): string => `${form} ${coding} ${ownerId ?? ''}`

/** A chunk to send, held by its reader even if the list evicts it. */
export interface TakenPiece {
  readonly piece: Piece
  readonly body: PieceBody
  readonly bytes: Buffer | undefined
  readonly deflated: PieceBody['deflated']
  /** With addresses, where images of the owner are among them. */
  readonly own: { readonly bytes: Buffer; readonly ends: Uint32Array } | undefined
}

export interface Taken {
  readonly list: CachedList
  readonly contents: ListContents
  readonly isLong: boolean
  readonly pieces: readonly TakenPiece[]
}

const isOwnerThere = ({ submitters }: CachedList, { ownerId }: Want): boolean =>
  ownerId !== undefined && submitters.has(ownerId)

const hasOwn = ({ submitterIds }: Piece, { ownerId }: Want): boolean =>
  ownerId !== undefined && submitterIds.includes(ownerId)

/** False until it is known to be long. */
export function isLong({ contents }: CachedList, form: ListedForm): boolean {
  let length = 0
  for (const { bodies } of contents.pieces) length += bodies.get(form)?.length ?? 0
  return length > maxWholeBytes
}

/** Is it sent compressed, chunk by chunk? A member's own form never is. */
const isDeflated = (list: CachedList, want: Want): boolean =>
  want.coding === 'gzip' && !isOwnerThere(list, want) && isLong(list, want.form)

/** The deflated texts of a chunk, if they fit its place in the list: the first differs. */
export function deflatedOf(contents: ListContents, piece: Piece, form: ListedForm): PieceBody['deflated'] {
  const deflated = piece.bodies.get(form)?.deflated
  return deflated?.isFirst === (contents.pieces[0] === piece) ? deflated : undefined
}

/** @returns a function that says in which forms the texts of a chunk must be read again. */
export function createMissing(list: CachedList, want: Want): (piece: Piece) => ListedForm[] {
  const { contents } = list
  const { form } = want
  const isWholeThere = contents.bodies.has(form)
  const mayBeDeflated = isDeflated(list, want)
  const mayHaveOwn = isOwnerThere(list, want)
  return (piece) => {
    if (isWholeThere && !mayHaveOwn) return []
    const forms: ListedForm[] = []
    const isThere =
      piece.bodies.get(form)?.bytes !== undefined ||
      (mayBeDeflated && deflatedOf(contents, piece, form) !== undefined)
    if (!isThere) forms.push(form)
    const ownForm = 'xml-with-email'
    if (mayHaveOwn && hasOwn(piece, want) && piece.bodies.get(ownForm)?.bytes === undefined)
      forms.push(ownForm)
    return forms
  }
}

/** Chunks of a long list whose texts exist, but without deflated form or digest. */
export function unfinished(list: CachedList, want: Want): Piece[] {
  const { form } = want
  if (!isLong(list, form)) return []
  const needsDeflated = isDeflated(list, want)
  return list.contents.pieces.filter((piece) => {
    const body = piece.bodies.get(form)
    if (body === undefined) return false
    return body.digest === undefined || (needsDeflated && !deflatedOf(list.contents, piece, form))
  })
}

function isWhole(list: CachedList, want: Want): boolean {
  const missing = createMissing(list, want)
  return list.isRead && list.contents.pieces.every((piece) => missing(piece).length === 0)
}

function layersOf(list: CachedList, want: Want): Layer[] {
  const layer: Layer = `${want.form} ${isDeflated(list, want) ? 'deflated' : 'bytes'}`
  return isOwnerThere(list, want) ? ['xml-with-email bytes', layer] : [layer]
}

/** @returns undefined where something is missing. */
export function take(list: CachedList, want: Want): Taken | undefined {
  if (!isWhole(list, want) || unfinished(list, want).length > 0) return undefined
  const { contents } = list
  list.use(layersOf(list, want))
  const isSentDeflated = isDeflated(list, want)
  const pieces: TakenPiece[] = []
  for (const piece of contents.pieces) {
    const body = piece.bodies.get(want.form)
    if (body === undefined) continue // the whole is there
    const own = hasOwn(piece, want) ? piece.bodies.get('xml-with-email') : undefined
    pieces.push({
      piece,
      body,
      bytes: body.bytes,
      deflated: isSentDeflated ? deflatedOf(contents, piece, want.form) : undefined,
      own: own?.bytes && { bytes: own.bytes, ends: own.ends },
    })
  }
  return { list, contents, isLong: isLong(list, want.form), pieces }
}

/** @throws if they were not taken: a list is never sent without them. */
export function bytesOf({ bytes, piece }: TakenPiece): Buffer {
  if (bytes === undefined) throw new Error(`The texts of piece ${piece.number} of a list are missing.`)
  return bytes
}

export function deflatedBytesOf({ deflated, piece }: TakenPiece): DeflatedPiece {
  if (deflated === undefined) throw new Error(`Piece ${piece.number} of a list is not deflated.`)
  return deflated
}
