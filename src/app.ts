// The composition root: builds every service from the open installation and registers the endpoints. Knows everything.
import type { FastifyInstance, FastifyServerOptions } from 'fastify'
import { createAccounts } from './accounts/accounts.ts'
import { createAccessTokens } from './auth/access-tokens.ts'
import { createApiKeys } from './auth/api-keys.ts'
import { createIdentify } from './auth/identify.ts'
import { registerOauthEndpoints } from './auth/oauth-endpoints.ts'
import { createOauthServer } from './auth/oauth-server.ts'
import { sweepExpired } from './auth/oauth-store.ts'
import { hashPassword } from './auth/passwords.ts'
import { scopes } from './auth/scopes.ts'
import { loadSecret } from './auth/secret.ts'
import { createDiskWatch, fileBytes } from './disk-space.ts'
import { countImages, newestPosition } from './events/outbox.ts'
import type { Blobs } from './blobs/port.ts'
import type { Config } from './config.ts'
import { findReadOnly, requireWritable } from './database/read-only.ts'
import { registerDocuments } from './http/documents.ts'
import { registerHealth } from './http/health.ts'
import { registerOpenapi } from './http/openapi.ts'
import { createRateLimits } from './http/rate-limits.ts'
import { refusalFor } from './http/refusals.ts'
import { createServer } from './http/server.ts'
import { createTraffic } from './http/traffic.ts'
import { registerImageEndpoints } from './images/endpoints.ts'
import { registerHandlerEndpoint } from './images/handler-endpoint.ts'
import { createImages, type Images } from './images/images.ts'
import { createPresent } from './images/present.ts'
import { createRepeatedUploads } from './images/repeated-upload.ts'
import { createRenditionStore } from './images/rendition-store.ts'
import { createSweep } from './images/sweep.ts'
import { createUpload, type Upload } from './images/upload.ts'
import { registerV2ImageEndpoints } from './images/v2-endpoints.ts'
import { imageLimitsFrom } from './imaging/image-limits.ts'
import { createRenditions, type Renditions, type RenditionsOptions } from './imaging/renditions.ts'
import type { Installation } from './installation.ts'
import { registerMetrics } from './metrics/metrics-endpoint.ts'
import { createMetrics, type Metrics } from './metrics/metrics.ts'
import { createRetries } from './retries/retries.ts'
import { createReview, type Review } from './review/review.ts'
import { registerReviewEndpoints } from './review/v2-endpoints.ts'
import { createTrails } from './trails/trails.ts'

export interface AppOptions {
  readonly logger?: FastifyServerOptions['logger']
  /** The maker of renditions; a benchmark may give one of its own. */
  readonly renditions?: Renditions
  /** Of the package; told by the metrics. */
  readonly version?: string
  /** Whether the metrics tell of the process too: for the one server of a process. */
  readonly hasProcessMetrics?: boolean
}

export interface App {
  readonly server: FastifyInstance
  readonly renditions: Renditions
  readonly metrics: Metrics
  /** What the endpoints are made of, for the demo, which fills an installation without HTTP. */
  readonly services: { readonly upload: Upload; readonly images: Images; readonly review: Review }
  /** Looks at the room on the disks now and every minute. @returns what stops it. */
  watchDisks(): () => void
  /** Deletes what nothing refers to any more. */
  sweep(): Promise<void>
  /** How many requests have come and are not yet answered whole. */
  requestsUnderWay(): number
  /** Says "not ready" from now on. */
  beginStop(): void
  /** Ends requests under way, then the workers. The installation is its opener's to close. */
  close(): Promise<void>
}

function workFrom(config: Config): RenditionsOptions {
  const { jobs, jobQueue: queue, jobSeconds } = config
  return { limits: imageLimitsFrom(config), jobs, queue, jobSeconds }
}

