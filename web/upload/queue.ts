// The queue of photos as a reducer: what may happen to a photo in which state; nothing here waits, stores or sends.
//
//   added ──→ checking ──→ ready ──start──→ queued ──began──→ sending ──all bytes──→ processing ──→ done
//               │  ↑         ↑                ↑  ↑               │                        │
//               │  │         │                │  └──postponed────┴────────────────────────┤  (no answer, 429, 503)
//               │  │         │                │                                           ↓  (4xx)
//               │  │         │                └──────────────retried──────────────────  refused
//               │  │         │
//               ↓  │         └── answered, a duplicate is wanted
//             asking ──answered, to be converted or shrunk──→ converting ──converted──→ checking
//               ↓
//             unusable ──retried──→ checking          any but done ──replaced with another file──→ checking
//
//   queued, sending, processing ──paused──→ paused ──resumed──→ queued
//   queued ──returned──→ ready (the terms have changed: nobody agrees to what they did not see)
//   After a reload (interrupted): sending, processing → queued.
//
// What has no arrow is overlooked: an answer that comes after its photo was paused or taken out changes nothing.
import {
  isEditable,
  type PhotoFacts,
  type PhotoProblem,
  type PhotoState,
  type PhotoTexts,
  type QueuedPhoto,
  type Question,
  type SentDetails,
} from './photo.ts'

export type Queue = readonly QueuedPhoto[]

type OfOne = { readonly id: string }
type OfSome = { readonly ids: readonly string[] }

export type QueueAction =
  | { readonly type: 'added'; readonly photos: readonly QueuedPhoto[] }
  | (OfOne & {
      readonly type: 'checked'
      readonly facts: PhotoFacts
      readonly question?: Question | undefined
    })
  | (OfOne & { readonly type: 'unusable'; readonly problem: PhotoProblem; readonly facts?: PhotoFacts })
  | (OfSome & { readonly type: 'answered' })
  | (OfOne & { readonly type: 'converted'; readonly bytes: number })
  | (OfSome & { readonly type: 'edited'; readonly texts: Partial<PhotoTexts> })
  | (OfSome & { readonly type: 'start'; readonly termsVersion: string | null })
  | (OfSome & { readonly type: 'returned' })
  | (OfOne & { readonly type: 'began'; readonly sent: SentDetails; readonly at: number })
  | (OfOne & { readonly type: 'progressed'; readonly sentBytes: number; readonly isWhole: boolean })
  | (OfOne & { readonly type: 'succeeded'; readonly imageId: number; readonly status: string })
  | (OfOne & { readonly type: 'refused'; readonly problem: PhotoProblem })
  | (OfOne & {
      readonly type: 'postponed'
      readonly until: number
      readonly mayBeDone: boolean
      readonly waitsFor: 'connection' | 'server'
    })
  | (OfOne & { readonly type: 'delayed'; readonly until: number })
  | (OfSome & { readonly type: 'paused' })
  | (OfSome & { readonly type: 'resumed' })
  | (OfSome & { readonly type: 'retried' })
  | (OfOne & {
      readonly type: 'replaced'
      readonly name: string
      readonly bytes: number
      readonly key: string
    })
  | { readonly type: 'reconnected' }
  | (OfSome & { readonly type: 'removed' })
  | { readonly type: 'interrupted' }

/** Of the states that an action may start from; any other is overlooked. */
function changed(
  queue: Queue,
  ids: readonly string[],
  from: readonly PhotoState[],
  change: (photo: QueuedPhoto) => QueuedPhoto,
): Queue {
  const named = new Set(ids)
  let isSame = true
  const next = queue.map((photo) => {
    if (!named.has(photo.id) || !from.includes(photo.state)) return photo
    isSame = false
    return change(photo)
  })
  return isSame ? queue : next
}

const allIds = (queue: Queue): readonly string[] => queue.map(({ id }) => id)

const onTheWay = ['sending', 'processing'] as const
const waiting = ['queued', ...onTheWay] as const
/** The file is no longer the same: whatever was found or tried with the one before is void. */
const fresh = {
  state: 'checking',
  facts: undefined,
  question: undefined,
  problem: undefined,
  sent: undefined,
  unknownSince: undefined,
  isUnknown: undefined,
  notBefore: undefined,
  attempts: 0,
  sentBytes: 0,
} as const

/** A photo whose attempts never reached the server, or were refused by it, may be changed again. */
const unsent = { sent: undefined, unknownSince: undefined, isUnknown: undefined } as const

function afterQuestion(photo: QueuedPhoto): QueuedPhoto {
  const { question, bytes, facts } = photo
  if (question?.kind === 'duplicate') return { ...photo, state: 'ready', question: undefined, isWanted: true }
  const missing = facts?.missing && { missing: facts.missing }
  const original = photo.original ?? (facts && { bytes, kind: facts.kind, ...missing })
  return { ...photo, state: 'converting', original }
}

function retried(photo: QueuedPhoto): QueuedPhoto {
  if (photo.state === 'unusable') return { ...photo, ...fresh }
  return { ...photo, state: 'queued', problem: undefined, notBefore: undefined, attempts: 0, sentBytes: 0 }
}

