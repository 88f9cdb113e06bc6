// A reviewer's decisions: shown at once, sent in the background, and reverted if the server refuses.
import { useQueryClient } from '@tanstack/react-query'
import { isWaymarkProblem, type Decision, type ReviewDecision } from '../../../../client/client.ts'
import { keys } from '../../../data/keys.ts'
import { useViewer } from '../../../data/site.ts'
import { useWaymark } from '../../../data/waymark.tsx'
import { reviewStrings as strings } from '../../../strings/review.ts'
import { useToast } from '../../../ui/notices/toasts.tsx'
import { afterLeaving } from '../desk/queue-cursor.ts'
import { explainRefusal, titleOf } from './refusals.ts'
import { sendInTurn } from './send-in-turn.ts'
import { enter, requireOnline, sending } from './sending.ts'
import { changeReviewSession, currentReviewSession } from './review-session-store.ts'
import {
  arrive,
  draft,
  placingOf,
  setOut,
  settle,
  statusAfter,
  withdraw,
  type DeskItem,
  type Entry,
  type Texts,
  type Ways,
} from './review-session.ts'
import { haveArrived } from '../photo/use-photo.ts'
import { useUndo } from './use-undo.ts'

export interface Because {
  readonly reason?: string | undefined
  /** The version of the texts that were seen: if they have changed, no decision is made. */
  readonly etag?: string | undefined
}

interface Desk {
  readonly shown: readonly DeskItem[]
  readonly goTo: (imageId: number | undefined) => void
}

export function useDecisions({ shown, goTo }: Desk) {
  const waymark = useWaymark()
  const queries = useQueryClient()
  const toast = useToast()
  const accountId = useViewer()?.acctID
  const undo = useUndo(goTo)

  const isFree = ({ queue }: DeskItem): boolean => !queue?.claim || queue.claim.acctID === accountId

  function goOn(from: DeskItem): void {
    const { imageID: at } = from
    goTo(afterLeaving(shown, new Set([at]), { at, isFree }))
  }

  /** Conditional on the texts that were seen; other changes of the photo, such as by an undo, do not matter. */
  async function sendOnWords(
    item: DeskItem,
    decision: ReviewDecision,
    etag: string | undefined,
  ): Promise<void> {
    const { imageID, title, caption } = item
    try {
      await waymark.review.decide(imageID, decision, { ifMatch: etag })
    } catch (error) {
      if (!isWaymarkProblem(error) || error.code !== 'precondition-failed') throw error
      const { data, etag: newer } = await waymark.images.getWithEtag(imageID)
      if (data.title !== title || data.caption !== caption) throw error
      await waymark.review.decide(imageID, decision, { ifMatch: newer })
    }
  }

  async function send(entry: Entry, item: DeskItem, decision: Decision, because: Because): Promise<boolean> {
    const { imageID } = item
    const note = currentReviewSession().drafts.get(imageID)
    const { reason, etag } = because
    try {
      await sendOnWords(item, { decision, reason, note }, etag)
      changeReviewSession((before) => draft(before, imageID, ''))
      void queries.invalidateQueries({ queryKey: keys.queueSummary })
      return true
    } catch (error) {
      changeReviewSession((before) => withdraw(before, entry.id, new Set([imageID])))
      const { message, outcome } = await explainRefusal(waymark, item, error)
      if (outcome === 'settled') changeReviewSession((before) => settle(before, [item]))
      toast({
        key: `review-refused-${imageID}`,
        tone: 'bad',
        message,
        undo: () => goTo(imageID),
        undoLabel: strings.lookAtIt,
      })
      void queries.invalidateQueries({ queryKey: keys.queue })
      void queries.invalidateQueries({ queryKey: keys.image(imageID) })
      return false
    }
  }

  return {
    undo,
    goOn,

    /** The photo leaves at once, and the next one appears. */
    decide: (item: DeskItem, decision: Decision, because: Because = {}): void => {
      if (!requireOnline(toast)) return
      const index = Math.max(
        0,
        shown.findIndex(({ imageID }) => imageID === item.imageID),
      )
      const note = currentReviewSession().drafts.get(item.imageID) ?? ''
      const photos = [{ item, index }]
      const entry = enter({ kind: 'decided', decision, reason: because.reason, note, photos })
      const ways: Ways = new Map([[item.imageID, statusAfter(decision)]])
      changeReviewSession((before) => setOut(before, ways))
      goOn(item)
      const title = titleOf(item)
      toast({ key: 'review', message: strings.done[decision](title), undo: () => undo(entry) })
      const arrival = sendInTurn([item.imageID], async () => {
        const isDone = await send(entry, item, decision, because)
        if (isDone) void haveArrived(queries, ways)
        else changeReviewSession((before) => arrive(before, ways))
        return isDone
      })
      sending.set(entry.id, arrival)
    },

    skip: (item: DeskItem): void => {
      enter({ kind: 'skipped', item })
      goOn(item)
    },

    /** @throws the server's refusal, for the form to show. */
    edit: async (item: DeskItem, after: Texts, etag: string | undefined): Promise<void> => {
      const { imageID, title, caption } = item
      const image = await waymark.images.change(imageID, after, { ifMatch: etag })
      const kept = { title: image.title, caption: image.caption }
      const entry = enter({ kind: 'edited', item, before: { title, caption }, after: kept })
      void queries.invalidateQueries({ queryKey: keys.image(imageID) })
      void queries.invalidateQueries({ queryKey: keys.queue })
      toast({ key: 'review', message: strings.edit.saved(titleOf(image)), undo: () => undo(entry) })
    },

    /** @throws the server's refusal, for the form to show. */
    move: async (
      item: DeskItem,
      to: { readonly lat: number; readonly lon: number },
      etag: string | undefined,
    ): Promise<void> => {
      const { imageID } = item
      const { lat, lon } = await waymark.images.change(imageID, to, { ifMatch: etag })
      const entry = enter({ kind: 'moved', item, before: placingOf(item), after: { lat, lon } })
      void queries.invalidateQueries({ queryKey: keys.image(imageID) })
      void queries.invalidateQueries({ queryKey: keys.queue })
      toast({ key: 'review', message: strings.moved(titleOf(item)), undo: () => undo(entry) })
    },

    /** @throws the server's refusal, for the dialog to show. */
    dismissReports: async (item: DeskItem, note: string): Promise<void> => {
      const { closed } = await waymark.review.dismissReports(item.imageID, { note: note || undefined })
      toast({ key: 'review', message: strings.reports.dismissed(closed) })
      const isDone = item.queue?.why.every((why) => why === 'reported') ?? false
      if (isDone) {
        changeReviewSession((before) => settle(before, [item]))
        goOn(item)
      }
      void queries.invalidateQueries({ queryKey: keys.queue })
      void queries.invalidateQueries({ queryKey: keys.image(item.imageID) })
    },
  }
}
