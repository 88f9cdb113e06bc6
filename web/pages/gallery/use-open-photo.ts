// Opens photos above the page and closes them again: each has its URL, and the back button closes too.
import { useNavigate, useRouter, useRouterState } from '@tanstack/react-router'
import { useCallback, useEffect, useRef, useState } from 'react'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The page that opened the photo in the lightbox, so that closing it is a step back. */
    readonly viewerOf?: number
    /** The page below the lightbox, if not the trail's page. */
    readonly viewerOver?: 'photo'
  }
}

/** Valid until the page is reloaded: then the photo's URL is a separate page, rendered by the server. */
const thisPage = performance.timeOrigin

/** For links that open a photo in the lightbox, above the current page. */
export const viewerState = { viewerOf: thisPage } as const

/** The same for the page of a photo. */
export const viewerOverPhoto = { viewerOf: thisPage, viewerOver: 'photo' } as const

/** The last part of the URL of a trail's photo, "" for the trail itself; undefined for any other page. */
function photoSegment(path: string): string | undefined {
  const parts = path.split('/')
  if (parts.at(-2) === 't' && parts.at(-1) !== '') return ''
  return parts.at(-3) === 't' ? parts.at(-1) : undefined
}

/**
 * Which page a photo's URL means: the photo's own, the trail's with the lightbox above it, or both. Decided from the
 * location and its state alone, because the router's match follows a moment later, and the wrong page would be
 * visible until then.
 * @param matched the photo that the router has matched, which is still set while leaving for another page.
 */
export function usePhotoView(matched: number | undefined) {
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const isViewer = useRouterState({ select: ({ location }) => location.state.viewerOf === thisPage })
  const isOverPhoto = useRouterState({ select: ({ location }) => location.state.viewerOver === 'photo' })
  const segment = photoSegment(path)
  return {
    openId: segment === undefined ? matched : imageIdOf(segment),
    isViewer,
    isPage: !isViewer || isOverPhoto,
  }
}

/** NaN if it is not a number; undefined for a URL without a photo. */
export function imageIdOf(segment: string | undefined): number | undefined {
  if (segment === undefined || segment === '') return undefined
  return /^\d{1,16}$/.test(segment) ? Number(segment) : NaN
}

/** The filters stay in the URL, whichever photo is open. */
export const keepSearch = (search: Record<string, unknown>): Record<string, unknown> => search

export function useOpenPhoto(slug: string, openId: number | undefined) {
  const navigate = useNavigate()
  const router = useRouter()
  const [revealId, setRevealId] = useState<number>()
  const before = useRef(openId)
  useEffect(() => {
    setRevealId(openId === undefined ? before.current : undefined)
    before.current = openId
  }, [openId])

  /**
   * `isStep`: from the gallery to a photo; otherwise from one photo to the next, which the back button does not
   * repeat.
   */
  const open = useCallback(
    (imageId: number, { isStep }: { readonly isStep: boolean }) =>
      void navigate({
        to: '/t/$slug/$imageId',
        params: { slug, imageId: String(imageId) },
        search: keepSearch,
        state: viewerState,
        replace: !isStep,
        resetScroll: false,
      }),
    [navigate, slug],
  )
  const close = useCallback(() => router.history.back(), [router])
  return { open, close, revealId }
}
