// The list of trails, virtualized: there may be thousands.
import { Skeleton, Stack } from '@mantine/core'
import { useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { TrailSummary } from '../../../client/client.ts'
import { trailStrings } from '../../strings/trails.ts'
import { useVisibleRows } from '../../ui/visible-rows.ts'
import { TrailCard } from './trail-card.tsx'
import styles from './trails.module.css'

/** As in the styles: a card and the gap below it. */
const cardPx = 112
const aheadPx = 900
/** The number on the server-rendered page. */
const firstRows = 100
const firstSeen = 6

interface TrailListProps {
  readonly trails: readonly TrailSummary[]
  readonly pointedId: number | undefined
  readonly onHover: (trailId: number | undefined) => void
}

export function TrailList({ trails, pointedId, onHover }: TrailListProps) {
  const list = useRef<HTMLUListElement>(null)
  const [top, setTop] = useState(0)
  useLayoutEffect(() => {
    if (list.current) setTop(list.current.getBoundingClientRect().top + window.scrollY)
  }, [])
  const tops = useMemo(() => trails.map((_, at) => at * cardPx), [trails])
  const { from, to } = useVisibleRows(tops, top, aheadPx, firstRows)
  return (
    <ul ref={list} className={styles.list} style={{ height: trails.length * cardPx }}>
      {trails.slice(from, to).map((trail, near) => {
        const { trailID } = trail
        return (
          <li
            key={trailID}
            aria-setsize={trails.length}
            aria-posinset={from + near + 1}
            style={{ transform: `translateY(${(from + near) * cardPx}px)` }}
          >
            <TrailCard
              trail={trail}
              isFirst={from + near < firstSeen}
              isPointed={trailID === pointedId}
              onHover={onHover}
            />
          </li>
        )
      })}
    </ul>
  )
}

export function TrailListPending() {
  return (
    <Stack gap="md" role="status" aria-label={trailStrings.loading}>
      {Array.from({ length: 6 }, (_, at) => (
        <Skeleton key={at} height={cardPx - 16} radius="md" />
      ))}
    </Stack>
  )
}
