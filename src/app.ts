// The composition root: builds every service from the open installation and registers the endpoints. Knows everything.
// Over 300 lines because it is the one place where everything meets.
import type { FastifyInstance } from 'fastify'
import { createAccountRoutes, type AccountRoutes } from './account-routes/account-routes.ts'
import { unpackUtf8 } from './account-routes/gpx/packed.ts'
import { createAccounts } from './accounts/accounts.ts'
import { siteWordsOf } from './accounts/password-rules.ts'
import { registerAdminAccountEndpoints } from './admin/account-endpoints.ts'
import { createAdministration } from './admin/administration.ts'
import { registerAuditEndpoints } from './admin/audit-endpoints.ts'
import { registerAdminClientEndpoints } from './admin/client-endpoints.ts'
import { registerStorageEndpoint } from './admin/storage-endpoint.ts'
import { createIncidents } from './accounts/audit/incidents.ts'
import { createAccessTokens } from './auth/access-tokens.ts'
import { createApiKeys } from './auth/api-keys.ts'
import { createExternalIdentities } from './auth/issuers/external-identities.ts'
import { anonymous } from './auth/guard.ts'
import { createIdentify } from './auth/identify.ts'
import { registerOauthEndpoints } from './auth/oauth/oauth-endpoints.ts'
import { isClientOrigin } from './auth/oauth/oauth-clients-table.ts'
import { createOauthServer } from './auth/oauth/oauth-server.ts'
import { createKnownDevices } from './auth/known-devices.ts'
import { createPasskeys } from './auth/passkeys/passkeys.ts'
import { hashPassword } from './auth/passwords.ts'
import { scopes } from './auth/scopes.ts'
import { loadSecretOf } from './auth/oauth/signing-keys.ts'
import { createSessions } from './auth/sessions.ts'
import { createTrustedIssuers } from './auth/issuers/trusted-issuers.ts'
import { createDiskWatch, megabyteBytes } from './storage/disk-space.ts'
import { registerEvents } from './events/endpoints.ts'
import { countImages, newestPosition } from './events/outbox.ts'
import { createWebhookService, type WebhookService } from './events/webhooks/webhook-service.ts'
import { folderOfUploads } from './settings/blob-settings.ts'
import type { Blobs } from './storage/port.ts'
import { watchBlobs } from './storage/watched-blobs.ts'
import { wrongSetting, type Config, type SettingLine } from './settings/config.ts'
import { parseId } from './shared/classic/classic-paths.ts'
import { requireWritable } from './database/read-only.ts'
import { createAttempts } from './http/rates/attempts.ts'
import { createCountsInMemory } from './http/rates/counts-in-memory.ts'
import { registerDocuments } from './http/documents.ts'
import { registerHealth } from './http/health.ts'
import { createHotPaths } from './http/hot-paths.ts'
import { registerOpenapi } from './http/openapi/openapi.ts'
import { createAddressOf, createIsFromProxy } from './http/connections/proxied-address.ts'
import { addressBucket, createRateLimits } from './http/rates/rate-limits.ts'
import { noteFailure, refusalFor } from './http/refusals.ts'
import { createServer, type Logger } from './http/server.ts'
import { createTraffic } from './http/connections/traffic.ts'
import { registerImageEndpoints } from './images/endpoints.ts'
import { registerHandlerEndpoint } from './images/view/handler-endpoint.ts'
import { createAlike } from './images/alike.ts'
import { listImagesOf } from './images/image-table.ts'
import { createImages, type Images } from './images/images.ts'
import { hotList } from './images/list/hot-list.ts'
import { createListBodies } from './images/list/list-bodies.ts'
import { createOffload } from './images/view/offload.ts'
import { listImages } from './images/list/newest-table.ts'
import { createPresent } from './images/present.ts'
import { createRepeatedUploads } from './images/upload/repeated-upload.ts'
import { createRenewal } from './images/storage/renewal.ts'
import { createRenditionStore } from './images/view/rendition-store.ts'
import { createSweep } from './images/storage/sweep.ts'
import { createTerms } from './site-settings/terms.ts'
import { createTrash } from './images/trash/trash.ts'
import { createUpload, type Upload } from './images/upload/upload.ts'
import { registerV2Images } from './images/v2-images.ts'
import { imageLimitsFrom } from './imaging/image-limits.ts'
import { createRenditions, type Renditions, type RenditionsOptions } from './imaging/renditions.ts'
import type { Installation } from './installation.ts'
import { createDeletion } from './account-data/deletion.ts'
import { registerLeaving } from './account-data/endpoints.ts'
import { createTakeout } from './account-data/takeout.ts'
import { registerMetrics } from './metrics/metrics-endpoint.ts'
import { createMetrics, type Metrics } from './metrics/metrics.ts'
import { registerMe } from './me/endpoints.ts'
import { createRetries } from './idempotency/retries.ts'
import { createMailer } from './mail/mailer.ts'
import { createNotifier, type Notifier } from './notifications/notifier.ts'
import { registerMapEndpoints } from './maps/endpoints.ts'
import { createImageFeatures } from './maps/image-features.ts'
import { createTiles } from './maps/tiles.ts'
import { watchMisuse } from './sign-in/misuse.ts'
import { registerSignIn } from './sign-in/endpoints.ts'
import type { JoiningService } from './sign-in/joining.ts'
import type { Recovery } from './sign-in/recovery.ts'
import { readReasonLabels } from './review/reasons.ts'
import { registerReview } from './review/review-room.ts'
import { createReview, type Review } from './review/review.ts'
import { registerAssets } from './site/assets.ts'
import { createSite } from './site/site.ts'
import { registerTrailFileEndpoints } from './trails/file-endpoints.ts'
import { createTrailManagement } from './trails/manage-trails.ts'
import { findTrailDetails, listTrails } from './trails/trail-table.ts'
import { createTrails } from './trails/trails.ts'
import type { Tracing } from './tracing/tracing.ts'
import { openTracing } from './tracing/open-tracing.ts'
import { registerV2TrailEndpoints } from './trails/v2-endpoints.ts'
import { createUpkeep } from './jobs/maintenance.ts'
import { registerWebAppRoom } from './web-app/web-app-room.ts'

