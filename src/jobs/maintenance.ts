// What a server does by itself every hour: deletes what nothing refers to any more, and catches up on what older versions left undone.
import type { Incidents } from '../accounts/audit/incidents.ts'
import type { FastifyBaseLogger } from 'fastify'
import { sweepExpired } from '../auth/oauth/oauth-store.ts'
import { sweepOneTime } from '../auth/one-time.ts'
import type { Sessions } from '../auth/sessions.ts'
import type { Db } from '../database/database.ts'
import { createOwnTurns, createSharedTurns } from './hourly-lease.ts'
import { findReadOnly } from '../database/read-only.ts'
import type { WebhookService } from '../events/webhooks/webhook-service.ts'
import type { Alike } from '../images/alike.ts'
import type { Renewal } from '../images/storage/renewal.ts'
import type { Sweep } from '../images/storage/sweep.ts'
import type { Trash } from '../images/trash/trash.ts'
import type { Deletion } from '../account-data/deletion.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Retries } from '../idempotency/retries.ts'

export interface UpkeepDependencies {
  readonly db: Db
  readonly now: () => number
  readonly trash: Trash
  readonly deletion: Deletion
  readonly blobSweep: Sweep
  readonly sessions: Sessions
  readonly retries: Retries
  readonly webhooks: WebhookService
  readonly alike: Alike
  readonly renewal: Renewal
  readonly refreshShown: () => void
  readonly metrics: Metrics
  readonly log: FastifyBaseLogger
  readonly incidents: Pick<Incidents, 'sweep'>
  /** Of several nodes; undefined where this is the only one. */
  readonly sharedCounts: { sweep(): Promise<void> } | undefined
}

export function createUpkeep(dependencies: UpkeepDependencies) {
  const { db, now, trash, deletion, blobSweep, sessions, retries, webhooks, alike, renewal } = dependencies
  const { refreshShown, metrics, log, sharedCounts, incidents } = dependencies

  async function sweep(stopping: AbortSignal | undefined): Promise<void> {
    // Rows before the bytes that they were the last to refer to.
    const { purged: purgedImages, failures: purgeFailures } = await trash.purge()
    await deletion.sweep()
    const swept = await blobSweep.run(stopping)
    const credentials =
      (await sweepExpired(db, now())) + (await sessions.sweep()) + (await sweepOneTime(db, now()))
    const expiredRetries = await retries.sweep(db)
    await webhooks.sweep()
    await incidents.sweep()
    log.info(
      { ...swept, purgedImages, purgeFailures, expiredCredentials: credentials, expiredRetries },
      'swept',
    )
    metrics.sweepDone({ ...swept, credentials, retries: expiredRetries, at: now() })
  }

  async function catchUp(): Promise<void> {
    const caughtUp = await alike.catchUp()
    if (Object.values(caughtUp).some((count) => count > 0)) log.info(caughtUp, 'caught up on older images')
    const renewed = await renewal.catchUp()
    if (renewed.renewed + renewed.notRenewable + renewed.outdated > 0)
      log.info(renewed, 'made older photos anew')
  }

  async function run(stopping?: AbortSignal): Promise<void> {
    try {
      await sharedCounts?.sweep()
      refreshShown()
      await sweep(stopping)
      await catchUp()
    } catch (error) {
      metrics.sweepFailed()
      throw error
    }
  }

  const turns = sharedCounts === undefined ? createOwnTurns(now) : createSharedTurns(db, now)

  return {
    /**
     * To be asked every few minutes: does what is due, about once an hour.
     * @param stopping cuts short what may take minutes; the next turn goes on there.
     */
    runIfDue: async (stopping?: AbortSignal): Promise<void> => {
      if (await findReadOnly(db)) return // nothing changes, not even what nobody sees
      await turns.take(() => run(stopping))
    },

    /** Now, but where another of several nodes is at it, or has done it within the hour. */
    run: async (): Promise<void> => {
      if (await findReadOnly(db)) return
      await (sharedCounts === undefined ? run() : turns.take(run))
    },
  }
}
