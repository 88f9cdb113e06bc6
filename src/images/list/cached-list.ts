// The cached list of a trail: its images in chunks with their texts, and marks for what must be read again.
import type { MadeBody } from '../../http/representation.ts'
import type { Coding } from '../../http/content-codings.ts'
import { createYielder } from '../../shared/yielding.ts'
import type { ListedForm } from '../present.ts'
import {
  bytesOfPiece,
  newPiece,
  pieceOf,
  replaceInPiece,
  writePiece,
  type Piece,
  type PieceBody,
  type WriteListed,
} from './list-pieces.ts'
import type { ListedRow, ListKey, Person } from './list-table.ts'

/** A short body uncompressed, and in the encodings that were requested. */
export interface CodedBodies {
  readonly identity: MadeBody
  readonly coded: Map<Coding, MadeBody>
  /** Codings that were made, or are being made. */
  readonly begun: Set<Coding>
}

/** The list at one time: it is replaced, never changed, so that a body can be made of it while others update the list. */
export interface ListContents {
  /** In the order of the list; none is empty. */
  readonly pieces: readonly Piece[]
  /** For a list that is short enough to be sent as a whole. */
  readonly bodies: Map<ListedForm, CodedBodies>
}

const contentsOf = (pieces: readonly Piece[]): ListContents => ({
  pieces,
  bodies: new Map(),
})

/** The cached texts of each chunk, which are evicted layer by layer. */
export type Layer = `${ListedForm} ${'bytes' | 'deflated'}`

const listBytes = 1_000
const personBytes = 200
const turnMs = 2

export interface NewList {
  readonly key: ListKey
  readonly write: WriteListed
}

export function createCachedList({ key: { trailId, name, slug, createdAt }, write }: NewList) {
  /** Whose images it has, or once had, as they were when they were last compared. */
  const people = new Map<number, Person>()
  const changed = new Set<number>()
  const renamed = new Set<number>()
  /** The most recently used is last. */
  const layers = new Set<Layer>()
  let version = -1
  let isOutdated = false
  let isRead = false
  let contents = contentsOf([])

  function meet(rows: readonly ListedRow[]): void {
    for (const { submitterId: id, displayName, email } of rows)
      if (!people.has(id)) people.set(id, { id, displayName, email })
  }

  /** Puts it in the place of the one of its number. */
  function place(piece: Piece): void {
    const { pieces } = contents
    const last = pieces.at(-1)
    let at = last === undefined || last.number < piece.number ? pieces.length : 0
    if (at === 0) at = pieces.findIndex(({ number }) => number >= piece.number)
    if (pieces.length === 0) at = 0
    const isThere = pieces[at]?.number === piece.number
    contents = contentsOf(pieces.toSpliced(at, isThere ? 1 : 0, ...(piece.ids.length > 0 ? [piece] : [])))
  }

  const list = {
    trailId,
    name,
    slug,
    createdAt,
    /** Whose images it has, or once had. */
    submitters: people as ReadonlyMap<number, Person>,
    /** Ids of images to read again. */
    changed,
    /** Ids of accounts to read again. */
    renamed,

    get isLoaded(): boolean {
      return version >= 0
    },
    get isOutdated(): boolean {
      return isOutdated
    },
    /** Were all its images read, though perhaps not their texts in every form? */
    get isRead(): boolean {
      return isRead
    },
    get contents(): ListContents {
      return contents
    },

    /** Discards the list, so that it is read again. */
    forget: (): void => {
      isOutdated = true
    },

    /** From now on it is the trail's list at this version. */
    confirm: (at: number): void => {
      version = at
    },

    /** All its images were read. */
    setRead: (): void => {
      isRead = true
    },

    isOf: (key: ListKey): boolean => key.name === name && key.slug === slug && key.createdAt === createdAt,

    /** Has everything that was marked been read again? */
    isSettled: (): boolean => !isOutdated && changed.size === 0 && renamed.size === 0,

    isAt: (key: ListKey): boolean => key.version === version && list.isSettled() && list.isOf(key),

    /** A chunk as just read, with its texts in these forms; texts in other forms are kept for unchanged images. */
    put: (number: number, rows: readonly ListedRow[], forms: Iterable<ListedForm>): void => {
      meet(rows)
      const before = contents.pieces.find((piece) => piece.number === number)
      const isSame = before?.ids.length === rows.length && rows.every(({ id }, at) => id === before.ids[at])
      const bodies = isSame ? before.bodies : new Map<ListedForm, PieceBody>()
      for (const form of forms) bodies.set(form, writePiece(rows, form, write))
      if (!isSame) place(newPiece(number, rows, bodies))
    },

    /** @param rows those of the listed images. */
    replaceImages: async (ids: readonly number[], rows: readonly ListedRow[]): Promise<void> => {
      meet(rows)
      const read = new Set(ids)
      const byPiece = Map.groupBy(
        rows.toSorted((one, other) => one.seq - other.seq),
        ({ seq }) => pieceOf(seq),
      )
      const turns = createYielder(turnMs)
      for (const piece of contents.pieces) {
        const now = byPiece.get(piece.number) ?? []
        byPiece.delete(piece.number)
        if (now.length === 0 && !piece.ids.some((id) => read.has(id))) continue
        place(replaceInPiece(piece, read, now, write))
        await turns.yieldIfDue()
      }
      for (const [number, now] of byPiece) place(newPiece(number, now, new Map()))
    },

    /** Marks the images of those who have another name or address than before. */
    comparePeople: (found: readonly Person[]): void => {
      const others = new Set<number>()
      for (const { id, displayName, email } of found) {
        const before = people.get(id)
        if (!before || (before.displayName === displayName && before.email === email)) continue
        people.set(id, { id, displayName, email })
        others.add(id)
      }
      if (others.size === 0) return
      for (const { ids, submitterIds } of contents.pieces)
        for (const [at, id] of ids.entries()) if (others.has(submitterIds[at] ?? 0)) changed.add(id)
    },

    /** Layers that are in use now: others make room before them. */
    use: (used: readonly Layer[]): void => {
      for (const layer of used) {
        layers.delete(layer)
        layers.add(layer)
      }
    },

    /**
     * Evicts texts until the list takes no more than this: whole layers that were not used recently, then the end of
     * the last.
     */
    trim: (maxBytes: number): void => {
      let over = list.bytes() - maxBytes
      for (const layer of layers) {
        const [form, what] = layer.split(' ') as [ListedForm, 'bytes' | 'deflated']
        for (const { bodies } of contents.pieces.toReversed()) {
          if (over <= 0) return
          const body = bodies.get(form)
          if (body === undefined) continue
          over -= (what === 'bytes' ? body.bytes : body.deflated?.bytes)?.length ?? 0
          if (what === 'bytes') body.bytes = undefined
          else body.deflated = undefined
          if (body.digest === undefined) bodies.delete(form)
        }
      }
    },

    /** A careful estimate of its memory. */
    bytes: (): number => {
      let bytes = listBytes + personBytes * people.size
      for (const piece of contents.pieces) bytes += bytesOfPiece(piece)
      for (const { identity, coded } of contents.bodies.values()) {
        bytes += identity.bytes.length
        for (const body of coded.values()) bytes += body.bytes.length
      }
      return bytes
    },
  }
  return list
}

export type CachedList = ReturnType<typeof createCachedList>
