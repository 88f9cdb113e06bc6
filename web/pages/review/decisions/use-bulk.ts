// Decisions on a selection: each photo is decided separately; refused ones stay selected and are listed.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { BulkResults, Decision } from '../../../../client/client.ts'
import { keys } from '../../../data/keys.ts'
import { useWaymark } from '../../../data/waymark.tsx'
import { reviewStrings as strings } from '../../../strings/review.ts'
import { tellProblem } from '../../../ui/notices/problem-notice.tsx'
import { useToast } from '../../../ui/notices/toasts.tsx'
import { canDecide } from './decisions-here.ts'
import { afterLeaving } from '../desk/queue-cursor.ts'
import { titleOf } from './refusals.ts'
import { sendInTurn } from './send-in-turn.ts'
import { enter, requireOnline } from './sending.ts'
import { changeReviewSession, currentReviewSession } from './review-session-store.ts'
import { selectOnly, type DeskItem, type Entry } from './review-session.ts'

/** The limit of one request. */
const maxAtOnce = 500

export interface BulkReport {
  readonly done: number
  readonly refused: readonly { readonly imageID: number; readonly title: string; readonly why: string }[]
}

interface BulkDesk {
  readonly shown: readonly DeskItem[]
  readonly at: number | undefined
  readonly goTo: (imageId: number | undefined) => void
  readonly undo: (entry: Entry) => void
}

export interface BulkRequest {
  readonly decision: Decision
  readonly reason: string | undefined
  readonly note: string
}

type Result = BulkResults['results'][number]

export function useBulk({ shown, at, goTo, undo }: BulkDesk) {
  const waymark = useWaymark()
  const queries = useQueryClient()
  const toast = useToast()
  const [isBusy, setBusy] = useState(false)
  /** Two key presses may come before the first is rendered. */
  const isDeciding = useRef(false)
  /** The reviewer may continue with other photos while many are being decided on. */
  const latest = useRef({ shown, at })
  useEffect(() => {
    latest.current = { shown, at }
  })
  const [report, setReport] = useState<BulkReport>()

  async function send(
    items: readonly DeskItem[],
    { decision, reason, note }: BulkRequest,
  ): Promise<Result[]> {
    const results: Result[] = []
    for (let from = 0; from < items.length; from += maxAtOnce) {
      const ids = items.slice(from, from + maxAtOnce).map(({ imageID }) => imageID)
      const answer = await waymark.review.bulk({ ids, decision, reason, note: note || undefined })
      results.push(...answer.results)
    }
    return results
  }

  /** One or more requests with one decision; their photos leave the list and the selection. */
  async function decide(items: readonly DeskItem[], request: BulkRequest): Promise<BulkReport> {
    if (items.length === 0) return { done: 0, refused: [] }
    const places = new Map(shown.map(({ imageID }, index) => [imageID, index]))
    const results = await sendInTurn(
      items.map(({ imageID }) => imageID),
      async () => send(items, request),
    )
    const byId = new Map(items.map((item) => [item.imageID, item]))
    const photos = results.flatMap((result) => {
      const item = 'problem' in result ? undefined : byId.get(result.imageID)
      return item ? [{ item, index: places.get(item.imageID) ?? 0 }] : []
    })
    const refused = results.flatMap((result) => {
      const item = byId.get(result.imageID)
      if (!('problem' in result) || !item) return []
      const { title, detail } = result.problem
      return [{ imageID: result.imageID, title: titleOf(item), why: detail || title }]
    })
    if (photos.length > 0) {
      const { decision, reason, note } = request
      const entry = enter({ kind: 'decided', decision, reason, note, photos })
      const message = strings.doneMany[decision](photos.length)
      toast({ key: `review-bulk-${decision}`, message, undo: () => undo(entry) })
    }
    return { done: photos.length, refused }
  }

  return {
    isBusy,
    report,
    closeReport: () => setReport(undefined),

    /**
     * @param requests each takes the selected photos that match it; the last takes the rest.
     * @returns whether it was done, even if some were refused.
     */
    decideSelected: async (requests: readonly BulkRequest[]): Promise<boolean> => {
      const { selected } = currentReviewSession()
      const items = shown.filter(({ imageID }) => selected.has(imageID))
      if (items.length === 0) {
        toast({ key: 'review-refused', message: strings.nothingSelected })
        return false
      }
      if (isDeciding.current || !requireOnline(toast)) return false
      isDeciding.current = true
      setBusy(true)
      setReport(undefined)
      try {
        const reports: BulkReport[] = []
        let left = items
        for (const [index, request] of requests.entries()) {
          const isLast = index === requests.length - 1
          const fitting = left.filter((item) => isLast || canDecide(item, request.decision))
          left = left.filter((item) => !fitting.includes(item))
          reports.push(await decide(fitting, request))
        }
        const refused = reports.flatMap((one) => one.refused)
        const done = reports.reduce((sum, one) => sum + one.done, 0)
        changeReviewSession((before) =>
          selectOnly(
            before,
            refused.map(({ imageID }) => imageID),
          ),
        )
        if (refused.length > 0) setReport({ done, refused })
        const gone = new Set(items.map(({ imageID }) => imageID))
        for (const { imageID } of refused) gone.delete(imageID)
        const { at: now, shown: list } = latest.current
        if (now !== undefined && gone.has(now))
          goTo(afterLeaving(list, gone, { at: now, isFree: () => true }))
        return true
      } catch (error) {
        const { title, detail } = tellProblem(error)
        toast({ key: 'review-refused', tone: 'bad', message: `${title}. ${detail}` })
        return false
      } finally {
        isDeciding.current = false
        setBusy(false)
        void queries.invalidateQueries({ queryKey: keys.queue })
      }
    },
  }
}