export interface AppOptions {
  readonly logger?: Logger
  /** The maker of renditions; a benchmark may give one of its own. */
  readonly renditions?: Renditions
  /** The settings as admins may read them. */
  readonly settings?: readonly SettingLine[]
  /** That the web app is built into; another in tests. */
  readonly webFolder?: string
  /** Of the package; told by the metrics and to the web app. */
  readonly version?: string
  /** Whether the metrics tell of the process too: for the one server of a process. */
  readonly hasProcessMetrics?: boolean
  /** How often a silent stream of events says that it is there, and asks who listens; shorter in tests. */
  readonly heartbeatMs?: number
}

export interface App {
  readonly server: FastifyInstance
  readonly renditions: Renditions
  readonly metrics: Metrics
  /** What the endpoints are made of, for the demo, which fills an installation without HTTP. */
  readonly services: {
    readonly upload: Upload
    readonly images: Images
    readonly review: Review
    readonly accountRoutes: AccountRoutes
    readonly joining: JoiningService
    readonly recovery: Recovery
    readonly webhooks: WebhookService
    /** Undefined where no mail can be sent. */
    readonly notifier: Notifier | undefined
  }
  /** Looks at the room on the disks now and every minute. @returns what stops it. */
  watchDisks(): () => void
  /** Deletes what nothing refers to any more. */
  sweep(): Promise<void>
  /**
   * The same where it is due: an hour after it was done, some minutes after it failed. To be asked every few minutes.
   * @param stopping cuts it short.
   */
  sweepIfDue(stopping?: AbortSignal): Promise<void>
  /** How many requests were answered ahead of Fastify; for tests. */
  hotAnswers(): number
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
  const { config, system } = installation
  const version = options.version ?? 'unknown'
  const tracing = await openTracing({
    settings: config,
    version,
    isFromProxy: createIsFromProxy(config.trustProxy),
    onTrouble: (error) =>
      error === undefined
        ? server.log.info('traces are sent again')
        : server.log.warn({ err: error }, 'traces cannot be sent; this is told again once they were'),
  })
  const { database, blobs: openedBlobs } = tracing?.watch(installation) ?? installation
  const isInNet = config.blobPlace.store === 's3'
  const blobs: Blobs = isInNet
    ? watchBlobs(
        openedBlobs,
        // Receiving goes at the pace of whoever sends, and says nothing of the store.
        (call, work) => (call === 'receive' ? work() : metrics.timeStoreCall(call, work)),
      )
    : openedBlobs
  const { db } = database
  const { publicUrl, imageHandlerUrl } = config
  const site = createSite(publicUrl, config.siteName)
  const hasPages = config.webApp === 'on'
  const now = () => system.now()

