// The story of the photos: the steps in order of time.
import type { Decision } from '../shared/image-states.ts'
import type { DemoTrail, PersonName, Photo } from './demo-trail.ts'
import { heronLake } from './trails/heron-lake.ts'
import { lanternRidge } from './trails/lantern-ridge.ts'
import { ochreSteps } from './trails/ochre-steps.ts'
import { tussockSaddle } from './trails/tussock-saddle.ts'

export const demoTrails: readonly DemoTrail[] = [lanternRidge, heronLake, ochreSteps, tussockSaddle]

/** An upload: its submitter, trail and time. */
export interface SentPhoto {
  readonly photo: Photo
  readonly trail: DemoTrail
  /** Milliseconds since 1970 UTC; no two photos are uploaded at the same time. */
  readonly sentAt: number
}

/** An action on a photo. */
export type Act =
  | { readonly kind: 'upload' }
  | { readonly kind: 'describe'; readonly title: string; readonly caption: string }
  | {
      readonly kind: 'decide'
      readonly decision: Decision
      readonly reason: string | undefined
      readonly note: string | undefined
    }

export interface Step {
  readonly at: number
  readonly by: PersonName
  /** Index of the photo. */
  readonly index: number
  readonly act: Act
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** From the upload to the texts, the decision, and what follows. */
const describedAfterMs = 3 * minuteMs
const decidedAfterMs = 5 * hourMs
const changedAfterMs = 9 * hourMs

/** All photos, in upload order. */
export function sentPhotos(trails: readonly DemoTrail[], madeAt: number): SentPhoto[] {
  return trails
    .flatMap((trail) =>
      trail.photos.map((photo) => ({ photo, trail, sentAt: madeAt - Math.round(photo.hoursAgo * hourMs) })),
    )
    .toSorted((one, other) => one.sentAt - other.sentAt)
}

function decision(decision: Decision, reason?: string, note?: string): Act {
  return { kind: 'decide', decision, reason, note }
}

function stepsOf({ photo, sentAt }: SentPhoto, index: number): Step[] {
  const { by, title, caption, fate } = photo
  const decidedAt = sentAt + decidedAfterMs + index * minuteMs
  const changedAt = sentAt + changedAfterMs
  const upload: Step = { at: sentAt, by, index, act: { kind: 'upload' } }
  const words: Step = {
    at: sentAt + describedAfterMs,
    by,
    index,
    act: { kind: 'describe', title, caption },
  }
  const approve: Step = { at: decidedAt, by: 'reviewer', index, act: decision('approve') }
  const sent = title === '' && caption === '' ? [upload] : [upload, words]
  switch (fate.is) {
    case 'pending':
      return sent
    case 'approved':
      return [...sent, approve]
    case 'rejected': {
      const { reason, note } = fate
      return [...sent, { at: decidedAt, by: 'reviewer', index, act: decision('reject', reason, note) }]
    }
    case 'removed': {
      const { reason, note } = fate
      return [...sent, approve, { at: changedAt, by: 'admin', index, act: decision('remove', reason, note) }]
    }
    case 'edited': {
      const { caption: later } = fate
      return [
        ...sent,
        approve,
        { at: changedAt, by, index, act: { kind: 'describe', title, caption: later } },
      ]
    }
  }
}

export function stepsInOrder(sent: readonly SentPhoto[]): Step[] {
  return sent.flatMap(stepsOf).toSorted((one, other) => one.at - other.at)
}

/** A point on the trail's line, `along` 0 … 1 of its legs; every leg counts the same. */
export function pointOn({ line }: DemoTrail, along: number): { lat: number; lon: number } {
  const leg = Math.min(line.length - 2, Math.floor(along * (line.length - 1)))
  const share = along * (line.length - 1) - leg
  const [fromLat = 0, fromLon = 0] = line[leg] ?? []
  const [toLat = 0, toLon = 0] = line[leg + 1] ?? []
  return { lat: fromLat + (toLat - fromLat) * share, lon: fromLon + (toLon - fromLon) * share }
}
