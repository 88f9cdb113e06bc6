// The endpoints of photos, trails, review, routes and maps, and the web app.
import { createAccountRoutes, type AccountRoutes } from '../account-routes/account-routes.ts'
import { createRouteClimbs } from '../account-routes/climbs.ts'
import { createRouteTrails } from '../account-routes/public-list/route-trails.ts'
import { recordAudit } from '../accounts/audit/audit.ts'
import { anonymous } from '../auth/guard.ts'
import { createLease } from '../database/leases.ts'
import { registerImageEndpoints } from '../images/endpoints.ts'
import { listImagesOf } from '../images/image-table.ts'
import { createListBodies } from '../images/list/list-bodies.ts'
import { listImages } from '../images/list/newest-table.ts'
import { registerV2Images } from '../images/v2-images.ts'
import { registerHandlerEndpoint } from '../images/view/handler-endpoint.ts'
import { createOffload } from '../images/view/offload.ts'
import { createRest } from '../jobs/rest.ts'
import { registerMapEndpoints } from '../maps/endpoints.ts'
import { createImageFeatures } from '../maps/image-features.ts'
import { createTiles } from '../maps/tiles.ts'
import { registerReview } from '../review/review-room.ts'
import { parseId } from '../shared/classic/classic-paths.ts'
import { createBranding } from '../site-settings/branding/branding.ts'
import { registerBrandingEndpoints } from '../site-settings/branding/branding-endpoints.ts'
import { registerBrandFiles } from '../site-settings/branding/brand-files.ts'
import { createTerms } from '../site-settings/terms.ts'
import { renewTrailClimbs } from '../trails/climbs.ts'
import { registerTrailFileEndpoints } from '../trails/file-endpoints.ts'
import { registerLineEndpoints } from '../trails/line-endpoints.ts'
import { createTrailManagement } from '../trails/manage-trails.ts'
import { findTrailDetails, listTrails } from '../trails/trail-table.ts'
import { registerV2TrailEndpoints } from '../trails/v2-endpoints.ts'
import { registerWebAppRoom } from '../web-app/web-app-room.ts'
import type { Http } from './http.ts'
import type { Module } from './module.ts'
import type { Given } from './given.ts'
import type { Observability } from './observability.ts'
import type { People } from './people.ts'
import type { Photos } from './photos.ts'
import type { SignIn } from './sign-in.ts'

/** Runs when a route is listed; the interval is for changed lines of trails. */
const routeTrailsEveryMs = 60_000
/** Runs after an upgrade, and later for what older nodes write. */
const climbsEveryMs = 10 * 60_000

type Needs = Given & Observability & People & Http & Photos & SignIn

export interface Features {
  readonly accountRoutes: AccountRoutes
}

function registerPhotos({ config, database, db, blobs, now, server, ...photos }: Needs): void {
  const { publicUrl } = config
  const { changes } = database
  const { store, upload, present, images, trash, trails } = photos
  const { require: requireTrail } = trails
  const listBodies = createListBodies({ db, present, megabytes: config.listCacheMegabytes })
  registerImageEndpoints(server, { images, listBodies, upload, present, requireTrail, publicUrl })
  registerHandlerEndpoint(server, {
    db,
    store,
    imageMaxAge: config.imageMaxAge,
    imageCacheMegabytes: config.imageCacheMegabytes,
    pendingView: config.pendingView,
    offload: createOffload({ setting: config.offload, blobs }),
  })
  const management = createTrailManagement({
    db,
    system: photos.system,
    retries: photos.retries,
    onLineChange: photos.onLineChange,
  })
  registerV2TrailEndpoints(server, { db, trails, management, publicUrl })
  registerLineEndpoints(server, {
    db,
    measured: photos.measuredTrails,
    publicUrl,
    hasPages: config.webApp === 'on',
  })
  registerTrailFileEndpoints(server, { db, trails, maxImportBytes: config.maxImportBytes })
  registerV2Images(server, {
    db,
    blobs,
    changes,
    now,
    images,
    upload,
    trash,
    present,
    requireTrail,
    publicUrl,
    takenAt: config.takenAt,
    auditOriginal: ({ at, by, image: { id: imageID, trailId: trailID, submitterId: accountId } }) =>
      db
        .transaction()
        .execute((tx) =>
          recordAudit(tx, { at, by, action: 'original.read', accountId, detail: { imageID, trailID } }),
        ),
  })
}

