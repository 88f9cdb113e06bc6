// What follows a change: streams of events, webhooks and emails.
import { registerEvents } from '../events/endpoints.ts'
import { createWebhookService, type WebhookService } from '../events/webhooks/webhook-service.ts'
import { createNotifier, type Notifier } from '../notifications/notifier.ts'
import { readReasonLabels } from '../review/reasons.ts'
import type { Features } from './features.ts'
import type { Http } from './http.ts'
import type { Module } from './module.ts'
import type { Given } from './given.ts'
import type { Observability } from './observability.ts'
import type { People } from './people.ts'
import type { Photos } from './photos.ts'
import type { SignIn } from './sign-in.ts'

/** Preflights cause no check for new events: browsers send one before nearly every call from another origin. */
const changesNothing: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Built by earlier modules. */
export type Before = Given & Observability & People & Http & Photos & Features & SignIn

export interface Events {
  readonly webhooks: WebhookService
  /** Undefined if no email can be sent. */
  readonly notifier: Notifier | undefined
}

function createNotifierOf({ config, db, now, log, jobs, mailer }: Before): Notifier | undefined {
  const { publicUrl, imageHandlerUrl } = config
  const hasPages = config.webApp === 'on'
  return (
    mailer &&
    createNotifier({
      db,
      now,
      mailer,
      jobs,
      publicUrl,
      reviewMailHour: config.reviewMailHour,
      reasonLabels: () => readReasonLabels(db),
      reviewUrl: hasPages ? `${publicUrl}/review` : publicUrl,
      linkTo: (imageId) => (hasPages ? `${publicUrl}/i/${imageId}` : `${imageHandlerUrl}?id=${imageId}&t=lg`),
      log,
    })
  )
}

export const events: Module<Before, Events> = {
  name: 'events',
  start: (parts) => {
    const { options, config, database, db, system, log, jobs, traffic, metrics, tracing } = parts
    const { accounts, sessions, identify, secret, server, retries } = parts
    const { publicUrl } = config
    const { eventNotifier } = registerEvents(server, {
      db,
      jobs,
      publicUrl,
      identify,
      sessionTokenIn: sessions.tokenIn,
      limits: config,
      heartbeatMs: options.heartbeatMs,
    })
    const webhooks = createWebhookService({
      db,
      system,
      secret,
      retries,
      accountStatusOf: accounts.accountStatusOf,
      settings: config,
      publicUrl,
      jobs,
      log,
      onAttempt: metrics.webhookAttempted,
      watchSend: tracing && ((send) => tracing.watchSend('webhook delivery', send)),
    })
    webhooks.register(server)
    metrics.readFrom({ deliveriesWaiting: webhooks.countWaiting })
    const announce = (): void => {
      eventNotifier.nudge()
      webhooks.wake()
    }
    traffic.onEnd(({ method }) => {
      if (!changesNothing.has(method)) announce()
    })
    database.onForeignCommit?.(announce)
    const notifier = createNotifierOf(parts)
    return {
      gives: { webhooks, notifier },
      begin: () => {
        webhooks.start()
        notifier?.start()
      },
      close: async () => {
        await eventNotifier.close()
        await webhooks.close()
        await notifier?.close()
      },
    }
  },
}
