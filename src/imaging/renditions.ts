// The work on images: one job per core, each in a process of its own, a bounded queue, and a clear no when it is full.
import { refuse, type Refusal } from '../errors.ts'
import { inEach, onlyEnglish } from '../texts/texts.ts'
import { createSemaphore } from '../shared/semaphore.ts'
import type { ImageLimits } from './image-limits.ts'
import type { FileMetadata, Takes } from './inspect.ts'
import type { Mark } from './marks.ts'
import { afterTravel, type Examined, type Failed, type MadeRendition } from './outcome.ts'
import type { Outcomes } from './rendition-worker.ts'
import { inMemory, type UploadBytes } from './upload-bytes.ts'
import { startWorkerProcess, type JobEnd, type WorkerProcess } from './worker-process.ts'

export type { Examined, MadeRendition } from './outcome.ts'
export type { Takes, FileMetadata } from './inspect.ts'
export type { Mark } from './marks.ts'
export { inMemory, type UploadBytes } from './upload-bytes.ts'

/**
 * Of the rules that say what size lg may hold. Whoever makes it hold less adds one: stored photos whose version is older
 * are made anew.
 */
export const renditionVersion = 2

const retryAfterSeconds = 5
const idleMs = 30_000

export interface RenditionsOptions {
  readonly limits: ImageLimits
  /** Jobs at once. */
  readonly jobs: number
  /** Jobs that may wait. */
  readonly queue: number
  /** Seconds that a job may take, from the moment its bytes are handed over. */
  readonly jobSeconds: number
}

function busy(why: 'images' | 'imageInterrupted' | 'stopping', cause?: unknown): Refusal {
  return refuse('busy', {
    detail: inEach((texts) => texts.limits[why]),
    headers: { 'Retry-After': String(retryAfterSeconds) },
    cause,
  })
}

const isFailed = (outcome: { readonly ok: boolean }): outcome is Failed => !outcome.ok

export function createRenditions({ limits, jobs, queue, jobSeconds }: RenditionsOptions) {
  const idle: { readonly worker: WorkerProcess; readonly timer: NodeJS.Timeout }[] = []
  const working = new Set<WorkerProcess>()
  const places = createSemaphore(jobs, {
    maxWaiting: queue,
    whenFull: () => busy('images'),
  })
  const stopping = new AbortController()
  let started = 0

  function takeWorker(): WorkerProcess {
    const { worker, timer } = idle.pop() ?? {}
    clearTimeout(timer)
    return worker ?? startWorkerProcess()
  }

  /** Kept for the next job; after a while without one its memory is released. */
  function keepWorker(worker: WorkerProcess): void {
    const timer = setTimeout(() => {
      idle.splice(
        idle.findIndex((one) => one.worker === worker),
        1,
      )
      void worker.end()
    }, idleMs).unref()
    idle.push({ worker, timer })
  }

  async function work<K extends keyof Outcomes>(
    kind: K,
    bytes: UploadBytes,
    takes: Takes = 'any',
  ): Promise<Outcomes[K]> {
    const worker = takeWorker()
    working.add(worker)
    try {
      const end = await worker.run(kind, bytes, { limits, takes }, jobSeconds * 1000)
      if (end.kind === 'done' && !stopping.signal.aborted) keepWorker(worker)
      return resultOf(end)
    } finally {
      working.delete(worker)
    }
  }

  function resultOf<T extends { readonly ok: true }>(end: JobEnd<T | Failed>): T {
    switch (end.kind) {
      case 'done': {
        const { outcome } = end
        if (!isFailed(outcome)) return outcome
        const detail = onlyEnglish(outcome.code, outcome.detail)
        throw refuse(outcome.code, { detail, cause: outcome.fault })
      }
      case 'overdue':
        throw refuse('broken-image', {
          detail: inEach((texts) => texts.limits.imageOverdue(jobSeconds)),
        })
      case 'killed':
        throw busy('imageInterrupted', end.why)
      case 'crashed':
        throw refuse('broken-image', { detail: inEach((texts) => texts.limits.imageFailed), cause: end.why })
    }
  }

  return {
    /** Jobs begun since the start: what a test counts. */
    jobsStarted: () => started,

    /** Jobs at work and jobs that wait, at this moment. */
    load: places.load,

    /**
     * Validates an upload and makes all its renditions, from one decode.
     * @param open is asked when the turn has come: those that wait in the queue take no memory.
     * @param takes what has been stored is made anew of whatever it is.
     * @throws refusals `unsupported-image-type`, `image-dimensions-too-large`, `broken-image`, `busy`; what `open` throws,
     *   and what reading throws.
     */
    examine: (open: () => Promise<UploadBytes>, takes: Takes = 'any'): Promise<Examined> =>
      places.run(
        async () => {
          started += 1
          const upload = await open()
          return afterTravel(await work('examine', upload, takes), upload)
        },
        { signal: stopping.signal },
      ),

    /**
     * Makes the small sizes in WebP of what `examine` made for that.
     * @throws refusal `busy`, and `broken-image` where it is anything else.
     */
    makeWebp: (base: Uint8Array): Promise<readonly MadeRendition[]> =>
      places.run(
        async () => {
          started += 1
          return (await work('webp', inMemory(base))).sizes
        },
        { signal: stopping.signal },
      ),

    /**
     * Reads what the metadata of an upload contains, and decodes nothing.
     * @throws refusals `busy`, `image-dimensions-too-large`, and `broken-image` where it is anything else.
     */
    readMetadata: (upload: Uint8Array): Promise<FileMetadata> =>
      places.run(async () => (await work('metadata', inMemory(upload))).metadata, {
        signal: stopping.signal,
      }),

    /**
     * Draws the logo and the icons of the site of an upload.
     * @throws refusals `unsupported-image-type`, `image-dimensions-too-large`, `broken-image`, `busy`.
     */
    drawMarks: (upload: Uint8Array): Promise<readonly Mark[]> =>
      places.run(
        async () => {
          started += 1
          return (await work('marks', inMemory(upload))).marks
        },
        { signal: stopping.signal },
      ),

    /** Ends the work under way and refuses what waits. Resolves when every process is gone. */
    close: async (): Promise<void> => {
      stopping.abort(busy('stopping'))
      for (const { timer } of idle) clearTimeout(timer)
      await Promise.all([...idle.map(({ worker }) => worker), ...working].map((worker) => worker.end()))
    },
  }
}

export type Renditions = ReturnType<typeof createRenditions>
