// The state shared by the parts of the review page: the list, the current photo, its actions, and the open dialog.
import { createContext, useContext, useEffect, useRef, useState, type ReactNode } from 'react'
import { useQuery } from '@tanstack/react-query'
import { keys } from '../../../data/keys.ts'
import { useViewer } from '../../../data/site.ts'
import { useWaymark } from '../../../data/waymark.tsx'
import { useDeskView } from './desk-view.ts'
import { stepFrom } from './queue-cursor.ts'
import { sitDown, useReviewSession } from '../decisions/review-session-store.ts'
import { useBulk } from '../decisions/use-bulk.ts'
import { useClaim } from '../decisions/use-claim.ts'
import { useDecisions } from '../decisions/use-decisions.ts'
import { useList } from './use-list.ts'
import { usePhoto } from '../photo/use-photo.ts'

export type OpenDialog = 'reject' | 'remove' | 'reject-selected' | 'dismiss' | 'compare'

function useDeskParts() {
  const { view, goTo, choose } = useDeskView()
  const list = useList(view)
  const reviewSession = useReviewSession()
  const accountId = useViewer()?.acctID
  const waymark = useWaymark()
  const [dialog, setDialog] = useState<OpenDialog>()
  const [zoomedId, setZoomedId] = useState<number>()
  const [editedId, setEditedId] = useState<number>()
  const [hasHistory, setHistory] = useState(false)
  const lastIndex = useRef(0)
  const noteField = useRef<HTMLTextAreaElement>(null)
  const { shown } = list
  const { at } = view

  const photo = usePhoto(shown, at)
  const decisions = useDecisions({ shown, goTo })
  const bulk = useBulk({ shown, at, goTo, undo: decisions.undo })
  const isWaiting = !photo.isElsewhere || photo.item?.status === 'pending'
  const { claim, takeOver } = useClaim({ item: isWaiting ? photo.item : undefined, accountId })
  const reasons = useQuery({
    queryKey: keys.reasons,
    queryFn: () => waymark.review.reasons(),
    staleTime: 300_000,
  })

  const index = shown.findIndex(({ imageID }) => imageID === at)
  useEffect(() => {
    if (index !== -1) lastIndex.current = index
  }, [index])
  useEffect(() => {
    if (accountId !== undefined) sitDown(accountId)
  }, [accountId])

  // If the URL names no photo, the first one that nobody else has claimed.
  const start = shown.find(({ queue }) => !queue?.claim || queue.claim.acctID === accountId) ?? shown[0]
  const startId = at === undefined ? start?.imageID : undefined
  useEffect(() => {
    if (startId !== undefined) goTo(startId)
  }, [startId, goTo])

  const { loadMore } = list
  const isNearEnd = index !== -1 && index > shown.length - 12
  useEffect(() => {
    if (isNearEnd) loadMore()
  }, [isNearEnd, loadMore])

  return {
    view,
    goTo,
    choose,
    list,
    reviewSession,
    photo,
    index,
    accountId,
    decisions,
    bulk,
    claim,
    takeOver,
    reasons: reasons.data ?? [],
    dialog,
    setDialog,
    /** Only for this photo: the next one is shown whole again. */
    isZoomed: at !== undefined && zoomedId === at,
    toggleZoom: (): void => setZoomedId((before) => (before === at ? undefined : at)),
    isEditing: at !== undefined && editedId === at,
    startEditing: (): void => setEditedId(at),
    /** For that photo: another may be in edit mode by the time it is saved. */
    stopEditing: (imageId: number): void => setEditedId((now) => (now === imageId ? undefined : now)),
    hasHistory,
    setHistory,
    noteField,
    step: (by: 1 | -1): void => {
      const next = stepFrom(shown, { at, lastIndex: lastIndex.current }, by)
      if (next !== undefined) goTo(next)
    },
  }
}

export type Desk = ReturnType<typeof useDeskParts>

const Context = createContext<Desk | undefined>(undefined)

export function useDesk(): Desk {
  const desk = useContext(Context)
  if (!desk) throw new Error('no DeskProvider above')
  return desk
}

export function DeskProvider({ children }: { readonly children: ReactNode }) {
  const desk = useDeskParts()
  return <Context value={desk}>{children}</Context>
}
