// Log, metrics, traces, background jobs and free disk space; and the stores, observed by them.
import type { FastifyBaseLogger } from 'fastify'
import { findReadOnly } from '../database/read-only.ts'
import type { Database, Db } from '../database/database.ts'
import { countImages, newestPosition } from '../events/outbox.ts'
import { readFloor } from '../events/outbox-floor.ts'
import { createIsFromProxy } from '../http/connections/proxied-address.ts'
import { createTraffic, type Traffic } from '../http/connections/traffic.ts'
import { createLog } from '../http/logs/log.ts'
import { createJobs, type Jobs } from '../jobs/runner.ts'
import { createMetrics, type Metrics } from '../metrics/metrics.ts'
import { folderOfUploads } from '../settings/blob-settings.ts'
import type { Config } from '../settings/config.ts'
import { createDiskWatch, type DiskWatch } from '../storage/disk-space.ts'
import type { Blobs } from '../storage/port.ts'
import { watchBlobs } from '../storage/watched-blobs.ts'
import type { System } from '../system.ts'
import { openTracing } from '../tracing/open-tracing.ts'
import type { Tracing } from '../tracing/tracing.ts'
import type { Given } from './given.ts'
import type { Module } from './module.ts'

export interface Observability {
  readonly config: Config
  readonly system: System
  readonly now: () => number
  readonly version: string
  readonly log: FastifyBaseLogger
  readonly jobs: Jobs
  readonly traffic: Traffic
  readonly metrics: Metrics
  readonly tracing: Tracing | undefined
  readonly disks: DiskWatch<'database' | 'blobs'>
  readonly database: Database
  readonly db: Db
  readonly blobs: Blobs
}

export const observability: Module<Given, Observability> = {
  name: 'observability',
  start: async ({ installation, options }) => {
    const { config, system } = installation
    const now = () => system.now()
    const version = options.version ?? 'unknown'
    const log = createLog(options.logger)
    const tracing = await openTracing({
      settings: config,
      version,
      isFromProxy: createIsFromProxy(config.trustProxy),
      onTrouble: (error) =>
        error === undefined
          ? log.info('traces can be sent again')
          : log.warn(
              { err: error },
              'traces cannot be sent; further failures are not logged until they can be sent again',
            ),
    })
    const { database, blobs: opened } = tracing?.watch(installation) ?? installation
    const { db } = database
    const jobs = createJobs({ now, log, isReadOnly: async () => (await findReadOnly(db)) !== undefined })
    const traffic = createTraffic(tracing?.beginRequest)
    const metrics = createMetrics(traffic, { version, hasProcessMetrics: options.hasProcessMetrics ?? false })
    const blobs =
      config.blobPlace.store === 's3'
        ? // Receiving is as fast as the sender, and says nothing about the store.
          watchBlobs(opened, (call, work) =>
            call === 'receive' ? work() : metrics.timeStoreCall(call, work),
          )
        : opened
    const { databasePlace: place } = config
    const disks = createDiskWatch({
      places: {
        ...(place.engine === 'sqlite' ? { database: place.file } : {}),
        blobs: folderOfUploads(config),
      },
      lowMegabytes: config.diskLowMegabytes,
      jobs,
      log,
    })
    database.onWriterWait?.(metrics.writerWaited)
    metrics.readFrom({
      imagesByState: () => countImages(db),
      outboxPosition: () => newestPosition(db),
      outboxFloor: () => readFloor(db),
      databaseBytes: () => database.size(),
      databaseConnections: () => database.connections?.() ?? {},
      disks: disks.look,
      jobs: jobs.status,
    })
    return {
      gives: {
        config,
        system,
        now,
        version,
        log,
        jobs,
        traffic,
        metrics,
        tracing,
        disks,
        database,
        db,
        blobs,
      },
      begin: disks.start,
      close: async () => {
        await disks.close()
        metrics.close()
        await tracing?.close() // last: it sends the spans of all others
      },
    }
  },
}
