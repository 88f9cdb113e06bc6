// Photos of trails, from upload and renditions to review and deletion. No endpoints yet.
import { createLease } from '../database/leases.ts'
import { createIdempotencyKeys, type IdempotencyKeys } from '../idempotency/idempotency-keys.ts'
import { createNearDuplicates, type NearDuplicates } from '../images/near-duplicates.ts'
import { createBackFill } from '../images/capture/back-fill.ts'
import { createMeasuring } from '../images/along/measuring.ts'
import { createImages, type Images } from '../images/images.ts'
import { createPresent, type Present } from '../images/present.ts'
import { createRebuilding } from '../images/storage/rebuilding.ts'
import { createRenewal, type Renewal } from '../images/storage/renewal.ts'
import { createTrash, type Trash } from '../images/trash/trash.ts'
import { createRepeatedUploads } from '../images/upload/repeated-upload.ts'
import { createUpload, type Upload } from '../images/upload/upload.ts'
import { createRenditionStore, type RenditionStore } from '../images/view/rendition-store.ts'
import { imageLimitsFrom } from '../imaging/image-limits.ts'
import { createRenditions, type Renditions, type RenditionsOptions } from '../imaging/renditions.ts'
import { createReview, type Review } from '../review/review.ts'
import { createRest } from '../jobs/rest.ts'
import type { Config } from '../settings/config.ts'
import type { Blobs } from '../storage/port.ts'
import type { Tracing } from '../tracing/tracing.ts'
import { createMeasuredTrails, type MeasuredTrails } from '../trails/measured-trails.ts'
import { createTrails, type Trails } from '../trails/trails.ts'
import type { Module } from './module.ts'
import type { Given } from './given.ts'
import type { Observability } from './observability.ts'

export interface Photos {
  readonly trails: Trails
  readonly measuredTrails: MeasuredTrails
  /** Call it after the line of a trail has changed. */
  readonly onLineChange: () => void
  readonly retries: IdempotencyKeys
  readonly renditions: Renditions
  readonly store: RenditionStore
  readonly upload: Upload
  readonly present: Present
  readonly images: Images
  readonly trash: Trash
  readonly review: Review
  readonly alike: NearDuplicates
  readonly renewal: Renewal
}

const rebuildingEveryMs = 300_000
/** Besides changes here: a command or an older node may have changed a line, too. */
const measuringEveryMs = 60_000

function workFrom(config: Config): RenditionsOptions {
  const { jobs, jobQueue: queue, jobSeconds } = config
  return { limits: imageLimitsFrom(config), jobs, queue, jobSeconds }
}

export const photos: Module<Given & Observability, Photos> = {
  name: 'photos',
  start: ({ options, config, database, db, blobs, system, now, metrics, tracing, jobs, log }) => {
    const { quotaPendingImages } = config
    const making = options.renditions ?? createRenditions(workFrom(config))
    metrics.readFrom({ renditionLoad: () => making.load() })
    const step: Tracing['step'] = tracing?.step ?? ((_name, work) => work())
    const renditions: Renditions = {
      ...making,
      examine: (open, takes) =>
        metrics.timeJob(() => step('make renditions', () => making.examine(open, takes))),
      makeWebp: (base) => step('make renditions', () => making.makeWebp(base)),
    }
    const store = createRenditionStore({
      db,
      blobs,
      renditions,
      onRemade: metrics.renditionsRemade,
      isIdle: () => making.load().running === 0,
    })
    const retries = createIdempotencyKeys(now)
    const countedBlobs: Blobs = {
      ...blobs,
      receive: async (source, limitBytes) => {
        const staged = await blobs.receive(source, limitBytes)
        if (staged) metrics.uploadReceived(staged.bytes)
        return staged
      },
    }
    const measuredTrails = createMeasuredTrails(db)
    const { find: findRuler } = measuredTrails
    const upload = createUpload({
      database,
      blobs: countedBlobs,
      renditions,
      store,
      system,
      quotas: { pendingImages: quotaPendingImages, bytes: config.quotaBytes },
      maxBytes: config.maxImageBytes,
      repeats: createRepeatedUploads(retries, now),
      siteTimeZone: config.siteTimeZone,
      findRuler,
    })
    const alike = createNearDuplicates({ db, store, renditions: making, maxHashes: 1_000 })
    const renewal = createRenewal({ db, store, maxPerPass: 2_000 })
    const restMs = createRest()
    const rebuilding = createRebuilding({ db, blobs, now, restMs })
    const rebuildingJob = jobs.add({
      name: 'photo-storage',
      everyMs: rebuildingEveryMs,
      writes: true,
      ...(database.sharedCounts && {
        lease: createLease(db, { name: 'photo-storage', lengthMs: rebuildingEveryMs, now }),
      }),
      run: async (run) => {
        const done = await rebuilding.run(run)
        if (done.rebuilt + done.keptWhole > 0) log.info(done, 'converted photos that were stored twice')
      },
    })
    const backFill = createBackFill({
      db,
      blobs,
      renditions: making,
      siteTimeZone: config.siteTimeZone,
      restMs,
    })
    const backFillJob = jobs.add({
      name: 'photo-facts',
      everyMs: rebuildingEveryMs,
      writes: true,
      ...(database.sharedCounts && {
        lease: createLease(db, { name: 'photo-facts', lengthMs: rebuildingEveryMs, now }),
      }),
      run: async (run) => {
        const done = await backFill.run(run)
        if (done.read + done.unreadable > 0) log.info(done, 'read when and how older photos were taken')
      },
    })
    const measuring = createMeasuring({ db, findRuler, restMs })
    const measuringJob = jobs.add({
      name: 'photo-miles',
      everyMs: measuringEveryMs,
      writes: true,
      ...(database.sharedCounts && {
        lease: createLease(db, { name: 'photo-miles', lengthMs: measuringEveryMs, now }),
      }),
      run: async (run) => {
        const done = await measuring.run(run)
        if (done.photos > 0) log.info(done, 'measured where along their trails photos lie')
      },
    })
    const endLongWork = (): void => {
      alike.stop()
      renewal.stop()
    }
    return {
      gives: {
        trails: createTrails(db, now, measuringJob.wake),
        measuredTrails,
        onLineChange: measuringJob.wake,
        retries,
        renditions,
        store,
        upload,
        present: createPresent(config),
        images: createImages({
          db,
          now,
          edits: config.edits,
          siteTimeZone: config.siteTimeZone,
          findRuler,
        }),
        trash: createTrash({ db, blobs, now, maxPending: quotaPendingImages }),
        review: createReview({ db, now, onDecided: metrics.decided }),
        alike,
        renewal,
      },
      begin: () => {
        rebuildingJob.start()
        backFillJob.start()
        measuringJob.start()
      },
      beginStop: endLongWork,
      close: async () => {
        await Promise.all([rebuildingJob.close(), backFillJob.close(), measuringJob.close()])
        await renditions.close()
      },
    }
  },
}
