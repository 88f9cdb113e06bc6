// Undoes actions of this session, but never what someone else has done since.
import { isWaymarkProblem, type Decision, type Waymark } from '../../../../client/client.ts'
import { reviewStrings as strings } from '../../../strings/review.ts'
import { tellProblem } from '../../../ui/notices/problem-notice.tsx'
import { lastMoveOf } from './refusals.ts'
import { statusAfter, type Decided, type DeskItem, type Entry } from './review-session.ts'

/** Concurrent requests: a bulk of hundreds must not occupy the whole server. */
const atOnce = 4

/** A photo that was not undone, and why, as text. */
export interface NotUndone {
  readonly item: DeskItem
  readonly why: string
}

function whyOf(error: unknown): string {
  const { title, detail } = tellProblem(error)
  return isWaymarkProblem(error) ? detail || title : `${title}. ${detail}`
}

/** @returns why not; undefined if it was undone. */
async function undoOne(
  waymark: Waymark,
  { imageID }: DeskItem,
  { decision, accountId }: { readonly decision: Decision; readonly accountId: number },
): Promise<string | undefined> {
  try {
    const last = await lastMoveOf(waymark, imageID)
    if (last && (last.actor?.acctID !== accountId || last.to !== statusAfter(decision).status))
      return strings.somebodyElseSince(last.actor?.displayName ?? strings.somebody, strings.did[last.to])
    await waymark.review.undo(imageID, { position: last?.position })
    return undefined
  } catch (error) {
    return whyOf(error)
  }
}

export async function undoDecided(
  waymark: Waymark,
  action: Decided,
  accountId: number,
): Promise<readonly NotUndone[]> {
  const waiting = action.photos.map(({ item }) => item)
  const left: NotUndone[] = []
  const work = async (): Promise<void> => {
    for (let item = waiting.shift(); item; item = waiting.shift()) {
      const why = await undoOne(waymark, item, { decision: action.decision, accountId })
      if (why !== undefined) left.push({ item, why })
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return left
}

/** Restores the previous texts, if they are still the ones entered here. */
export async function undoEdited(
  waymark: Waymark,
  { item, before, after }: Extract<Entry['action'], { kind: 'edited' }>,
): Promise<string | undefined> {
  try {
    const { data, etag } = await waymark.images.getWithEtag(item.imageID)
    if (data.title !== after.title || data.caption !== after.caption)
      return strings.wordsChanged(data.title || strings.untitled)
    await waymark.images.change(item.imageID, before, { ifMatch: etag })
    return undefined
  } catch (error) {
    return whyOf(error)
  }
}

/** Restores the previous location, if the current one is still the one chosen here. */
export async function undoMoved(
  waymark: Waymark,
  { item, before, after }: Extract<Entry['action'], { kind: 'moved' }>,
): Promise<string | undefined> {
  try {
    const { data, etag } = await waymark.images.getWithEtag(item.imageID)
    if (data.lat !== after.lat || data.lon !== after.lon)
      return strings.movedSince(data.title || strings.untitled)
    await waymark.images.change(item.imageID, before, { ifMatch: etag })
    return undefined
  } catch (error) {
    return whyOf(error)
  }
}
