// The metrics of scheduled backups. They are read from the database, so that every node reports the same, also after a
// restart.
import type { createRegistry } from './registry.ts'

/** Times in milliseconds since 1970 UTC. */
export interface BackupReading {
  readonly dueAt: number
  readonly success?: { readonly startedAt: number; readonly endedAt: number; readonly bytes: number }
  readonly failure?: { readonly at: number; readonly inRow: number }
}

/** @param read returns undefined if no backups are scheduled; then none of these metrics has a value. */
export function addBackupMetrics(
  { gauge }: Pick<ReturnType<typeof createRegistry>, 'gauge'>,
  read: () => Promise<BackupReading | undefined>,
): void {
  const value = (take: (reading: BackupReading) => number) => async (): Promise<number | undefined> => {
    const reading = await read()
    return reading && take(reading)
  }
  gauge(
    'waymark_backup_last_success_timestamp_seconds',
    'When the last successful scheduled backup ended; 0 for none yet. Absent if BACKUP_SCHEDULE is off, as all waymark_backup metrics.',
    value(({ success }) => (success?.endedAt ?? 0) / 1_000),
  )
  gauge(
    'waymark_backup_last_duration_seconds',
    'Seconds that the last successful scheduled backup took.',
    value(({ success }) => (success ? (success.endedAt - success.startedAt) / 1_000 : 0)),
  )
  gauge(
    'waymark_backup_last_bytes',
    'Size of the last successful scheduled backup.',
    value(({ success }) => success?.bytes ?? 0),
  )
  gauge(
    'waymark_backup_due_timestamp_seconds',
    'When the next scheduled backup is due, counted from the last successful one.',
    value(({ dueAt }) => dueAt / 1_000),
  )
  gauge(
    'waymark_backup_last_failure_timestamp_seconds',
    'When a scheduled backup last failed, 0 if none has since the last success.',
    value(({ failure }) => (failure?.at ?? 0) / 1_000),
  )
}
