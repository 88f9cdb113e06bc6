// The trails that a reviewer is limited to: searched by name, added and removed one by one.
import { CloseButton, Text, TextInput, UnstyledButton } from '@mantine/core'
import { useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import { keys } from '../../data/keys.ts'
import { maxTypedTrail, useTrailsFound } from '../../data/trails-found.ts'
import { useWaymark } from '../../data/waymark.tsx'
import { adminAccounts as strings } from '../../strings/admin-things.ts'
import styles from './admin.module.css'

const maxFound = 6

interface TrailChooserProps {
  readonly trails: readonly number[]
  /** While the last change is being saved, the next one is based on it. */
  readonly isDisabled: boolean
  readonly onChange: (trails: readonly number[]) => void
}

/** Names of the trails by ID; the ID itself for one that has just been deleted. */
function useTrailNames(ids: readonly number[]): (id: number) => string {
  const waymark = useWaymark()
  const found = useQueries({
    queries: ids.map((id) => ({
      queryKey: [...keys.trails, 'name', id],
      queryFn: async () => (await waymark.trails.get(id)).name,
      staleTime: 300_000,
    })),
  })
  return (id) => found[ids.indexOf(id)]?.data ?? strings.trailNumber(id)
}

export function TrailChooser({ trails, isDisabled, onChange }: TrailChooserProps) {
  const nameOf = useTrailNames(trails)
  const [typed, setTyped] = useState('')
  const { trails: found = [] } = useTrailsFound(typed, {
    max: maxFound + trails.length,
    isEmptyAll: false,
  })
  const offered = found.filter(({ trailID }) => !trails.includes(trailID)).slice(0, maxFound)
  return (
    <fieldset className={`${styles.form} ${styles.decisions}`}>
      <legend>
        <Text fw={500} size="sm">
          {strings.trails}
        </Text>
      </legend>
      <p className={styles.hint}>{strings.trailsHint}</p>
      {trails.length > 0 && (
        <ul className={`${styles.badges} ${styles.list}`} style={{ flexDirection: 'row' }}>
          {trails.map((id) => (
            <li key={id} className={styles.chosen}>
              {nameOf(id)}
              <CloseButton
                size="sm"
                disabled={isDisabled}
                aria-label={strings.trailsRemove(nameOf(id))}
                onClick={() => onChange(trails.filter((other) => other !== id))}
              />
            </li>
          ))}
        </ul>
      )}
      <TextInput
        label={strings.trailsAdd}
        maxLength={maxTypedTrail}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      {offered.length > 0 && (
        <ul className={styles.list}>
          {offered.map(({ trailID, name, slug }) => (
            <li key={trailID}>
              <UnstyledButton
                disabled={isDisabled}
                onClick={() => {
                  onChange([...trails, trailID])
                  setTyped('')
                }}
              >
                + {name} <code>{slug}</code>
              </UnstyledButton>
            </li>
          ))}
        </ul>
      )}
    </fieldset>
  )
}
