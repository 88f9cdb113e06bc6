// Every metric of Waymark except those of requests (request-metrics.ts), and the counters that are called where things
// happen.
import { decisions as allDecisions } from '../shared/image-states.ts'
import { Refusal } from '../errors.ts'
import type { Traffic } from '../http/connections/traffic.ts'
import { createRegistry, type Reading } from './registry.ts'
import { addBackupMetrics, type BackupReading } from './backup-metrics.ts'
import { addRequestMetrics } from './request-metrics.ts'

export interface DiskReading {
  readonly freeBytes: number
  readonly isLow: boolean
}

/** Read at every scrape; each must be cheap for any installation. */
export interface Sources {
  readonly imagesByState: () => Promise<Reading>
  readonly outboxPosition: () => Promise<number>
  readonly outboxFloor: () => Promise<number>
  readonly answersFromMemory: () => number
  readonly answerBytes: () => number
  /** By part: the main file and the write-ahead log. */
  readonly databaseBytes: () => Promise<Reading>
  /** By disk: that of the database, that of the blobs. */
  readonly disks: () => Promise<Readonly<Record<string, DiskReading>>>
  readonly deliveriesWaiting: () => Promise<number>
  /** By what they are used for; none if the database is a file. */
  readonly databaseConnections: () => Reading
  readonly jobs: () => readonly JobReading[]
  readonly backup: () => Promise<BackupReading>
  readonly renditionLoad: () => { readonly running: number; readonly waiting: number }
}

/** Of a background job. */
export interface JobReading {
  readonly name: string
  /** In milliseconds since 1970 UTC; undefined for never. */
  readonly lastEndedAt: number | undefined
  readonly lastDurationMs: number | undefined
  readonly failures: number
}

export interface MetricsOptions {
  /** Of the package, such as 0.1.0. */
  readonly version: string
  /** Whether to include metrics of the process; true at most once per process. */
  readonly hasProcessMetrics: boolean
}

export interface SweepResult {
  readonly blobs: number
  readonly temporaryFiles: number
  readonly credentials: number
  readonly retries: number
  /** When it ended, in milliseconds. */
  readonly at: number
}

/** PostgreSQL waits no longer than 3 s, a store in the net 15 s. */
const waitBuckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3]
const storeBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15]
const jobBuckets = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

