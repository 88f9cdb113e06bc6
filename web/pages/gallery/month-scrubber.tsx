// A scrubber over the months in which photos were taken: a bar per month with its count, and a slider below.
import { Button } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { X } from 'lucide-react'
import { useId, useMemo } from 'react'
import type { TakenMonth } from '../../../client/client.ts'
import { galleryStrings as strings } from '../../strings/gallery.ts'
import { useTyped } from '../../ui/fields/use-typed.ts'
import { formatCount } from '../../ui/format.ts'
import { formatMonth } from '../../ui/taken.ts'
import styles from './month-scrubber.module.css'
import { barsOf, indexOfMonth } from './months.ts'

const yearPx = 44

interface MonthScrubberProps {
  /** At least two. */
  readonly months: readonly TakenMonth[]
  /** The first month shown; undefined for the first of all. */
  readonly from: string | undefined
  readonly onChange: (from: string | undefined) => void
}

export function MonthScrubber({ months, from, onChange }: MonthScrubberProps) {
  const id = useId()
  const { ref, width } = useElementSize<HTMLDivElement>()
  const maxYears = Math.max(1, Math.floor(width / yearPx))
  const bars = useMemo(() => barsOf(months, maxYears), [months, maxYears])
  // Months passed while dragging are not requested.
  const [typed, type] = useTyped(String(indexOfMonth(months, from)), (index) =>
    onChange(index === '0' ? undefined : months[Number(index)]?.month),
  )
  const at = Number(typed)
  const { month = '', images = 0 } = months[at] ?? {}
  const text = strings.month(formatMonth(month), images, formatCount(images))
  return (
    <div className={styles.scrubber} style={{ maxWidth: `max(22rem, ${months.length * 4}rem)` }}>
      <div className={styles.head}>
        <label htmlFor={id}>{strings.months}</label>
        <output htmlFor={id}>{at === 0 ? strings.fromStart : strings.fromMonth(text)}</output>
        {at > 0 && (
          <Button
            variant="subtle"
            size="compact-sm"
            leftSection={<X size={16} aria-hidden />}
            onClick={() => onChange(undefined)}
          >
            {strings.allMonths}
          </Button>
        )}
      </div>
      <div ref={ref} className={styles.bars} aria-hidden>
        {bars.map((bar, index) => (
          <div
            key={bar.month}
            className={styles.bar}
            data-on={index >= at}
            title={strings.month(formatMonth(bar.month), bar.images, formatCount(bar.images))}
          >
            <span style={{ height: `${bar.height * 100}%` }} />
            {bar.year !== undefined && <small>{bar.year}</small>}
          </div>
        ))}
      </div>
      <input
        id={id}
        type="range"
        className={styles.range}
        style={{ marginInline: `calc(50% / ${months.length} - 8px)` }}
        min={0}
        max={months.length - 1}
        step={1}
        value={at}
        aria-valuetext={text}
        onChange={(event) => type(event.currentTarget.value)}
      />
    </div>
  )
}
