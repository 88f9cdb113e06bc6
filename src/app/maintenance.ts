// The hourly maintenance: garbage collection, and catching up on what older versions left undone.
import type { Incidents } from '../accounts/audit/incidents.ts'
import type { FastifyBaseLogger } from 'fastify'
import { sweepExpired } from '../auth/oauth/oauth-store.ts'
import { sweepOneTime } from '../auth/one-time.ts'
import type { Sessions } from '../auth/sessions.ts'
import type { Db } from '../database/database.ts'
import { mendCounts } from '../database/account-counts.ts'
import { createLease } from '../database/leases.ts'
import type { JobRun, Jobs } from '../jobs/runner.ts'
import { createOwnSchedule, createSharedSchedule, lookEveryMs, retryAfterMs } from '../jobs/schedule.ts'
import type { EventRetention } from '../events/retention.ts'
import type { WebhookService } from '../events/webhooks/webhook-service.ts'
import type { NearDuplicates } from '../images/near-duplicates.ts'
import type { Renewal } from '../images/storage/renewal.ts'
import type { GarbageCollection } from '../images/storage/garbage-collection.ts'
import type { Trash } from '../images/trash/trash.ts'
import type { Deletion } from '../account-data/deletion.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { IdempotencyKeys } from '../idempotency/idempotency-keys.ts'

export interface MaintenanceDependencies {
  readonly db: Db
  readonly now: () => number
  readonly jobs: Jobs
  readonly trash: Trash
  readonly deletion: Deletion
  readonly garbageCollection: GarbageCollection
  readonly sessions: Sessions
  readonly retries: IdempotencyKeys
  readonly webhooks: WebhookService
  readonly eventRetention: EventRetention
  readonly alike: NearDuplicates
  readonly renewal: Renewal
  readonly refreshPublicViews: () => void
  readonly metrics: Metrics
  readonly log: FastifyBaseLogger
  readonly incidents: Pick<Incidents, 'sweep'>
  /** With several nodes; undefined if this is the only one. */
  readonly sharedCounts: { sweep(): Promise<void> } | undefined
}

export function createMaintenance(dependencies: MaintenanceDependencies) {
  const { db, now, jobs, trash, deletion, garbageCollection, sessions, retries, webhooks, alike, renewal } =
    dependencies
  const { refreshPublicViews, metrics, log, sharedCounts, incidents, eventRetention } = dependencies

  async function sweep(stopping: AbortSignal): Promise<void> {
    // Rows before the bytes that only they referred to.
    const { purged: purgedImages, failures: purgeFailures } = await trash.purge()
    await deletion.sweep()
    const swept = await garbageCollection.run(stopping)
    const credentials =
      (await sweepExpired(db, now())) + (await sessions.sweep()) + (await sweepOneTime(db, now()))
    const expiredIdempotencyKeys = await retries.sweep(db)
    await webhooks.sweep()
    await incidents.sweep()
    const deletedEvents = await eventRetention.run(stopping)
    log.info(
      {
        ...swept,
        purgedImages,
        purgeFailures,
        expiredCredentials: credentials,
        expiredIdempotencyKeys,
        deletedEvents,
      },
      'garbage collected',
    )
    metrics.sweepDone({ ...swept, credentials, retries: expiredIdempotencyKeys, at: now() })
  }

  async function catchUp(): Promise<void> {
    // Older nodes do not count routes.
    const { mended } = await mendCounts(db, 'routes')
    if (mended.length > 0) log.info({ accounts: mended.length }, 'counted routes again')
    const caughtUp = await alike.catchUp()
    if (Object.values(caughtUp).some((count) => count > 0)) log.info(caughtUp, 'processed older images')
    const renewed = await renewal.catchUp()
    if (renewed.renewed + renewed.notRenewable + renewed.outdated > 0)
      log.info(renewed, 'regenerated older photos')
  }

  async function run({ signal }: JobRun): Promise<void> {
    try {
      await sharedCounts?.sweep()
      refreshPublicViews()
      await sweep(signal)
      await catchUp()
    } catch (error) {
      metrics.sweepFailed()
      throw error
    }
  }

  const job = jobs.add({
    name: 'maintenance',
    everyMs: lookEveryMs,
    writes: true,
    ...(sharedCounts === undefined
      ? { schedule: createOwnSchedule(now) }
      : {
          schedule: createSharedSchedule(db, 'upkeep-lease', now),
          lease: createLease(db, { name: 'upkeep-running', lengthMs: retryAfterMs, now }),
        }),
    run,
  })

  return {
    /** Checks now and every few minutes, and runs what is due about once an hour. */
    start: job.start,
    runIfDue: job.runIfDue,
    /** Runs now; with several servers, only if it is due and no other is running it. */
    run: job.run,
    /** Interrupts what may take minutes; the next start continues there. */
    close: (): Promise<void> => {
      alike.stop()
      renewal.stop()
      return job.close()
    },
  }
}
