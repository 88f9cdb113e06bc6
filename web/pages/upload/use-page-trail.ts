// The trail of the page, which stands in the address: ?trail=rim-trail, or its number.
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { trailNamed } from '../../data/trail-named.ts'
import { useWaymark } from '../../data/waymark.tsx'
import type { ChosenTrail } from '../../upload/photo.ts'

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

interface Choice {
  /** What the address named when it was made. */
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
  // What was chosen holds at once, before the address and the server's answer for it have followed.
  const isChosen = choice !== undefined && [choice.before, choice.trail?.slug ?? ''].includes(named)
  const trail = isChosen ? choice.trail : loaded
  return {
    trail,
    line: named === '' ? undefined : (whole?.geometry ?? undefined),
    /** Of the rejected photo that another is to take the place of; undefined for none. */
    again: Number.isSafeInteger(again) && again > 0 ? again : undefined,
    choose: (next: ChosenTrail | undefined) => {
      setChoice({ before: named, trail: next })
      void navigate({ to: '/upload', search: { ...search, trail: next?.slug }, replace: true })
    },
    forgetAgain: () =>
      void navigate({ to: '/upload', search: { ...search, again: undefined }, replace: true }),
  }
}
