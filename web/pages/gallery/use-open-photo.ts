// Opens photos above the gallery and closes them again: each has its address, and the back button closes too.
import { useNavigate, useRouter, useRouterState } from '@tanstack/react-router'
import { useCallback, useEffect, useRef, useState } from 'react'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The grid opened the photo, so closing it is a step back. */
    readonly isFromGrid?: boolean
  }
}

/** The filters stay in the address, whichever photo is open. */
export const keepSearch = (search: Record<string, unknown>): Record<string, unknown> => search

export function useOpenPhoto(slug: string, openId: number | undefined) {
  const navigate = useNavigate()
  const router = useRouter()
  const isFromGrid = useRouterState({ select: ({ location }) => location.state.isFromGrid === true })
  const [revealId, setRevealId] = useState<number>()
  const before = useRef(openId)
  useEffect(() => {
    setRevealId(openId === undefined ? before.current : undefined)
    before.current = openId
  }, [openId])

  /** `isStep`: from the gallery to a photo; else from one photo to the next, which the back button does not repeat. */
  const open = useCallback(
    (imageId: number, { isStep }: { readonly isStep: boolean }) =>
      void navigate({
        to: '/t/$slug/$imageId',
        params: { slug, imageId: String(imageId) },
        search: keepSearch,
        state: { isFromGrid: isStep || isFromGrid },
        replace: !isStep,
        resetScroll: false,
      }),
    [navigate, slug, isFromGrid],
  )
  const close = useCallback(() => {
    if (isFromGrid) router.history.back()
    else
      void navigate({
        to: '/t/$slug',
        params: { slug },
        search: keepSearch,
        replace: true,
        resetScroll: false,
      })
  }, [navigate, router, slug, isFromGrid])
  return { open, close, revealId }
}