function registerReviewOf({ config, db, system, server, review, images, present }: Needs): void {
  registerReview(server, {
    db,
    system,
    review,
    publicUrl: config.publicUrl,
    farMetres: config.farFromTrailMetres,
    present: present.v2Image,
    showImage: async (actor, imageId) => present.v2Image(actor, await images.require(actor, { imageId })),
    representations: async (tx, actor, imageId) =>
      (await listImagesOf(tx, [imageId])).flatMap((image) => present.representations(actor, image)),
  })
}

function registerMapsAndApp(parts: Needs, accountRoutes: AccountRoutes): void {
  const {
    options,
    config,
    version,
    database,
    db,
    now,
    server,
    front,
    site,
    liveBrand,
    renditions,
    accounts,
    passkeys,
    mailer,
    images,
    trails,
  } = parts
  const { publicUrl, imageHandlerUrl } = config
  registerMapEndpoints(server, {
    tiles: createTiles({
      db,
      changes: database.changes,
      findRoutes: accountRoutes.publicViewsWithin,
    }),
    imageFeatures: createImageFeatures({ db, imageHandlerUrl, takenAt: config.takenAt }),
    takenAt: config.takenAt,
    requireTrail: trails.require,
    publicUrl,
  })
  registerBrandFiles(server, { db, live: liveBrand })
  registerBrandingEndpoints(server, {
    branding: createBranding({ db, now, publicUrl, siteName: config.siteName, onSaved: liveBrand.present }),
    drawMarks: renditions.drawMarks,
  })
  registerWebAppRoom(server, {
    site,
    brand: liveBrand.present,
    settings: config,
    map: parts.siteMap,
    version,
    canMail: mailer !== undefined,
    hasPasskeys: passkeys.isOffered,
    changes: database.changes,
    cachePolicyOf: front.cachePolicyOf,
    folder: options.webFolder,
    renderMs: options.renderMs,
    readTerms: createTerms({ db, now }).read,
    requireAccount: accounts.require,
    listed: {
      // Like the web app: a number that is not a slug is a trailID.
      trail: async (slug) => {
        const [named] = await listTrails(db, { slug }, 1)
        const id = parseId(slug)
        return named ?? (id === undefined ? undefined : findTrailDetails(db, id))
      },
      photo: (imageId) => images.find(anonymous, { imageId }),
      newest: (trailId, limit) => listImages(db, { trailId, state: 'approved' }, limit),
      route: accountRoutes.findPublicView,
    },
  })
}

export const features: Module<Needs, Features> = {
  name: 'features',
  start: (parts) => {
    const { config, database, db, now, system, log, jobs, retries, secret, accounts, server } = parts
    const onFault = (error: unknown): void =>
      log.error({ err: error }, 'the public view of a route could not be computed')
    const routeTrails = createRouteTrails({ db, restMs: createRest(), onFault })
    const routeTrailsJob = jobs.add({
      name: 'route-trails',
      everyMs: routeTrailsEveryMs,
      writes: true,
      ...(database.sharedCounts && {
        lease: createLease(db, { name: 'route-trails', lengthMs: routeTrailsEveryMs, now }),
      }),
      run: routeTrails.run,
    })
    const routeClimbs = createRouteClimbs({
      db,
      gpxLimits: { maxBytes: config.maxGpxBytes },
      restMs: createRest(),
      onFault: (error) => log.error({ err: error }, 'the climb of a route could not be measured again'),
    })
    const climbsJob = jobs.add({
      name: 'climbs',
      everyMs: climbsEveryMs,
      writes: true,
      ...(database.sharedCounts && {
        lease: createLease(db, { name: 'climbs', lengthMs: climbsEveryMs, now }),
      }),
      run: async (run) => {
        if (await renewTrailClimbs(db, run.mayContinue)) await routeClimbs.run(run)
      },
    })
    const accountRoutes = createAccountRoutes({
      db,
      system,
      retries,
      settings: config,
      linkKeys: secret.linkKeys,
      requireAccount: accounts.require,
      onListed: routeTrailsJob.wake,
      onFault,
    })
    registerPhotos(parts)
    registerReviewOf(parts)
    accountRoutes.register(server)
    registerMapsAndApp(parts, accountRoutes)
    return {
      gives: { accountRoutes },
      begin: () => {
        routeTrailsJob.start()
        climbsJob.start()
      },
      close: async () => {
        await Promise.all([accountRoutes.close(), routeTrailsJob.close(), climbsJob.close()])
      },
    }
  },
}