export function createMetrics(traffic: Traffic, { version, hasProcessMetrics }: MetricsOptions) {
  const sources: Partial<Sources> = {}
  const registry = createRegistry()
  const readDisks = (take: (disk: DiskReading) => number) => async (): Promise<Reading> => {
    const disks = Object.entries((await sources.disks?.()) ?? {})
    return Object.fromEntries(disks.map(([name, disk]) => [name, take(disk)]))
  }
  const { counter, gauge, histogram, total } = registry

  addRequestMetrics(registry, traffic)
  const uploadBytes = counter('waymark_upload_bytes_total', 'Bytes of completely received photos.')
  const jobs = histogram(
    'waymark_rendition_job_duration_seconds',
    'Seconds to generate the renditions of a photo, including the wait in the queue, by outcome: made, failed, or the code of the refusal (busy: the queue was full).',
    { labels: ['outcome'], buckets: jobBuckets },
  )
  gauge(
    'waymark_rendition_jobs_running',
    'Photos being processed.',
    () => sources.renditionLoad?.().running ?? 0,
  )
  gauge(
    'waymark_rendition_jobs_queued',
    'Photos waiting to be processed.',
    () => sources.renditionLoad?.().waiting ?? 0,
  )
  const remade = counter(
    'waymark_renditions_remade_total',
    'Photos whose renditions were missing or damaged and were regenerated.',
  )

  total(
    'waymark_answers_from_memory_total',
    'Requests answered from memory, before the router.',
    () => sources.answersFromMemory?.() ?? 0,
  )
  gauge(
    'waymark_answer_cache_bytes',
    'Bytes of complete responses in memory (ANSWER_CACHE_MEGABYTES).',
    () => sources.answerBytes?.() ?? 0,
  )

  gauge('waymark_images', 'Images by state.', () => sources.imagesByState?.() ?? {}, 'state')
  const decisions = counter('waymark_review_decisions_total', 'Decisions by reviewers.', ['decision'])
  gauge('waymark_outbox_position', 'Position of the newest event.', () => sources.outboxPosition?.() ?? 0)
  gauge(
    'waymark_outbox_floor',
    'Position up to which events were deleted (EVENT_RETENTION_DAYS).',
    () => sources.outboxFloor?.() ?? 0,
  )

  const webhookAttempts = counter(
    'waymark_webhook_attempts_total',
    'Attempts to deliver an event to a webhook: delivered, retried (will be tried again) or failed.',
    ['outcome'],
  )
  gauge(
    'waymark_webhook_deliveries_waiting',
    'Webhook deliveries waiting for an attempt.',
    () => sources.deliveriesWaiting?.() ?? 0,
  )

  const sweeps = counter('waymark_sweeps_total', 'Garbage collections by outcome: done or failed.', [
    'outcome',
  ])
  const swept = counter(
    'waymark_swept_total',
    'Items deleted by garbage collection: blob, temporary-file, credential, retry (a stored Idempotency-Key).',
    ['kind'],
  )
  let lastSweepSeconds = 0
  gauge(
    'waymark_last_sweep_timestamp_seconds',
    'Time of the last successful garbage collection; 0 if none since the start.',
    () => lastSweepSeconds,
  )

  gauge(
    'waymark_database_bytes',
    'Size of the database, by part: main, wal.',
    () => sources.databaseBytes?.() ?? {},
    'part',
  )
  gauge(
    'waymark_database_connections',
    'PostgreSQL connections of this node: busy, idle, and requests waiting for one (awaited). Absent with SQLite.',
    () => sources.databaseConnections?.() ?? {},
    'state',
  )
  const writerWaits = histogram(
    'waymark_writer_wait_seconds',
    'Seconds that PostgreSQL transactions waited for the write lock, by outcome: begun, or failed (refused with 503). Absent with SQLite.',
    { labels: ['outcome'], buckets: waitBuckets },
  )
  const storeCalls = histogram(
    'waymark_store_call_duration_seconds',
    'Seconds that calls to S3 took, by call (keep, which stores an upload, put, read, open, has, remove) and outcome: done or failed. Absent with files.',
    { labels: ['call', 'outcome'], buckets: storeBuckets },
  )
  gauge(
    'waymark_disk_free_bytes',
    'Free bytes on the disks of the database and of the blobs.',
    readDisks(({ freeBytes }) => freeBytes),
    'disk',
  )
  gauge(
    'waymark_disk_low',
    '1 if the disk has less free space than DISK_FREE_WARNING_MB, else 0.',
    readDisks(({ isLow }) => Number(isLow)),
    'disk',
  )
  const readJobs = (take: (job: JobReading) => number | undefined) => (): Reading =>
    Object.fromEntries((sources.jobs?.() ?? []).map((job) => [job.name, take(job) ?? 0]))
  gauge(
    'waymark_job_last_run_timestamp_seconds',
    'When the last run of a background job ended; 0 for none since the start.',
    readJobs(({ lastEndedAt }) => lastEndedAt && lastEndedAt / 1_000),
    'name',
  )
  gauge(
    'waymark_job_last_duration_seconds',
    'Seconds that the last run of a background job took.',
    readJobs(({ lastDurationMs }) => lastDurationMs && lastDurationMs / 1_000),
    'name',
  )
  gauge(
    'waymark_job_failures',
    'Runs of a background job that failed since the start.',
    readJobs(({ failures }) => failures),
    'name',
  )
  addBackupMetrics(registry, async () => sources.backup?.())
  registry.info('waymark_build_info', 'Versions of Waymark and Node.', {
    version,
    node: process.versions.node,
  })
  if (hasProcessMetrics) registry.addProcessMetrics()

  // There from the start, so that the first time shows as a step from 0 to 1.
  for (const decision of allDecisions) decisions.inc({ decision }, 0)
  for (const outcome of ['delivered', 'retried', 'failed']) webhookAttempts.inc({ outcome }, 0)
  for (const outcome of ['done', 'failed']) sweeps.inc({ outcome }, 0)

  return {
    /** Where numbers are read from at every scrape. Each module adds its own. */
    readFrom: (more: Partial<Sources>): void => void Object.assign(sources, more),
    uploadReceived: (bytes: number): void => uploadBytes.inc(bytes),
    /** Does the work of one job, and counts it. */
    timeJob: async <T>(work: () => Promise<T>): Promise<T> => {
      const startedAt = performance.now()
      let outcome = 'made'
      try {
        return await work()
      } catch (error) {
        outcome = error instanceof Refusal ? error.code : 'failed'
        throw error
      } finally {
        jobs.observe({ outcome }, (performance.now() - startedAt) / 1_000)
      }
    },
    writerWaited: ({ ms, hasBegun }: { readonly ms: number; readonly hasBegun: boolean }): void =>
      writerWaits.observe({ outcome: hasBegun ? 'begun' : 'failed' }, ms / 1_000),
    timeStoreCall: async <T>(call: string, work: () => Promise<T>): Promise<T> => {
      const startedAt = performance.now()
      let outcome = 'failed'
      try {
        const result = await work()
        outcome = 'done'
        return result
      } finally {
        storeCalls.observe({ call, outcome }, (performance.now() - startedAt) / 1_000)
      }
    },
    renditionsRemade: (): void => remade.inc(),
    webhookAttempted: (outcome: string): void => webhookAttempts.inc({ outcome }),
    decided: (decision: string): void => decisions.inc({ decision }),
    sweepDone: ({ blobs, temporaryFiles, credentials, retries, at }: SweepResult): void => {
      sweeps.inc({ outcome: 'done' })
      swept.inc({ kind: 'blob' }, blobs)
      swept.inc({ kind: 'temporary-file' }, temporaryFiles)
      swept.inc({ kind: 'credential' }, credentials)
      swept.inc({ kind: 'retry' }, retries)
      lastSweepSeconds = at / 1_000
    },
    sweepFailed: (): void => sweeps.inc({ outcome: 'failed' }),
    /** When the last garbage collection ended, in milliseconds; 0 for none since the start. */
    lastSweepAt: (): number => lastSweepSeconds * 1_000,

    /** Every metric but those of the process, in the order of the response. */
    described: registry.described,
    contentType: registry.contentType,
    text: registry.text,
    close: registry.clear,
  }
}

export type Metrics = ReturnType<typeof createMetrics>