  const siteWords = siteWordsOf(config)
  const accounts = createAccounts({ db, system, hashPassword, siteWords })
  const trails = createTrails(db, now)
  const sessions = createSessions({ db, now, publicUrl })
  const passkeys = createPasskeys({ db, now, sessions, publicUrl, siteName: config.siteName })
  if (config.staffSignIn === 'passkey' && !passkeys.isOffered) {
    throw wrongSetting(
      'STAFF_SIGN_IN=passkey needs a PUBLIC_URL that browsers take passkeys for: a host name over https, or localhost.',
      undefined,
    )
  }
  const externalIssuers = createTrustedIssuers({
    issuers: config.trustedIssuers,
    identities: createExternalIdentities({ db, system }),
    now,
  })
  const apiKeys = createApiKeys(db, now)
  const identify = createIdentify({
    apiKeys,
    accessTokens: externalIssuers.beside(createAccessTokens(db, now)),
    sessions,
    standingOf: accounts.standingOf,
    publicUrl,
    staffSignIn: config.staffSignIn,
  })

  const traffic = createTraffic(tracing?.beginRequest)
  const databaseBytes = () => database.size()
  const { databasePlace } = config
  const metrics = createMetrics(
    {
      traffic,
      imagesByState: () => countImages(db),
      outboxPosition: () => newestPosition(db),
      databaseBytes,
      disks: () => disks.look(),
      renditionLoad: () => renditionsMade.load(),
      deliveriesWaiting: () => webhooks.countWaiting(),
      databaseConnections: () => database.connections?.() ?? {},
    },
    { version, hasProcessMetrics: options.hasProcessMetrics ?? false },
  )
  database.onWriterWait?.(metrics.writerWaited)

