// The actions of one reviewer in this session: the undo stack, its effect on the list, and what has not been sent
// yet.
import type { Decision, Image, ImagePatch, QueueItem } from '../../../../client/client.ts'
import type { Overlay, Returned } from '../desk/queue-cursor.ts'

/** A photo under review, with what a decision needs if it is in the queue. */
export type DeskItem = Image & { readonly queue?: QueueItem['queue'] | undefined }

/** Identifies the version that was seen: a new version is a new reason to review it. */
export const stampOf = ({ status, updatedAt, queue }: DeskItem): string =>
  queue ? `${queue.waitingSince} ${queue.why.join(' ')}` : `${status} ${updatedAt}`

export interface Texts {
  readonly title: string
  readonly caption: string
}

/** The location fields of a PATCH. */
export type Placing = Pick<ImagePatch, 'lat' | 'lon' | 'positionSource' | 'positionAccuracy'>

/** The patch that restores a photo's current location; one that was read from the file comes back as `given`. */
export function placingOf({ lat, lon, positionSource, positionAccuracy }: DeskItem): Placing {
  if (lat === null || lon === null) return { lat: null, lon: null }
  return {
    lat,
    lon,
    positionAccuracy,
    ...(positionSource !== null && positionSource !== 'exif' && { positionSource }),
  }
}

export interface Decided {
  readonly kind: 'decided'
  readonly decision: Decision
  readonly reason: string | undefined
  readonly note: string
  /** Each with its previous position in the list. */
  readonly photos: readonly Returned<DeskItem>[]
}

export type Action =
  | Decided
  | {
      readonly kind: 'edited'
      readonly item: DeskItem
      readonly before: Texts
      readonly after: Texts
    }
  | {
      readonly kind: 'moved'
      readonly item: DeskItem
      readonly before: Placing
      readonly after: Pick<DeskItem, 'lat' | 'lon'>
    }
  | { readonly kind: 'skipped'; readonly item: DeskItem }

/** The state of a photo while decisions are being sent. */
export type AccountStatus = Pick<DeskItem, 'status' | 'edited'>

/** By imageID. */
export type Ways = ReadonlyMap<number, AccountStatus>

const ledTo: Readonly<Record<Decision, DeskItem['status']>> = {
  approve: 'approved',
  reject: 'rejected',
  remove: 'removed',
  restore: 'approved',
  reopen: 'pending',
}

export const statusAfter = (decision: Decision): AccountStatus => ({
  status: ledTo[decision],
  edited: false,
})

export interface Entry {
  readonly id: number
  /** Milliseconds since 1970 UTC. */
  readonly at: number
  readonly action: Action
}

export interface ReviewSession extends Overlay<DeskItem> {
  /** Actions that have not been undone, oldest first: the undo stack. */
  readonly entries: readonly Entry[]
  /** Unsent notes, by imageID. */
  readonly drafts: ReadonlyMap<number, string>
  /** The states of photos once pending requests have arrived: outdated data of the server must not block the next key. */
  readonly heading: Ways
  readonly selected: ReadonlySet<number>
  readonly nextId: number
}

export const newReviewSession: ReviewSession = {
  entries: [],
  settled: new Map(),
  returned: [],
  skipped: [],
  drafts: new Map(),
  heading: new Map(),
  selected: new Set(),
  nextId: 1,
}

const without = <Value>(set: ReadonlySet<Value>, left: ReadonlySet<Value>): ReadonlySet<Value> =>
  set.isDisjointFrom(left) ? set : set.difference(left)

const idsOf = (photos: readonly Returned<DeskItem>[]): ReadonlySet<number> =>
  new Set(photos.map(({ item }) => item.imageID))

/** @returns the review session including the action, and its entry. */
export function record(
  reviewSession: ReviewSession,
  action: Action,
  at: number,
): { reviewSession: ReviewSession; entry: Entry } {
  const entry: Entry = { id: reviewSession.nextId, at, action }
  const grown = {
    ...reviewSession,
    entries: [...reviewSession.entries, entry],
    nextId: reviewSession.nextId + 1,
  }
  switch (action.kind) {
    case 'edited':
    case 'moved':
      return { reviewSession: grown, entry }
    case 'skipped': {
      const { imageID } = action.item
      const skipped = [...reviewSession.skipped.filter((id) => id !== imageID), imageID]
      return { reviewSession: { ...grown, skipped }, entry }
    }
    case 'decided': {
      const ids = idsOf(action.photos)
      return {
        reviewSession: {
          ...grown,
          settled: new Map([
            ...reviewSession.settled,
            ...action.photos.map(({ item }) => [item.imageID, stampOf(item)] as const),
          ]),
          returned: reviewSession.returned.filter(({ item }) => !ids.has(item.imageID)),
          selected: without(reviewSession.selected, ids),
        },
        entry,
      }
    }
  }
}

