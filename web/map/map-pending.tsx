// What lies where the map will be, for as long as it can neither be seen nor clicked.
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
