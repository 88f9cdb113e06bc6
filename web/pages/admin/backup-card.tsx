// The status of scheduled backups, or that there are none.
import { Badge } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { StorageReport } from '../../../client/client.ts'
import { admin } from '../../strings/admin.ts'
import { formatAgo, formatBytes, formatCount, formatDateTime } from '../../ui/format.ts'
import styles from './admin.module.css'

const strings = admin.overview

function Scheduled({ dueAt, isLate, last, failure }: NonNullable<StorageReport['backup']>) {
  const isGood = failure === null && !isLate
  return (
    <>
      {(last !== null || !isGood) && (
        <Badge color={isGood ? 'forest' : 'red'} variant="light">
          {isGood ? strings.backupFine : strings.backupBad}
        </Badge>
      )}
      <p className={styles.hint}>
        {last === null
          ? strings.backupNone
          : strings.backupMade(formatAgo(last.at), formatBytes(last.bytes), formatCount(last.seconds))}
      </p>
      {failure !== null && (
        <p className={styles.hint}>{strings.backupFailed(formatAgo(failure.at), failure.message)}</p>
      )}
      <p className={styles.hint}>
        {isLate ? strings.backupLate(formatDateTime(dueAt)) : strings.backupDue(formatDateTime(dueAt))}
      </p>
    </>
  )
}

export function BackupCard({ backup }: Pick<StorageReport, 'backup'>) {
  const isBad = backup !== null && (backup.failure !== null || backup.isLate)
  return (
    <section className={styles.card} data-tone={isBad ? 'bad' : undefined}>
      <h2>{strings.backup}</h2>
      {backup === null ? <p className={styles.hint}>{strings.backups}</p> : <Scheduled {...backup} />}
      <Link to="/docs/$guide" params={{ guide: 'backup' }}>
        {strings.toBackups}
      </Link>
    </section>
  )
}
