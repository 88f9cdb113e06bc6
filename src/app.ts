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
import { registerDocuments } from './http/documents.ts'
import { registerHealth } from './http/health.ts'
import { registerOpenapi } from './http/openapi.ts'
import { createRateLimits } from './http/rate-limits.ts'
import { createServer } from './http/server.ts'
import { registerImageEndpoints } from './images/endpoints.ts'
import { registerHandlerEndpoint } from './images/handler-endpoint.ts'
import { createImages } from './images/images.ts'
import { createPresent } from './images/present.ts'
import { createRenditionStore } from './images/rendition-store.ts'
import { createSweep } from './images/sweep.ts'
import { createUpload } from './images/upload.ts'
import { registerV2ImageEndpoints } from './images/v2-endpoints.ts'
import { createRenditions, type Renditions } from './imaging/renditions.ts'
import type { Installation } from './installation.ts'
import { createReview } from './review/review.ts'
import { registerReviewEndpoints } from './review/v2-endpoints.ts'
import { createTrails } from './trails/trails.ts'

export interface AppOptions {
  readonly logger?: FastifyServerOptions['logger']
  /** The maker of renditions; a benchmark may give one of its own. */
  readonly renditions?: Renditions
}

export interface App {
  readonly server: FastifyInstance
  readonly renditions: Renditions
  /** Deletes what nothing refers to any more. */
  sweep(): Promise<void>
  /** Says "not ready" from now on. */
  beginStop(): void
  /** Ends requests under way, then the workers. The installation is its opener's to close. */
  close(): Promise<void>
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

  const renditions = options.renditions ?? createRenditions()
  const store = createRenditionStore({ db, blobs, renditions })
  const quotas = { pendingImages: config.quotaPendingImages, bytes: config.quotaBytes }
  const upload = createUpload({ database, blobs, renditions, store, system, quotas })
  const present = createPresent({ imageHandlerUrl, xmlEmail: config.xmlEmail })
  const images = createImages(db, now)
  const review = createReview(db, now)
  const blobSweep = createSweep(db, blobs, now)

  const server = await createServer({
    publicUrl,
    corsOrigins: config.corsOrigins,
    trustProxy: config.trustProxy,
    identify,
    rateLimits: createRateLimits(config.rateLimitFactor),
    logger: options.logger,
  })
  const oauth = await createOauthServer({
    db,
    publicUrl,
    secret: await loadSecret(config.secretFile),
    corsOrigins: config.corsOrigins,
    now,
    onFault: (error) => server.log.error({ err: error }, 'the authorization server failed'),
  })
  await registerOpenapi(server, publicUrl, scopes)
  const health = registerHealth(server, {
    probe: async () => {
      await db.selectFrom('counter').select('name').limit(1).execute()
      await blobs.has('probe')
    },
  })
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
    review,
    showImage: async (actor, imageId) => present.v2Image(await images.require(actor, { imageId })),
  })
  await server.ready()

  return {
    server,
    renditions,
    sweep: async () => {
      const swept = await blobSweep.run()
      const expired = await sweepExpired(db, now())
      server.log.info({ ...swept, expiredCredentials: expired }, 'swept')
    },
    beginStop: () => health.beginStop(),
    close: async () => {
      await server.close()
      await renditions.close()
    },
  }
}