  const renditionsMade = options.renditions ?? createRenditions(workFrom(config))
  const step: Tracing['step'] = tracing?.step ?? ((_name, work) => work())
  const renditions: Renditions = {
    ...renditionsMade,
    examine: (read) => metrics.timeJob(() => step('make renditions', () => renditionsMade.examine(read))),
  }
  const store = createRenditionStore({
    db,
    blobs,
    renditions,
    onRemade: metrics.renditionsRemade,
    isIdle: () => renditionsMade.load().running === 0,
  })
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
    maxBytes: config.maxImageBytes,
    repeats,
  })
  const present = createPresent({ imageHandlerUrl, xmlEmail: config.xmlEmail })
  const images = createImages({ db, now, edits: config.edits })
  const trash = createTrash({ db, blobs, now, maxPending: config.quotaPendingImages })
  const review = createReview({ db, now, onDecided: metrics.decided })
  const secret = await loadSecretOf(db, config.secretFile)
  const accountRoutes = createAccountRoutes({
    db,
    system,
    retries,
    settings: config,
    linkKeys: secret.linkKeys,
    requireAccount: accounts.require,
    onFault: (error) => server.log.error({ err: error }, 'what is shown of a route could not be derived'),
  })
  const alike = createAlike({ db, store, renditions: renditionsMade, maxHashes: 1_000 })
  const renewal = createRenewal({ db, store, maxPerPass: 2_000 })

  const { sharedCounts } = database
  const rateLimits = createRateLimits(
    config,
    sharedCounts && {
      counts: sharedCounts,
      onFault: (error) => server.log.error({ err: error }, 'rates are counted by this node alone'),
    },
  )
  const attempts = createAttempts({ counts: sharedCounts ?? createCountsInMemory(), figures: config })
  const { corsOrigins } = config
  const hstsSubdomains = config.hstsSubdomains === 'on'
  const addressOf = createAddressOf(config.trustProxy)
  const hotPaths = createHotPaths({
    identify,
    rateLimits,
    traffic,
    publicUrl,
    hstsSubdomains,
    corsOrigins,
    limits: config,
    addressOf,
  })
  const server = await createServer({
    hotPaths,
    publicUrl,
    hstsSubdomains,
    site,
    corsOrigins,
    isApplicationOrigin: (origin) => isClientOrigin(db, origin),
    trustProxy: config.trustProxy,
    traffic,
    identify,
    sessionTokenIn: sessions.tokenIn,
    requireWritable: () => requireWritable(db),
    rateLimits,
    limits: config,
    logger: options.logger,
  })
  const incidents = createIncidents({
    db,
    now,
    onFault: (error) => server.log.error({ err: error }, 'what failed could not be stored in the audit'),
  })
  watchMisuse(server, incidents.note)
  const disks = createDiskWatch({
    places: {
      ...(databasePlace.engine === 'sqlite' ? { database: databasePlace.file } : {}),
      blobs: folderOfUploads(config),
    },
    lowMegabytes: config.diskLowMegabytes,
    log: server.log,
  })
  const oauth = await createOauthServer({
    db,
    publicUrl,
    site,
    secret,
    corsOrigins,
    now,
    refusalOf: refusalFor,
    isPollTooFast: attempts.isPollTooFast,
    onMisuse: ({ accountId, address }) =>
      incidents.note({ action: 'token.misused', accountId, address: addressBucket(address) }),
    signedInAs: async (cookies) => {
      const token = sessions.tokenIn(cookies)
      return token === undefined ? undefined : (await sessions.find(token))?.accountId
    },
  })
  await registerOpenapi(server, publicUrl, scopes)
  const health = registerHealth(server, {
    probes: {
      database: async () => {
        await db.selectFrom('counter').select('name').limit(1).execute()
      },
      'store of photos': blobs.probe,
    },
  })
  registerMetrics(server, { metrics, allow: config.metricsAllow })
  registerAssets(server)
  registerDocuments(server, site, { hasFrontPage: !hasPages })
  registerOauthEndpoints(server, oauth, noteFailure)
  const mailer =
    config.smtpUrl === undefined
      ? undefined
      : createMailer({
          smtpUrl: config.smtpUrl,
          from: config.mailFrom,
          siteName: config.siteName,
          onFailure: (error) => server.log.error({ err: error }, 'a mail could not be sent'),
        })
  const devices = createKnownDevices({ db, secret, now, publicUrl })
  const { joining, recovery } = registerSignIn(server, {
    db,
    site,
    now,
    accounts,
    sessions,
    passkeys,
    mailer,
    oauth,
    publicUrl,
    siteWords,
    signUp: config.signUp,
    spend: rateLimits.spend,
    devices,
    attempts,
    noteIncident: incidents.note,
  })
  registerAdminAccountEndpoints(server, {
    administration: createAdministration({ db, now, sessions }),
    accounts,
    joining,
    recovery,
    publicUrl,
  })
  registerAdminClientEndpoints(server, { db, now, publicUrl })
  registerAuditEndpoints(server, { db, settings: options.settings ?? [], publicUrl })
  registerStorageEndpoint(server, {
    db,
    sources: {
      imagesByState: () => countImages(db),
      databaseBytes,
      disks: () => disks.look(),
      lastSweepAt: metrics.lastSweepAt,
      lowBytes: config.diskLowMegabytes * megabyteBytes,
    },
  })
  const listBodies = createListBodies({ db, present, megabytes: config.listCacheMegabytes })
  hotPaths.add(hotList(listBodies))
  registerImageEndpoints(server, {
    images,
    listBodies,
    upload,
    present,
    requireTrail: trails.require,
    publicUrl,
  })
  registerHandlerEndpoint(server, hotPaths, {
    db,
    store,
    imageMaxAge: config.imageMaxAge,
    imageCacheMegabytes: config.imageCacheMegabytes,
    pendingView: config.pendingView,
    offload: createOffload({ setting: config.offload, blobs }),
  })
  const management = createTrailManagement({ db, system, retries })
  registerV2TrailEndpoints(server, { db, trails, management, publicUrl })
  registerTrailFileEndpoints(server, { db, trails, maxImportBytes: config.maxImportBytes })
  registerV2Images(server, {
    db,
    now,
    images,
    upload,
    trash,
    present,
    requireTrail: trails.require,
    publicUrl,
  })
  registerReview(server, {
    db,
    system,
    review,
    publicUrl,
    farMetres: config.farFromTrailMetres,
    showImages: async (ids) =>
      new Map((await listImagesOf(db, ids)).map((image) => [image.id, present.v2Image(image)])),
    showImage: async (actor, imageId) => present.v2Image(await images.require(actor, { imageId })),
    representations: async (tx, actor, imageId) =>
      (await listImagesOf(tx, [imageId])).flatMap((image) => present.representations(actor, image)),
  })
  accountRoutes.register(server, hotPaths)
  registerMapEndpoints(server, {
    tiles: createTiles({ db, imageHandlerUrl, findRoutes: accountRoutes.shownWithin }),
    imageFeatures: createImageFeatures({ db, imageHandlerUrl }),
    requireTrail: trails.require,
    publicUrl,
  })
  registerWebAppRoom(server, {
    site,
    settings: config,
    version,
    canMail: mailer !== undefined,
    hasPasskeys: passkeys.isOffered,
    folder: options.webFolder,
    readTerms: createTerms({ db, now }).read,
    requireAccount: accounts.require,
    listed: {
      // As the web app reads addresses: a number that is no slug is a trailID.
      trail: async (slug) => {
        const [named] = await listTrails(db, { slug }, 1)
        const id = parseId(slug)
        return named ?? (id === undefined ? undefined : findTrailDetails(db, id))
      },
      photo: (imageId) => images.find(anonymous, { imageId }),
      newest: (trailId, limit) => listImages(db, { trailId, state: 'approved' }, limit),
      route: accountRoutes.findShown,
    },
  })
  const { news } = registerEvents(server, {
    db,
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
    standingOf: accounts.standingOf,
    settings: config,
    publicUrl,
    log: server.log,
    onAttempt: metrics.webhookAttempted,
    watchSend: tracing && ((send) => tracing.watchSend('webhook delivery', send)),
  })
  webhooks.register(server)
  const tellOfNews = (): void => {
    news.nudge()
    webhooks.wake()
  }
  traffic.onEnd(({ method }) => {
    if (method !== 'GET' && method !== 'HEAD') tellOfNews()
  })
  database.onForeignCommit?.(tellOfNews)
  const deletion = createDeletion({ db, blobs, now, sendMail: mailer?.send })
  registerMe(server, { db, now, apiKeys, sessions, devices, passkeys, recovery, retries })
  const takeouts = registerLeaving(server, {
    takeout: createTakeout({ db, blobs, now, unpackGpx: unpackUtf8 }),
    deletion,
    now,
    sessions,
    requireAccount: accounts.require,
    requirePresence: recovery.requirePresence,
  })
  const notifier =
    mailer &&
    createNotifier({
      db,
      now,
      mailer,
      publicUrl,
      reviewMailHour: config.reviewMailHour,
      reasonLabels: () => readReasonLabels(db),
      reviewUrl: hasPages ? `${publicUrl}/review` : publicUrl,
      linkTo: (imageId) => (hasPages ? `${publicUrl}/i/${imageId}` : `${imageHandlerUrl}?id=${imageId}&t=lg`),
      log: server.log,
    })
  const upkeep = createUpkeep({
    db,
    now,
    trash,
    deletion,
    blobSweep: createSweep(db, blobs, now),
    sessions,
    retries,
    webhooks,
    alike,
    renewal,
    refreshShown: accountRoutes.refreshShown,
    metrics,
    log: server.log,
    sharedCounts,
    incidents,
  })
  await server.ready()

  return {
    server,
    renditions,
    metrics,
    services: { upload, images, review, accountRoutes, joining, recovery, webhooks, notifier },
    watchDisks: () => disks.start(),
    sweep: upkeep.run,
    sweepIfDue: upkeep.runIfDue,
    hotAnswers: () => hotPaths.answered(),
    requestsUnderWay: () => traffic.inFlight(),
    beginStop: () => {
      alike.stop()
      renewal.stop()
      health.beginStop()
    },
    close: async () => {
      alike.stop()
      renewal.stop()
      await takeouts.close() // may take hours to send
      await server.close()
      await incidents.close()
      await accountRoutes.close()
      await webhooks.close()
      await notifier?.close()
      await mailer?.close()
      await rateLimits.close()
      await renditions.close()
      metrics.close()
      await tracing?.close() // last: it sends what all others did
    },
  }
}
