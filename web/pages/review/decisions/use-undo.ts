// The key u: undoes the last action of this session, then the one before, and so on.
import { useQueryClient } from '@tanstack/react-query'
import { keys } from '../../../data/keys.ts'
import { useViewer } from '../../../data/site.ts'
import { useWaymark } from '../../../data/waymark.tsx'
import { reviewStrings as strings } from '../../../strings/review.ts'
import { useToast } from '../../../ui/notices/toasts.tsx'
import { titleOf } from './refusals.ts'
import { sendInTurn } from './send-in-turn.ts'
import { requireOnline, sending } from './sending.ts'
import { changeReviewSession, currentReviewSession } from './review-session-store.ts'
import {
  arrive,
  lastEntry,
  setOut,
  settle,
  takeBack,
  type Decided,
  type Entry,
  type Ways,
} from './review-session.ts'
import { undoDecided, undoEdited, undoMoved } from './undo.ts'
import { haveArrived } from '../photo/use-photo.ts'

export function useUndo(goTo: (imageId: number | undefined) => void) {
  const waymark = useWaymark()
  const queries = useQueryClient()
  const toast = useToast()
  const accountId = useViewer()?.acctID ?? 0

  async function undoDecision({ id }: Entry, action: Decided): Promise<void> {
    const ways: Ways = new Map(
      action.photos.map(({ item: { imageID, status, edited } }) => [imageID, { status, edited }]),
    )
    changeReviewSession((before) => setOut(before, ways))
    const left = await sendInTurn([...ways.keys()], async () => {
      // An action that failed needs no undo, and has already been reported.
      const hasArrived = !sending.has(id) || (await sending.get(id))
      return hasArrived ? undoDecided(waymark, action, accountId) : undefined
    })
    if (!left) {
      changeReviewSession((before) => arrive(before, ways))
      return
    }
    const stayed = new Set(left.map(({ item }) => item.imageID))
    changeReviewSession((before) =>
      settle(
        arrive(before, new Map([...ways].filter(([imageId]) => stayed.has(imageId)))),
        left.map(({ item }) => item),
      ),
    )
    void haveArrived(queries, new Map([...ways].filter(([imageId]) => !stayed.has(imageId))))
    const done = action.photos.length - left.length
    const [first] = action.photos
    if (done === 1 && first && left.length === 0)
      toast({ key: 'review', message: strings.undone(titleOf(first.item)) })
    else if (done > 0) toast({ key: 'review', message: strings.undoneMany(done) })
    for (const { item, why } of left.slice(0, 2)) {
      const key = `review-refused-${item.imageID}`
      toast({ key, tone: 'bad', message: strings.notUndone(titleOf(item), why) })
    }
  }

  async function undoAction(entry: Entry): Promise<void> {
    const { action } = entry
    switch (action.kind) {
      case 'skipped': {
        toast({ key: 'review', message: strings.undoneSkip(titleOf(action.item)) })
        return
      }
      case 'edited': {
        const why = await undoEdited(waymark, action)
        if (why !== undefined) {
          toast({ key: 'review', tone: 'bad', message: strings.notUndone(titleOf(action.item), why) })
          return
        }
        toast({ key: 'review', message: strings.undoneEdit(titleOf(action.item)) })
        return
      }
      case 'moved': {
        const why = await undoMoved(waymark, action)
        const title = titleOf(action.item)
        if (why === undefined) toast({ key: 'review', message: strings.undoneMove(title) })
        else toast({ key: 'review', tone: 'bad', message: strings.notUndone(title, why) })
        return
      }
      case 'decided':
        await undoDecision(entry, action)
    }
  }

  return (entry: Entry | undefined = lastEntry(currentReviewSession())): void => {
    if (!entry || !currentReviewSession().entries.some(({ id }) => id === entry.id)) {
      toast({ key: 'review', message: strings.nothingToUndo })
      return
    }
    if (!requireOnline(toast)) return
    changeReviewSession((before) => takeBack(before, entry))
    const { action } = entry
    goTo(action.kind === 'decided' ? action.photos[0]?.item.imageID : action.item.imageID)
    void undoAction(entry).finally(() => {
      void queries.invalidateQueries({ queryKey: keys.queue })
      void queries.invalidateQueries({ queryKey: keys.images })
    })
  }
}
