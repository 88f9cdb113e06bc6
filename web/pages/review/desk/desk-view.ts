// The list on the review page, from the URL: ?show=edited&trail=4711&submitter=42
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { startTransition, useCallback, useMemo, useState } from 'react'
import { changeReviewSession } from '../decisions/review-session-store.ts'
import { selectOnly } from '../decisions/review-session.ts'

export const waitingViews = ['all', 'pending', 'edited', 'reported'] as const
export const decidedViews = ['approved', 'rejected', 'removed'] as const
export const views = [...waitingViews, ...decidedViews, 'sitting'] as const
export type DeskViewName = (typeof views)[number]

export interface DeskView {
  readonly show: DeskViewName
  readonly trailId: number | undefined
  readonly submitterId: number | undefined
  /** The photo in the URL. */
  readonly at: number | undefined
}

const idOf = (value: unknown): number | undefined => {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  return /^[1-9]\d{0,15}$/.test(text) ? Number(text) : undefined
}

export const isWaitingView = (show: DeskViewName): show is (typeof waitingViews)[number] =>
  waitingViews.some((name) => name === show)

export function useDeskView() {
  const search: Record<string, unknown> = useSearch({ strict: false })
  const { imageId } = useParams({ strict: false })
  const navigate = useNavigate()
  const { show: asked, trail, submitter } = search
  // The router updates the URL a moment later, but the next key press must already apply to the new photo.
  const [ahead, setAhead] = useState<{ readonly at: number | undefined }>()
  const at = ahead ? ahead.at : idOf(imageId)
  const view = useMemo<DeskView>(
    () => ({
      show: views.find((name) => name === asked) ?? 'all',
      trailId: idOf(trail),
      submitterId: idOf(submitter),
      at,
    }),
    [asked, trail, submitter, at],
  )

  /** Without a photo, the page chooses the first. */
  const goTo = useCallback(
    (id: number | undefined) => {
      const options = { search: true, replace: true, resetScroll: false } as const
      const step = { at: id }
      setAhead(step)
      const arrival =
        id === undefined
          ? navigate({ to: '/review', ...options })
          : navigate({ to: '/review/$imageId', params: { imageId: String(id) }, ...options })
      void arrival.finally(() => startTransition(() => setAhead((now) => (now === step ? undefined : now))))
    },
    [navigate],
  )

  const choose = useCallback(
    (change: {
      readonly show?: DeskViewName
      readonly trailId?: number | null
      readonly submitterId?: number | null
    }) => {
      const { show = view.show } = change
      const trailId = change.trailId === undefined ? view.trailId : change.trailId
      const submitterId = change.submitterId === undefined ? view.submitterId : change.submitterId
      const found = {
        ...(show === 'all' ? {} : { show }),
        ...(trailId ? { trail: String(trailId) } : {}),
        ...(submitterId ? { submitter: String(submitterId) } : {}),
      }
      setAhead(undefined)
      // A selection does not apply to another list.
      changeReviewSession((before) => selectOnly(before, []))
      void navigate({ to: '/review', search: found, resetScroll: false })
    },
    [navigate, view],
  )
  return { view, goTo, choose }
}
