// Everything about webhooks in one thing: its endpoints, and the work in the background.
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { Secret } from '../../auth/secret.ts'
import type { Db } from '../../database/database.ts'
import type { Jobs } from '../../jobs/runner.ts'
import { findReadOnly } from '../../database/read-only.ts'
import type { IdempotencyKeys } from '../../idempotency/idempotency-keys.ts'
import type { System } from '../../system.ts'
import { createAddressPolicy } from './addresses.ts'
import { createDelivering, type DeliveringDependencies } from './deliver.ts'
import { registerDeliveryEndpoints } from './delivery-endpoints.ts'
import { countWaiting, deleteEndedBefore } from './delivery-table.ts'
import { createFanOut } from './fan-out.ts'
import type { AccountStatusOf } from './receiver.ts'
import { createSender, type Send } from './send.ts'
import { registerWebhookEndpoints } from './webhook-endpoints.ts'
import { listSealedSecrets } from './webhook-table.ts'
import { createWebhooks } from './webhooks.ts'
import { createWorker } from './worker.ts'

const keptMs = 30 * 86_400_000

export interface WebhookServiceDependencies {
  readonly db: Db
  readonly system: System
  readonly secret: Secret
  readonly retries: IdempotencyKeys
  readonly accountStatusOf: AccountStatusOf
  readonly settings: {
    readonly webhookAllow: readonly string[]
    readonly webhookBackoffSeconds: readonly number[]
  }
  readonly publicUrl: string
  readonly jobs: Jobs
  readonly log: FastifyBaseLogger
  readonly onAttempt: DeliveringDependencies['onAttempt']
  /** Puts itself around every attempt, to trace it. */
  readonly watchSend?: ((send: Send) => Send) | undefined
}

export function createWebhookService(dependencies: WebhookServiceDependencies) {
  const { db, system, secret, retries, accountStatusOf, settings, publicUrl, jobs, log } = dependencies
  const addressPolicy = createAddressPolicy(settings.webhookAllow)
  const sender = createSender({ addressPolicy, now: () => system.now() })
  const send = dependencies.watchSend?.(sender) ?? sender
  const fanOut = createFanOut({ db, system, accountStatusOf })
  const delivering = createDelivering({
    db,
    system,
    accountStatusOf,
    secret,
    send,
    backoffSeconds: settings.webhookBackoffSeconds,
    onAttempt: dependencies.onAttempt,
    log,
  })
  const worker = createWorker({ db, jobs, fanOut, delivering })
  const webhooks = createWebhooks({ db, system, secret, retries, addressPolicy, wake: worker.wake })

  /**
   * Encrypts secrets again that an older key encrypted, so that the second line of SECRET_FILE can be removed after one
   * start.
   */
  async function sealAnew(): Promise<void> {
    if (await findReadOnly(db)) return
    for (const { id, secret: sealed } of await listSealedSecrets(db)) {
      if (!secret.isStale(sealed)) continue
      const anew = secret.seal(secret.unseal(sealed))
      await db
        .updateTable('webhook')
        .set({ secret: anew })
        .where('id', '=', id)
        .where('secret', '=', sealed)
        .execute()
    }
  }

  return {
    register: (app: FastifyInstance): void => {
      registerWebhookEndpoints(app, { webhooks })
      registerDeliveryEndpoints(app, { webhooks, publicUrl })
    },

    /** Begins the work in the background. */
    start: (): void => {
      sealAnew().catch((error: unknown) =>
        log.error({ err: error }, 'the webhook secrets could not be re-encrypted'),
      )
      worker.start()
    },

    /** Looks now whether there is something to do. */
    wake: worker.wake,
    workAll: worker.workAll,
    sealAnew,
    countWaiting: () => countWaiting(db),
    /** Forgets deliveries that ended more than 30 days ago. @returns how many. */
    sweep: () => deleteEndedBefore(db, system.now() - keptMs),
    close: worker.close,
  }
}

export type WebhookService = ReturnType<typeof createWebhookService>
