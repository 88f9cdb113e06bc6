// Chooses a trail by its name, from the server, as one types.
import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { keys } from '../../data/keys.ts'
import { useWaymark } from '../../data/waymark.tsx'
import { common } from '../../strings/common.ts'
import { uploadWords } from '../../strings/upload.ts'
import { tellProblem } from '../../ui/problem-notice.tsx'
import type { ChosenTrail } from '../../upload/photo.ts'

const mostShown = 20

interface TrailSelectProps {
  readonly trail: ChosenTrail | undefined
  readonly onChange: (trail: ChosenTrail) => void
  readonly label?: string
  readonly description?: string
  readonly error?: string | undefined
}

export function TrailSelect({ trail, onChange, label, description, error }: TrailSelectProps) {
  const waymark = useWaymark()
  const [typed, setTyped] = useState('')
  const [sought] = useDebouncedValue(typed === trail?.name ? '' : typed.trim(), 150)
  const {
    data,
    isPending,
    error: failure,
  } = useQuery({
    queryKey: [...keys.trails, 'choose', sought],
    queryFn: () => waymark.trails.page({ q: sought === '' ? undefined : sought, limit: mostShown }),
    placeholderData: keepPreviousData,
  })
  const found = data?.items ?? []
  const options = found.map(({ trailID, name }) => ({ value: String(trailID), label: name }))
  const hasOwn = trail !== undefined && options.every(({ value }) => value !== String(trail.trailId))
  const nothing = failure ? tellProblem(failure).title : isPending ? common.loading : uploadWords.noTrailFound
  const own = hasOwn ? [{ value: String(trail.trailId), label: trail.name }] : []
  return (
    <Select
      label={label ?? uploadWords.trail}
      description={description}
      placeholder={uploadWords.trailPlaceholder}
      nothingFoundMessage={nothing}
      error={error}
      searchable
      allowDeselect={false}
      autoComplete="off"
      // What the server found is what is shown.
      filter={({ options: all }) => all}
      data={[...own, ...options]}
      value={trail === undefined ? null : String(trail.trailId)}
      searchValue={typed}
      onSearchChange={setTyped}
      onChange={(value) => {
        const chosen = found.find(({ trailID }) => String(trailID) === value)
        if (chosen) onChange({ trailId: chosen.trailID, name: chosen.name, slug: chosen.slug })
      }}
    />
  )
}
