// The trail of the page, which stands in the address: ?trail=rim-trail, or its number.
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { trailNamed } from '../../data/trail-named.ts'
import { useWaymark } from '../../data/waymark.tsx'
import type { ChosenTrail } from '../../upload/photo.ts'

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

export function usePageTrail() {
  const waymark = useWaymark()
  const navigate = useNavigate()
  const search: Record<string, unknown> = useSearch({ strict: false })
  const named = textOf(search['trail'])
  const again = Number(textOf(search['again']))
  const { data: whole } = useQuery({ ...trailNamed(waymark, named), enabled: named !== '' })
  const trail: ChosenTrail | undefined = whole
    ? { trailId: whole.trailID, name: whole.name, slug: whole.slug }
    : undefined
  return {
    trail: named === '' ? undefined : trail,
    line: named === '' ? undefined : (whole?.geometry ?? undefined),
    /** Of the rejected photo that another is to take the place of; undefined for none. */
    again: Number.isSafeInteger(again) && again > 0 ? again : undefined,
    choose: ({ slug }: ChosenTrail) =>
      void navigate({ to: '/upload', search: { ...search, trail: slug }, replace: true }),
    forgetAgain: () =>
      void navigate({ to: '/upload', search: { ...search, again: undefined }, replace: true }),
  }
}
