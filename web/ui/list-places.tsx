// The way through a list that grows as somebody scrolls, for who has no scripts: a link to what comes next, and back.
import { Link } from '@tanstack/react-router'
import styles from './list-places.module.css'
import { useIsInBrowser } from './in-browser.ts'

interface ListPlacesProps {
  /** The cursor of what comes next; null at the end. */
  readonly next: string | null
  readonly more: string
  /** Whether the list begins further down. */
  readonly isFurther: boolean
  readonly toFirst: string
}

const at = (cursor: string | undefined) => (before: Record<string, unknown>) => ({ ...before, cursor })

export function ListPlaces({ next, more, isFurther, toFirst }: ListPlacesProps) {
  const isInBrowser = useIsInBrowser()
  const hasNext = next !== null && !isInBrowser
  if (!hasNext && !isFurther) return null
  return (
    <p className={styles.places}>
      {hasNext && (
        <Link to="." search={at(next)} rel="next">
          {more}
        </Link>
      )}
      {isFurther && (
        <Link to="." search={at(undefined)}>
          {toFirst}
        </Link>
      )}
    </p>
  )
}
