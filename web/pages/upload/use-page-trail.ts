// The trail of the page, from the URL: ?trail=rim-trail, or its ID.
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { trailNamed } from '../../data/trail-named.ts'
import { useWaymark } from '../../data/waymark.tsx'
import type { ChosenTrail } from '../../upload/photo.ts'

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

interface Choice {
  /** The trail in the URL when the page was opened. */
  readonly before: string
  readonly trail: ChosenTrail | undefined
}

export function usePageTrail() {
  const waymark = useWaymark()
  const navigate = useNavigate()
  const search: Record<string, unknown> = useSearch({ strict: false })
  const named = textOf(search['trail'])
  const again = Number(textOf(search['again']))
  const [choice, setChoice] = useState<Choice>()
  const { data: whole } = useQuery({ ...trailNamed(waymark, named), enabled: named !== '' })
  const loaded = whole && { trailId: whole.trailID, name: whole.name, slug: whole.slug }
  // A choice takes effect at once, before the URL and the server's response have followed.
  const isChosen = choice !== undefined && [choice.before, choice.trail?.slug ?? ''].includes(named)
  const trail = isChosen ? choice.trail : loaded
  return {
    trail,
    line: named === '' ? undefined : (whole?.geometry ?? undefined),
    /** The rejected photo to replace; undefined for none. */
    again: Number.isSafeInteger(again) && again > 0 ? again : undefined,
    choose: (next: ChosenTrail | undefined) => {
      setChoice({ before: named, trail: next })
      void navigate({ to: '/upload', search: { ...search, trail: next?.slug }, replace: true })
    },
    forgetAgain: () =>
      void navigate({ to: '/upload', search: { ...search, again: undefined }, replace: true }),
  }
}
