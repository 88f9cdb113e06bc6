// The composition root: the modules of the app, in an order in which each finds what it needs.
import type { FastifyInstance } from 'fastify'
import type { AccountRoutes } from './account-routes/account-routes.ts'
import { accountData } from './app/account-data.ts'
import { backups } from './app/backups.ts'
import { events } from './app/events.ts'
import { features } from './app/features.ts'
import { http } from './app/http.ts'
import { compose } from './app/module.ts'
import type { AppOptions, Given } from './app/given.ts'
import { observability } from './app/observability.ts'
import { people } from './app/people.ts'
import { photos } from './app/photos.ts'
import { serving } from './app/serving.ts'
import { signIn } from './app/sign-in.ts'
import type { SiteMaps } from './base-map/site-map.ts'
import type { WebhookService } from './events/webhooks/webhook-service.ts'
import type { Images } from './images/images.ts'
import type { Upload } from './images/upload/upload.ts'
import type { Renditions } from './imaging/renditions.ts'
import type { Installation } from './installation.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { Notifier } from './notifications/notifier.ts'
import type { ScheduledBackups } from './operations/backup/scheduled/scheduled-backups.ts'
import type { Review } from './review/review.ts'
import type { JoiningService } from './sign-in/joining.ts'
import type { Recovery } from './sign-in/recovery.ts'

export type { AppOptions } from './app/given.ts'

export interface App {
  readonly server: FastifyInstance
  readonly renditions: Renditions
  readonly metrics: Metrics
  /** The services behind the endpoints, for the demo, which fills an installation without HTTP. */
  readonly services: {
    readonly upload: Upload
    readonly images: Images
    readonly review: Review
    readonly accountRoutes: AccountRoutes
    readonly joining: JoiningService
    readonly recovery: Recovery
    readonly webhooks: WebhookService
    readonly siteMap: SiteMaps
    /** Undefined if no email can be sent. */
    readonly notifier: Notifier | undefined
    /** Undefined if none are scheduled. */
    readonly backups: ScheduledBackups | undefined
  }
  /** Starts the background jobs: maintenance, webhooks, emails, free disk space. */
  startJobs(): void
  /** Checks the free disk space now and every minute. */
  watchDisks(): void
  /** Runs the maintenance. */
  sweep(): Promise<void>
  /** Runs it if it is due: an hour after the last, or some minutes after a failure. */
  runMaintenanceIfDue(): Promise<void>
  /** How many requests were answered ahead of Fastify; for tests. */
  answersFromMemory(): number
  /** How many requests have arrived and are not completely answered. */
  requestsUnderWay(): number
  /** Reports "not ready" from now on. */
  beginStop(): void
  /** Ends requests in progress, then the workers. The caller closes the installation. */
  close(): Promise<void>
}

const modules = (given: Given) =>
  compose(given)
    .add(observability)
    .add(backups)
    .add(people)
    .add(http)
    .add(photos)
    .add(signIn)
    .add(features)
    .add(events)
    .add(accountData)
    .add(serving)

export async function createApp(installation: Installation, options: AppOptions = {}): Promise<App> {
  const { parts, begin, beginStop, close } = await modules({ installation, options }).start()
  const { server, renditions, metrics, maintenance, front, traffic, disks } = parts
  const { upload, images, review, accountRoutes, joining, recovery, webhooks, siteMap, notifier, backups } =
    parts
  return {
    server,
    renditions,
    metrics,
    services: {
      upload,
      images,
      review,
      accountRoutes,
      joining,
      recovery,
      webhooks,
      siteMap,
      notifier,
      backups,
    },
    startJobs: begin,
    watchDisks: disks.start,
    sweep: maintenance.run,
    runMaintenanceIfDue: maintenance.runIfDue,
    answersFromMemory: front.answered,
    requestsUnderWay: traffic.inFlight,
    beginStop,
    close,
  }
}
