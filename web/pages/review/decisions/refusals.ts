// Refused decisions: their messages, and what happens to the photo.
import {
  isUnreachable,
  isWaymarkProblem,
  type HistoryEntry,
  type Waymark,
} from '../../../../client/client.ts'
import { reviewStrings as strings } from '../../../strings/review.ts'
import { formatAgo } from '../../../ui/format.ts'
import { tellProblem } from '../../../ui/notices/problem-notice.tsx'
import type { DeskItem } from './review-session.ts'

export const titleOf = ({ title }: Pick<DeskItem, 'title'>): string => title.trim() || strings.untitled

export interface Refused {
  readonly message: string
  /** `settled`: it has left the queue anyway. `back`: it returns to its position. */
  readonly outcome: 'settled' | 'back'
}

export async function readHistory(waymark: Waymark, imageId: number): Promise<readonly HistoryEntry[]> {
  return Array.fromAsync(waymark.images.history.each(imageId, { limit: 500 }))
}

export async function lastMoveOf(waymark: Waymark, imageId: number): Promise<HistoryEntry | undefined> {
  return (await readHistory(waymark, imageId)).at(-1)
}

/** The reviewer who has claimed it, if the queue says so. */
async function claimerOf(waymark: Waymark, { imageID, trailID, submitterID }: DeskItem): Promise<string> {
  const filters = { trailID, submitterID, claimed: 'others', limit: 500 } as const
  const { items } = await waymark.review.queue.page(filters)
  return items.find((item) => item.imageID === imageID)?.queue.claim?.displayName ?? strings.somebody
}

async function explain(waymark: Waymark, item: DeskItem, error: unknown): Promise<Refused> {
  const title = titleOf(item)
  if (isUnreachable(error)) return { message: strings.notSent(title), outcome: 'back' }
  const code = isWaymarkProblem(error) ? error.code : ''
  switch (code) {
    case 'already-decided': {
      const last = await lastMoveOf(waymark, item.imageID)
      const name = last?.actor?.displayName ?? strings.somebody
      const did = strings.did[last?.to ?? 'approved']
      const ago = formatAgo(last?.at ?? Date.now())
      return { message: strings.alreadyDecided(title, name, did, ago), outcome: 'settled' }
    }
    case 'claimed':
      return { message: strings.claimedBy(title, await claimerOf(waymark, item)), outcome: 'back' }
    case 'precondition-failed':
      return { message: strings.wordsChanged(title), outcome: 'back' }
    case 'invalid-image-id':
      return { message: strings.goneMeanwhile(title), outcome: 'settled' }
    default: {
      const { title: what, detail } = tellProblem(error)
      return { message: `${title}: ${what}. ${detail}`, outcome: 'back' }
    }
  }
}

/** Asks the server who made which decision; if that fails too, only the known part is shown. */
export async function explainRefusal(waymark: Waymark, item: DeskItem, error: unknown): Promise<Refused> {
  try {
    return await explain(waymark, item, error)
  } catch {
    const { title, detail } = tellProblem(error)
    return { message: `${titleOf(item)}: ${title}. ${detail}`, outcome: 'back' }
  }
}