/** Photos of a failed decision: they return to their positions. */
export function withdraw(
  reviewSession: ReviewSession,
  entryId: number,
  ids: ReadonlySet<number>,
): ReviewSession {
  const entries = reviewSession.entries.flatMap((entry): readonly Entry[] => {
    if (entry.id !== entryId || entry.action.kind !== 'decided') return [entry]
    const photos = entry.action.photos.filter(({ item }) => !ids.has(item.imageID))
    return photos.length === 0 ? [] : [{ ...entry, action: { ...entry.action, photos } }]
  })
  const settled = new Map([...reviewSession.settled].filter(([id]) => !ids.has(id)))
  return { ...reviewSession, entries, settled }
}

/** Photos that another reviewer has decided on: removed from the list, and not on this undo stack. */
export function settle(reviewSession: ReviewSession, items: readonly DeskItem[]): ReviewSession {
  const settled = new Map([
    ...reviewSession.settled,
    ...items.map((item) => [item.imageID, stampOf(item)] as const),
  ])
  const ids = new Set(items.map(({ imageID }) => imageID))
  return {
    ...reviewSession,
    settled,
    returned: reviewSession.returned.filter(({ item }) => !ids.has(item.imageID)),
  }
}

export const lastEntry = ({ entries }: ReviewSession): Entry | undefined => entries.at(-1)

/** The entry removed from the stack, and its photos back at their positions. */
export function takeBack(reviewSession: ReviewSession, entry: Entry): ReviewSession {
  const entries = reviewSession.entries.filter(({ id }) => id !== entry.id)
  const { action } = entry
  switch (action.kind) {
    case 'edited':
    case 'moved':
      return { ...reviewSession, entries }
    case 'skipped':
      return {
        ...reviewSession,
        entries,
        skipped: reviewSession.skipped.filter((imageId) => imageId !== action.item.imageID),
      }
    case 'decided': {
      const ids = idsOf(action.photos)
      return {
        ...reviewSession,
        entries,
        settled: new Map([...reviewSession.settled].filter(([id]) => !ids.has(id))),
        returned: [
          ...reviewSession.returned.filter(({ item }) => !ids.has(item.imageID)),
          ...action.photos.toSorted((one, other) => one.index - other.index),
        ],
      }
    }
  }
}

export function setOut(reviewSession: ReviewSession, ways: Ways): ReviewSession {
  return { ...reviewSession, heading: new Map([...reviewSession.heading, ...ways]) }
}

/** Or has returned. If another request for the photo is pending, that one counts. */
export function arrive(reviewSession: ReviewSession, ways: Ways): ReviewSession {
  const heading = [...reviewSession.heading].filter(([id, way]) => ways.get(id) !== way)
  return { ...reviewSession, heading: new Map(heading) }
}

export function toggleSelected(reviewSession: ReviewSession, imageId: number): ReviewSession {
  return { ...reviewSession, selected: reviewSession.selected.symmetricDifference(new Set([imageId])) }
}

export function selectOnly(reviewSession: ReviewSession, ids: Iterable<number>): ReviewSession {
  return { ...reviewSession, selected: new Set(ids) }
}

export function draft(reviewSession: ReviewSession, imageId: number, note: string): ReviewSession {
  const drafts = new Map(reviewSession.drafts)
  if (note === '') drafts.delete(imageId)
  else drafts.set(imageId, note)
  return { ...reviewSession, drafts }
}

/** How many photos were decided, by decision; undone ones do not count. */
export function countDecided({ entries }: ReviewSession): Partial<Record<Decision, number>> {
  const counts: Partial<Record<Decision, number>> = {}
  for (const { action } of entries) {
    if (action.kind !== 'decided') continue
    counts[action.decision] = (counts[action.decision] ?? 0) + action.photos.length
  }
  return counts
}

/** The photos decided on, latest first. */
export function decidedPhotos({ entries }: ReviewSession): readonly DeskItem[] {
  const seen = new Map<number, DeskItem>()
  for (const { action } of entries.toReversed()) {
    if (action.kind !== 'decided') continue
    for (const { item } of action.photos) if (!seen.has(item.imageID)) seen.set(item.imageID, item)
  }
  return [...seen.values()]
}
