// Links that filter photos by the year and month they were taken; all in the URL.
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { TakenMonth } from '../../../../client/client.ts'
import { galleryStrings } from '../../../strings/gallery.ts'
import { formatCount } from '../../../ui/format.ts'
import { formatMonth } from '../../../ui/taken.ts'
import { yearsOf } from '../taken-period.ts'
import styles from './trail.module.css'

interface TakenLinkProps {
  readonly slug: string
  readonly taken: string | undefined
  readonly isOn: boolean
  readonly children: ReactNode
}

function TakenLink({ slug, taken, isOn, children }: TakenLinkProps) {
  return (
    <li>
      <Link
        to="/t/$slug"
        params={{ slug }}
        search={(before: Record<string, unknown>) => ({
          ...before,
          taken,
          from: undefined,
          cursor: undefined,
        })}
        activeOptions={{ exact: true }}
        resetScroll={false}
        preload={false}
        data-on={isOn || undefined}
      >
        {children}
      </Link>
    </li>
  )
}

interface TakenFilterProps {
  readonly slug: string
  readonly months: readonly TakenMonth[]
  readonly taken: string | undefined
}

/** Nothing if there is only one choice. */
export function TakenFilter({ slug, months, taken }: TakenFilterProps) {
  if (months.length < 2 && taken === undefined) return null
  const years = yearsOf(months)
  const chosen = years.find(({ year }) => taken?.startsWith(year))
  const count = (images: number): string => ` (${formatCount(images)})`
  return (
    <nav className={styles.taken} aria-label={galleryStrings.takenFilter}>
      <span>{galleryStrings.takenFilter}</span>
      <ul>
        <TakenLink slug={slug} taken={undefined} isOn={taken === undefined}>
          {galleryStrings.allDates}
        </TakenLink>
        {years.map(({ year, images }) => (
          <TakenLink key={year} slug={slug} taken={year} isOn={chosen?.year === year}>
            {year}
            {count(images)}
          </TakenLink>
        ))}
      </ul>
      {chosen && (
        <ul>
          {chosen.months.map(({ month, images }) => (
            <TakenLink key={month} slug={slug} taken={month} isOn={taken === month}>
              {formatMonth(month)}
              {count(images)}
            </TakenLink>
          ))}
        </ul>
      )}
    </nav>
  )
}
