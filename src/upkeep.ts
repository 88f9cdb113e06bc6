// What a server does by itself every hour: deletes what nothing refers to any more, and catches up on what older versions left undone.
import type { FastifyBaseLogger } from 'fastify'
import { sweepExpired } from './auth/oauth-store.ts'
import { sweepOneTime } from './auth/one-time.ts'
import type { Sessions } from './auth/sessions.ts'
import type { Db } from './database/database.ts'
import { takeLease } from './database/leases.ts'
import { findReadOnly } from './database/read-only.ts'
import type { WebhookService } from './events/webhooks/webhook-service.ts'
import type { Alike } from './images/alike.ts'
import type { Sweep } from './images/sweep.ts'
import type { Trash } from './images/trash.ts'
import type { Deletion } from './leaving/deletion.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { Retries } from './retries/retries.ts'

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
  readonly refreshShown: () => void
  readonly metrics: Metrics
  readonly log: FastifyBaseLogger
  /** Of several nodes; undefined where this is the only one. */
  readonly sharedCounts: { sweep(): Promise<void> } | undefined
}

const lease = 'upkeep-lease'
/** Of several nodes, each of which looks once an hour, one does the work; where it dies, another does within the hour. */
const leaseMs = 3_300_000

export function createUpkeep(dependencies: UpkeepDependencies) {
  const { db, now, trash, deletion, blobSweep, sessions, retries, webhooks, alike } = dependencies
  const { refreshShown, metrics, log, sharedCounts } = dependencies

  async function sweep(): Promise<void> {
    // Rows before the bytes that they were the last to refer to.
    const { purged: purgedImages, failures: purgeFailures } = await trash.purge()
    await deletion.sweep()
    const swept = await blobSweep.run()
    const credentials =
      (await sweepExpired(db, now())) + (await sessions.sweep()) + (await sweepOneTime(db, now()))
    const expiredRetries = await retries.sweep(db)
    await webhooks.sweep()
    log.info(
      { ...swept, purgedImages, purgeFailures, expiredCredentials: credentials, expiredRetries },
      'swept',
    )
    metrics.sweepDone({ ...swept, credentials, retries: expiredRetries, at: now() })
  }

  async function isTurn(): Promise<boolean> {
    if (sharedCounts === undefined) return true
    const at = now()
    if (!(await takeLease(db, lease, { now: at, until: at + leaseMs, kept: 0 }))) return false
    await sharedCounts.sweep()
    return true
  }

  async function catchUp(): Promise<void> {
    const caughtUp = await alike.catchUp()
    if (Object.values(caughtUp).some((count) => count > 0)) log.info(caughtUp, 'caught up on older images')
  }

  return {
    run: async (): Promise<void> => {
      if (await findReadOnly(db)) return // nothing changes, not even what nobody sees
      if (!(await isTurn())) return
      try {
        refreshShown()
        await sweep()
        await catchUp()
      } catch (error) {
        metrics.sweepFailed()
        throw error
      }
    },
  }
}
