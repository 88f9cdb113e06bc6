// One list of a trail as it is kept: its images with their texts, what to read anew of them, and the bodies made of them.
import type { MadeBody } from '../../http/representation.ts'
import type { Coding } from '../../http/content-codings.ts'
import { createSingleFlight, type SingleFlight } from '../../shared/single-flight.ts'
import type { ListedRow, ListKey, Person } from './list-table.ts'
import type { ListEntry } from './list-writer.ts'
import type { ListedForm } from '../present.ts'

/** A body as it is, and in the codings that somebody asked for. */
export interface CodedBodies {
  readonly identity: MadeBody
  readonly coded: Map<Coding, MadeBody>
  /** Codings that were made, or are being made. */
  readonly begun: Set<Coding>
}

/** The list at one moment: never changed, but replaced, so that a body may be made of it while others go on. */
export interface ListContents {
  /** In the order of the list. */
  readonly entries: readonly ListEntry[]
  readonly bodies: Map<ListedForm, CodedBodies>
  readonly making: SingleFlight<ListedForm, CodedBodies>
}

const contentsOf = (entries: readonly ListEntry[]): ListContents => ({
  entries,
  bodies: new Map(),
  making: createSingleFlight(),
})

/** A row as SQLite gives it is a dictionary to V8: ten times as slow to read as an object of known form, and larger. */
const newEntry = (row: ListedRow): ListEntry => ({
  row: {
    id: row.id,
    seq: row.seq,
    submitterId: row.submitterId,
    displayName: row.displayName,
    email: row.email,
    title: row.title,
    caption: row.caption,
    lat: row.lat,
    lon: row.lon,
    mimeType: row.mimeType,
    postedAt: row.postedAt,
  },
  texts: {},
})

/** Of a row with its numbers and the objects around it; about. */
const entryBytes = 600
export function createCachedList({ trailId, name, slug, createdAt }: ListKey) {
  const submitters = new Set<number>()
  const changed = new Set<number>()
  const renamed = new Set<number>()
  /** Of the texts of all entries, by form: they outlive the body that they were made for. */
  const textBytes = new Map<ListedForm, number>()
  let version = -1
  let isOutdated = false
  let contents = contentsOf([])

  const list = {
    trailId,
    name,
    slug,
    createdAt,
    /** Whose images it has, or once had. */
    submitters: submitters as ReadonlySet<number>,
    /** Ids of images to read anew. */
    changed,
    /** Ids of accounts to read anew. */
    renamed,

    get isLoaded(): boolean {
      return version >= 0
    },
    get isOutdated(): boolean {
      return isOutdated
    },
    get contents(): ListContents {
      return contents
    },

    /** It is not to be used any more, and to be read anew. */
    forget: (): void => {
      isOutdated = true
    },

    /** From now on it is the trail's list at this version. */
    confirm: (at: number): void => {
      version = at
    },

    isOf: (key: ListKey): boolean => key.name === name && key.slug === slug && key.createdAt === createdAt,

    /** Was everything read anew that is marked so far? */
    isSettled: (): boolean => !isOutdated && changed.size === 0 && renamed.size === 0,

    isAt: (key: ListKey): boolean => key.version === version && list.isSettled() && list.isOf(key),

    add: (rows: readonly ListedRow[]): void => {
      for (const { submitterId } of rows) submitters.add(submitterId)
      contents = contentsOf([...contents.entries, ...rows.map(newEntry)])
    },

    /** @param rows those of the images that are listed. */
    replaceImages: (ids: readonly number[], rows: readonly ListedRow[]): void => {
      const read = new Set(ids)
      const added = rows.toSorted((one, other) => one.seq - other.seq).map(newEntry)
      const entries: ListEntry[] = []
      let next = 0
      let isChanged = rows.length > 0 // not so after an upload, which no list shows
      for (const entry of contents.entries) {
        if (read.has(entry.row.id)) {
          isChanged = true
          continue
        }
        for (let one = added[next]; one !== undefined && one.row.seq < entry.row.seq; one = added[next]) {
          entries.push(one)
          next += 1
        }
        entries.push(entry)
      }
      if (!isChanged) return
      for (const { submitterId } of rows) submitters.add(submitterId)
      contents = contentsOf([...entries, ...added.slice(next)])
    },

    replacePeople: (people: readonly Person[]): void => {
      const byId = new Map(people.map((person) => [person.id, person]))
      let isChanged = false
      const entries = contents.entries.map((entry) => {
        const person = byId.get(entry.row.submitterId)
        if (!person) return entry
        const { displayName, email } = person
        if (displayName === entry.row.displayName && email === entry.row.email) return entry
        isChanged = true
        return newEntry({ ...entry.row, displayName, email })
      })
      if (isChanged) contents = contentsOf(entries)
    },

    /** What it takes in memory, by a careful guess. */
    bytes: (): number => {
      let bytes = entryBytes * (1 + contents.entries.length)
      for (const [form, { identity, coded }] of contents.bodies) {
        textBytes.set(form, identity.bytes.length)
        bytes += identity.bytes.length
        for (const body of coded.values()) bytes += body.bytes.length
      }
      for (const ofForm of textBytes.values()) bytes += ofForm
      return bytes
    },
  }
  return list
}

export type CachedList = ReturnType<typeof createCachedList>
