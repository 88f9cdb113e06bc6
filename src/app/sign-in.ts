// The endpoints of the service itself (health, metrics, documents), sign-in, OAuth, and administration.
import { createAdministration } from '../admin/administration.ts'
import { registerAdminAccountEndpoints } from '../admin/account-endpoints.ts'
import { registerAuditEndpoints } from '../admin/audit-endpoints.ts'
import { registerAdminClientEndpoints } from '../admin/client-endpoints.ts'
import { registerJobsEndpoint } from '../admin/jobs-endpoint.ts'
import { registerStorageEndpoint } from '../admin/storage-endpoint.ts'
import { countUnread } from '../images/capture/unread-table.ts'
import { countStoredTwice } from '../images/storage/original-table.ts'
import { registerOauthEndpoints } from '../auth/oauth/oauth-endpoints.ts'
import { createOauthServer } from '../auth/oauth/oauth-server.ts'
import { registerSiteMap } from '../base-map/endpoints.ts'
import { createSiteMap, type SiteMaps } from '../base-map/site-map.ts'
import { countImages } from '../events/outbox.ts'
import { registerDocuments } from '../http/documents.ts'
import { registerHealth } from '../http/health.ts'
import { addressBucket } from '../http/rates/rate-limits.ts'
import { noteFailure, refusalFor } from '../http/refusals.ts'
import { registerMetrics } from '../metrics/metrics-endpoint.ts'
import { registerSignIn } from '../sign-in/endpoints.ts'
import type { JoiningService } from '../sign-in/joining.ts'
import type { MapOffer } from '../sign-in/map-offer.ts'
import type { Recovery } from '../sign-in/recovery.ts'
import { registerAssets } from '../site/assets.ts'
import { megabyteBytes } from '../storage/disk-space.ts'
import type { Backups } from './backups.ts'
import type { Http } from './http.ts'
import type { Module } from './module.ts'
import type { Given } from './given.ts'
import type { Observability } from './observability.ts'
import type { People } from './people.ts'

export interface SignIn {
  readonly joining: JoiningService
  readonly recovery: Recovery
  readonly siteMap: SiteMaps
}

const mapOfferOf = (siteMap: SiteMaps): MapOffer => ({
  isOpen: siteMap.isUndecided,
  choose: (accountId, choice) => siteMap.choose({ accountId, via: 'session' }, choice),
})

export const signIn: Module<Given & Observability & Backups & People & Http, SignIn> = {
  name: 'sign-in',
  start: async (parts) => {
    const { options, config, database, db, blobs, now, metrics, disks, jobs } = parts
    const { site, siteWords, accounts, sessions, passkeys, secret, devices, mailer } = parts
    const { server, rateLimits, attempts, incidents } = parts
    const { publicUrl, corsOrigins } = config
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
    registerDocuments(server, site, { hasFrontPage: config.webApp === 'off' })
    registerOauthEndpoints(server, oauth, noteFailure)
    const siteMap = createSiteMap({ db, now, settings: config })
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
      mapOffer: config.webApp === 'on' ? mapOfferOf(siteMap) : undefined,
    })
    const administration = createAdministration({ db, now, sessions })
    registerAdminAccountEndpoints(server, { administration, accounts, joining, recovery, publicUrl })
    registerAdminClientEndpoints(server, { db, now, publicUrl })
    registerAuditEndpoints(server, { db, settings: options.settings ?? [], publicUrl })
    registerStorageEndpoint(server, {
      db,
      sources: {
        imagesByState: () => countImages(db),
        databaseBytes: () => database.size(),
        disks: disks.look,
        storedTwice: () => countStoredTwice(db),
        unreadPhotos: () => countUnread(db),
        lastSweepAt: metrics.lastSweepAt,
        backup: parts.backups?.status,
        lowBytes: config.diskLowMegabytes * megabyteBytes,
      },
    })
    registerJobsEndpoint(server, jobs.status)
    registerSiteMap(server, { siteMap })
    return { gives: { joining, recovery, siteMap }, beginStop: health.beginStop }
  },
}