function edited(photo: QueuedPhoto, texts: Partial<PhotoTexts>): QueuedPhoto {
  return isEditable(photo) ? { ...photo, ...texts } : photo
}

export function reduceQueue(queue: Queue, action: QueueAction): Queue {
  const one = 'id' in action ? [action.id] : []
  switch (action.type) {
    case 'added': {
      const known = new Set(queue.map(({ id }) => id))
      // What is taken back stands where it stood.
      return [...queue, ...action.photos.filter(({ id }) => !known.has(id))].toSorted(
        (one, other) => one.addedAt - other.addedAt,
      )
    }
    case 'checked':
      return changed(queue, one, ['checking'], (photo) => ({
        ...photo,
        state: action.question === undefined ? 'ready' : 'asking',
        facts: action.facts,
        question: action.question,
      }))
    case 'unusable':
      return changed(queue, one, ['checking', 'converting'], (photo) => ({
        ...photo,
        state: 'unusable',
        problem: action.problem,
        facts: action.facts ?? photo.facts,
        question: undefined,
      }))
    case 'answered':
      return changed(queue, action.ids, ['asking'], afterQuestion)
    case 'converted':
      return changed(queue, one, ['converting'], (photo) => ({ ...photo, ...fresh, bytes: action.bytes }))
    case 'edited':
      return queue.map((photo) => (action.ids.includes(photo.id) ? edited(photo, action.texts) : photo))
    case 'start':
      return changed(queue, action.ids, ['ready'], (photo) =>
        photo.trail === undefined ? photo : { ...photo, state: 'queued', termsVersion: action.termsVersion },
      )
    case 'returned':
      return changed(queue, action.ids, ['queued', 'paused', ...onTheWay], (photo) => {
        // One that may have arrived is asked about with the very words it was sent with, and comes back by itself.
        const isOpen = photo.isUnknown === true && (photo.state === 'queued' || photo.state === 'paused')
        return isOpen ? photo : { ...photo, ...unsent, state: 'ready', sentBytes: 0 }
      })
    case 'began':
      return changed(queue, one, ['queued'], (photo) => ({
        ...photo,
        state: 'sending',
        sent: action.sent,
        attempts: photo.attempts + 1,
        sentBytes: 0,
        notBefore: undefined,
        waitsFor: undefined,
        unknownSince: photo.unknownSince ?? action.at,
      }))
    case 'progressed':
      return changed(queue, one, onTheWay, (photo) => ({
        ...photo,
        state: action.isWhole ? 'processing' : 'sending',
        sentBytes: action.sentBytes,
      }))
    case 'succeeded':
      return changed(queue, one, [...waiting, 'paused'], (photo) => ({
        ...photo,
        state: 'done',
        sentBytes: photo.bytes,
        imageId: action.imageId,
        status: action.status,
        unknownSince: undefined,
        isUnknown: undefined,
      }))
    case 'refused':
      return changed(queue, one, [...onTheWay, 'queued'], (photo) => ({
        ...photo,
        ...unsent,
        state: 'refused',
        problem: action.problem,
        sentBytes: 0,
      }))
    case 'postponed':
      return changed(queue, one, onTheWay, (photo) => ({
        ...photo,
        ...(action.mayBeDone || photo.isUnknown === true ? { isUnknown: true } : unsent),
        state: 'queued',
        notBefore: action.until,
        waitsFor: action.waitsFor,
        sentBytes: 0,
      }))
    case 'delayed':
      return changed(queue, one, ['queued'], (photo) => ({
        ...photo,
        attempts: photo.attempts + 1,
        notBefore: action.until,
        waitsFor: 'connection',
      }))
    case 'paused':
      return changed(queue, action.ids, waiting, (photo) => ({
        ...photo,
        isUnknown: photo.isUnknown === true || photo.state !== 'queued',
        state: 'paused',
        sentBytes: 0,
      }))
    case 'resumed':
      return changed(queue, action.ids, ['paused'], (photo) => ({
        ...photo,
        state: 'queued',
        notBefore: undefined,
      }))
    case 'retried':
      return changed(queue, action.ids, ['refused', 'unusable'], retried)
    case 'replaced':
      return changed(queue, one, ['asking', 'unusable', 'ready', 'refused'], (photo) => ({
        ...photo,
        ...fresh,
        original: undefined,
        isWanted: undefined,
        name: action.name,
        bytes: action.bytes,
        key: action.key,
      }))
    case 'reconnected':
      return changed(queue, allIds(queue), ['queued'], (photo) =>
        photo.waitsFor === 'connection' ? { ...photo, notBefore: undefined, waitsFor: undefined } : photo,
      )
    case 'removed':
      return queue.filter(({ id }) => !action.ids.includes(id))
    case 'interrupted':
      return changed(queue, allIds(queue), onTheWay, (photo) => ({
        ...photo,
        state: 'queued',
        isUnknown: true,
        sentBytes: 0,
      }))
  }
}