export async function createApp(installation: Installation, options: AppOptions = {}): Promise<App> {
  const { config, database, blobs, system } = installation
  const { db } = database
  const { publicUrl, imageHandlerUrl } = config
  const now = () => system.now()

  const accounts = createAccounts({ db, system, hashPassword })
  const trails = createTrails(db, now)
  const identify = createIdentify({
    apiKeys: createApiKeys(db, now),
    accessTokens: createAccessTokens(db, now),
    roleOf: accounts.roleOf,
    publicUrl,
  })

  const traffic = createTraffic()
  const metrics = createMetrics(
    {
      traffic,
      imagesByState: () => countImages(db),
      outboxPosition: () => newestPosition(db),
      databaseBytes: async () => ({
        main: await fileBytes(config.databaseFile),
        wal: await fileBytes(`${config.databaseFile}-wal`),
      }),
      disks: () => disks.look(),
      renditionLoad: () => renditionsMade.load(),
    },
    { version: options.version ?? 'unknown', hasProcessMetrics: options.hasProcessMetrics ?? false },
  )

  const renditionsMade = options.renditions ?? createRenditions(workFrom(config))
  const renditions: Renditions = {
    ...renditionsMade,
    examine: (read) => metrics.timeJob(() => renditionsMade.examine(read)),
  }
  const store = createRenditionStore({ db, blobs, renditions, onRemade: metrics.renditionsRemade })
  const quotas = { pendingImages: config.quotaPendingImages, bytes: config.quotaBytes }
  const retries = createRetries(now)
  const repeats = createRepeatedUploads(retries, now)
  const countedBlobs: Blobs = {
    ...blobs,
    receive: async (source, limitBytes) => {
      const staged = await blobs.receive(source, limitBytes)
      if (staged) metrics.uploadReceived(staged.bytes)
      return staged
    },
  }
  const upload = createUpload({
    database,
    blobs: countedBlobs,
    renditions,
    store,
    system,
    quotas,
    mostBytes: config.mostImageBytes,
    repeats,
  })
  const present = createPresent({ imageHandlerUrl, xmlEmail: config.xmlEmail })
  const images = createImages({ db, now, edits: config.edits })
  const review = createReview(db, now)
  const blobSweep = createSweep(db, blobs, now)

  const server = await createServer({
    publicUrl,
    corsOrigins: config.corsOrigins,
    trustProxy: config.trustProxy,
    traffic,
    identify,
    requireWritable: () => requireWritable(db),
    rateLimits: createRateLimits(config),
    limits: config,
    logger: options.logger,
  })
  const disks = createDiskWatch({
    places: { database: config.databaseFile, blobs: config.blobFolder },
    lowMegabytes: config.diskLowMegabytes,
    log: server.log,
  })
  const oauth = await createOauthServer({
    db,
    publicUrl,
    secret: await loadSecret(config.secretFile),
    corsOrigins: config.corsOrigins,
    now,
    onFault: (error) => server.log.error({ err: error }, 'the authorization server failed'),
    refusalOf: refusalFor,
  })
  await registerOpenapi(server, publicUrl, scopes)
  const health = registerHealth(server, {
    probe: async () => {
      await db.selectFrom('counter').select('name').limit(1).execute()
      await blobs.has('probe')
    },
  })
  registerMetrics(server, { metrics, allow: config.metricsAllow })
  registerDocuments(server)
  registerOauthEndpoints(server, oauth)
  registerImageEndpoints(server, { images, upload, present, requireTrail: trails.require, publicUrl })
  registerHandlerEndpoint(server, {
    db,
    store,
    imageMaxAge: config.imageMaxAge,
    pendingView: config.pendingView,
  })
  registerV2ImageEndpoints(server, { images, present, publicUrl })
  registerReviewEndpoints(server, {
    review: {
      ...review,
      decide: async (actor, imageId, request) => {
        await review.decide(actor, imageId, request)
        metrics.decided(request.decision)
      },
    },
    showImage: async (actor, imageId) => present.v2Image(await images.require(actor, { imageId })),
  })
  await server.ready()

  return {
    server,
    renditions,
    metrics,
    services: { upload, images, review },
    watchDisks: () => disks.start(),
    sweep: async () => {
      if (await findReadOnly(db)) return // nothing changes, not even what nobody sees
      try {
        const swept = await blobSweep.run()
        const expired = await sweepExpired(db, now())
        const expiredRetries = await retries.sweep(db)
        server.log.info({ ...swept, expiredCredentials: expired, expiredRetries }, 'swept')
        metrics.sweepDone({ ...swept, credentials: expired, retries: expiredRetries, at: now() })
      } catch (error) {
        metrics.sweepFailed()
        throw error
      }
    },
    requestsUnderWay: () => traffic.inFlight(),
    beginStop: () => health.beginStop(),
    close: async () => {
      await server.close()
      await renditions.close()
      metrics.close()
    },
  }
}
