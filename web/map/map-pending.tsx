// The placeholder of a map until it is visible and interactive.
import { Skeleton } from '@mantine/core'
import { mapStrings } from '../strings/map.ts'
import styles from './map.module.css'

export function MapPending() {
  return (
    <div className={styles.pending} role="status">
      <Skeleton className={styles.canvas ?? ''} aria-hidden />
      <p>{mapStrings.loading}</p>
    </div>
  )
}
