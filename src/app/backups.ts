// Scheduled backups, and what the metrics say of them.
import { createLease } from '../database/leases.ts'
import { retryAfterMs } from '../jobs/schedule.ts'
import {
  createScheduledBackups,
  type ScheduledBackups,
} from '../operations/backup/scheduled/scheduled-backups.ts'
import type { Module } from './module.ts'
import type { Observability } from './observability.ts'

export interface Backups {
  /** Undefined where none are scheduled. */
  readonly backups: ScheduledBackups | undefined
}

export const backups: Module<Observability, Backups> = {
  name: 'backups',
  start: ({ config, database, db, now, version, jobs, log, metrics }) => {
    const scheduled = createScheduledBackups({
      config,
      db,
      now,
      version,
      jobs,
      log,
      lease:
        database.sharedCounts && createLease(db, { name: 'backup-running', lengthMs: retryAfterMs, now }),
    })
    if (scheduled) metrics.readFrom({ backup: scheduled.status })
    return {
      gives: { backups: scheduled },
      begin: () => scheduled?.job.start(),
      close: () => scheduled?.job.close(),
    }
  },
}
