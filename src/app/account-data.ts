// Data export and account deletion; and the hourly maintenance.
import { createDeletion } from '../account-data/deletion.ts'
import { registerLeaving } from '../account-data/endpoints.ts'
import { createDataExport } from '../account-data/data-export.ts'
import { unpackUtf8 } from '../account-routes/gpx/packed.ts'
import { createGarbageCollection } from '../images/storage/garbage-collection.ts'
import { createEventRetention } from '../events/retention.ts'
import { registerMe } from '../me/endpoints.ts'
import type { Before, Events } from './events.ts'
import { createMaintenance } from './maintenance.ts'
import type { Module } from './module.ts'

export interface Background {
  readonly dataExports: ReturnType<typeof registerLeaving>
  readonly maintenance: ReturnType<typeof createMaintenance>
}

export const accountData: Module<Before & Events, Background> = {
  name: 'account data',
  start: (parts) => {
    const { config, db, database, blobs, now, jobs, log, metrics, server, retries, webhooks, incidents } =
      parts
    const { accounts, apiKeys, sessions, devices, passkeys, recovery, mailer } = parts
    const { trash, alike, renewal, accountRoutes } = parts
    const deletion = createDeletion({ db, blobs, now, sendMail: mailer?.send })
    registerMe(server, { db, now, apiKeys, sessions, devices, passkeys, recovery, retries })
    const dataExports = registerLeaving(server, {
      dataExport: createDataExport({ db, blobs, now, unpackGpx: unpackUtf8 }),
      deletion,
      now,
      sessions,
      requireAccount: accounts.require,
      requirePresence: recovery.requirePresence,
    })
    const maintenance = createMaintenance({
      db,
      now,
      jobs,
      trash,
      deletion,
      garbageCollection: createGarbageCollection(db, blobs, now),
      sessions,
      retries,
      webhooks,
      eventRetention: createEventRetention({ db, now, days: config.eventRetentionDays }),
      alike,
      renewal,
      refreshPublicViews: accountRoutes.refreshPublicViews,
      metrics,
      log,
      sharedCounts: database.sharedCounts,
      incidents,
    })
    return { gives: { dataExports, maintenance }, begin: maintenance.start, close: maintenance.close }
  },
}
